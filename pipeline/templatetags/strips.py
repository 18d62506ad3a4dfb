"""Small plots of estimates on a scale from 0 to 1."""

from django import template

register = template.Library()


@register.filter
def along(value: float) -> str:
    """Where a value stands on a scale from 0 to 1, for an SVG; what is beyond stands at the end.

    >>> along(0.694), along(-0.2), along(1.0)
    ('69.4%', '0%', '100%')
    """
    return f"{round(100 * min(max(value, 0.0), 1.0), 2):g}%"
