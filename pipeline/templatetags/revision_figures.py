"""Formats of figures."""

from collections.abc import Mapping
from typing import Any

from django import template

from pipeline.backends.model_cards import in_digits
from pipeline.metrics.inference import Estimate

register = template.Library()


@register.filter
def share(value: float | str | None) -> str:
    """Format a figure from 0 to 1, never rounded up to 1.

    >>> share(None), share(0.505), share(0.994), share(0.999), share(1.0)
    ('–', '0.51', '0.99', '0.99', '1.00')
    """
    if value is None or isinstance(value, str):  # a missing value is "" in a template
        return "–"
    return "0.99" if 0.99 < value < 1 else f"{value:.2f}"


@register.filter
def seconds(value: float | str | None) -> str:
    """Format a duration in ms, s or min.

    >>> seconds(0.0421), seconds(0.42), seconds(59.9), seconds(90), seconds(None), seconds("")
    ('42 ms', '0.4 s', '59.9 s', '1.5 min', '–', '–')
    """
    if value is None or isinstance(value, str):
        return "–"
    if value < 0.1:
        return f"{value * 1000:.0f} ms"
    return f"{value:.1f} s" if value < 60 else f"{value / 60:.1f} min"


@register.filter
def interval_note(estimate: Estimate, of: str) -> str:
    """Return `Estimate.note`; `of` names what `n` counts."""
    return estimate.note(of)


@register.filter
def in_interval(figure: Mapping[str, Any] | None, unit: str = "") -> str:
    """Format a model card's figure with its 95 % interval."""
    return in_digits(figure, unit=unit) if figure else "–"


@register.filter
def width_percent(value: float) -> str:
    """Convert 0 to 1 to a position in an SVG; clips values beyond.

    >>> width_percent(0.694), width_percent(-0.2), width_percent(1.0)
    ('69.4%', '0%', '100%')
    """
    return f"{round(100 * min(max(value, 0.0), 1.0), 2):g}%"
