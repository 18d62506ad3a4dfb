"""Formats of figures: shares, speeds, durations, amounts and failures."""

import math
import re
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from pipeline.backends.model_cards import in_digits
from pipeline.importing.rows import title_of
from pipeline.metrics.inference import Estimate
from pipeline.pages import formats
from pipeline.runs.failures import failure_words

register = template.Library()
for each in (failure_words, formats.figure, formats.seconds, formats.share, formats.signed):
    register.filter(each)
register.simple_tag(title_of)


@register.filter
def speed(per_second: float | None) -> str:
    """Format passages per second, minute or hour.

    >>> speed(1.0), speed(0.05), speed(0.0005), speed(None)
    ('1.0 a second', '3.0 a minute', '1.8 an hour', '–')
    """
    if per_second is None:
        return "–"
    for seconds, unit in ((1, "a second"), (60, "a minute")):
        if per_second * seconds >= 1:
            return f"{per_second * seconds:.1f} {unit}"
    return f"{per_second * 3600:.1f} an hour"


@register.filter
def p_value(p: float) -> str:
    """Format the p of a test.

    >>> p_value(0.0312), p_value(0.0004), p_value(1.0)
    ('p = 0.031', 'p < 0.001', 'p = 1.000')
    """
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"


@register.filter
def duration(time: timedelta | None) -> str:
    """Format a time in its two largest units.

    >>> duration(timedelta(seconds=5)), duration(timedelta(minutes=2, seconds=5))
    ('5 s', '2 min 5 s')
    >>> duration(timedelta(hours=30, minutes=5)), duration(timedelta(seconds=-3)), duration(None)
    ('1 d 6 h', '0 s', '–')
    """
    if time is None:
        return "–"
    left = max(0, int(time.total_seconds()))
    parts = []
    for size, unit in ((86400, "d"), (3600, "h"), (60, "min"), (1, "s")):
        number, left = divmod(left, size)
        if number:
            parts.append(f"{number} {unit}")
    return " ".join(parts[:2]) or "0 s"


@register.filter
def approximate(time: timedelta | None) -> str:
    """Format a time in one unit, at least a second.

    >>> approximate(timedelta(seconds=40)), approximate(timedelta(minutes=2, seconds=31))
    ('40 s', '3 min')
    >>> approximate(timedelta(hours=30)), approximate(timedelta(minutes=100))
    ('30 h', '2 h')
    >>> approximate(timedelta(seconds=0.3))
    '1 s'
    """
    if time is None:
        return "–"
    seconds = max(time.total_seconds(), 1)
    for size, most, unit in ((1, 90, "s"), (60, 90 * 60, "min"), (3600, 48 * 3600, "h")):
        if seconds < most:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds / 86400:.0f} d"


@register.filter
def percent(value: float | None) -> str:
    r"""Format a share in percent with one digit.

    >>> percent(0.0238) == "2.4\N{NO-BREAK SPACE}%", percent(None)
    (True, '–')
    """
    return "–" if value is None else f"{100 * value:.1f} %"


@register.filter
def symbols(text: str) -> SafeString:
    """Write the indexes of symbols as subscripts.

    >>> symbols("Pres_Lev of <x>")
    'Pres<sub>Lev</sub> of &lt;x&gt;'
    """
    *parts, end = re.split(r"_(\w+)", text)
    pairs = zip(parts[::2], parts[1::2], strict=True)
    return format_html("{}{}", format_html_join("", "{}<sub>{}</sub>", pairs), end)


@register.filter
def money(value: float | str | None) -> str:
    """Format an amount in cents or with three significant digits.

    >>> money(12.5), money(0.0), money(0.00012345), money(1234.5), money(None)
    ('12.50', '0.00', '0.000123', '1,234.50', '–')
    """
    if value is None or isinstance(value, str):
        return "–"
    if value == 0 or abs(value) >= 0.1:
        return f"{value:,.2f}"
    return f"{value:.{2 - math.floor(math.log10(abs(value)))}f}"


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
