"""Figures as a page writes them."""

from collections.abc import Mapping
from typing import Any

from django import template

from pipeline.backends.model_cards import in_digits
from pipeline.metrics.inference import Estimate

register = template.Library()


@register.filter
def share(value: float | str | None) -> str:
    """A figure from 0 to 1 with two digits, "–" where there is none.

    Never rounded up to 1: "1.00" says that all of it is.

    >>> share(None), share(0.505), share(0.994), share(0.999), share(1.0)
    ('–', '0.51', '0.99', '0.99', '1.00')
    """
    if value is None or isinstance(value, str):  # a figure that is missing is "" in a template
        return "–"
    return "0.99" if 0.99 < value < 1 else f"{value:.2f}"


@register.filter
def seconds(value: float | str | None) -> str:
    """A duration in the unit that reads best: ms, s, min; "–" where there is none.

    >>> seconds(0.0421), seconds(0.42), seconds(59.9), seconds(90), seconds(None), seconds("")
    ('42 ms', '0.4 s', '59.9 s', '1.5 min', '–', '–')
    """
    if value is None or isinstance(value, str):  # a key that is missing is "" in a template
        return "–"
    if value < 0.1:
        return f"{value * 1000:.0f} ms"
    return f"{value:.1f} s" if value < 60 else f"{value / 60:.1f} min"


@register.filter
def interval_note(estimate: Estimate, of: str) -> str:
    """As `Estimate.note`; `of` names what `n` counts."""
    return estimate.note(of)


@register.filter
def in_interval(figure: Mapping[str, Any] | None, unit: str = "") -> str:
    """A figure of a model card with its 95 % interval; "–" where there is none."""
    return in_digits(figure, unit=unit) if figure else "–"


@register.filter
def along(value: float) -> str:
    """Where a value stands on a scale from 0 to 1, for an SVG; what is beyond stands at the end.

    >>> along(0.694), along(-0.2), along(1.0)
    ('69.4%', '0%', '100%')
    """
    return f"{round(100 * min(max(value, 0.0), 1.0), 2):g}%"
