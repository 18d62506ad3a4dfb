"""Reliability figures on pages."""

from django import template

register = template.Library()


@register.filter
def coefficient(value: float | None) -> str:
    """Format a figure of at most 1 with two decimals and a minus sign; "–" for None.

    Never rounded up to 1, which means that all raters agree.

    >>> coefficient(0.444), coefficient(-0.5), coefficient(-0.001), coefficient(0.999)
    ('0.44', '−0.50', '0.00', '0.99')
    >>> coefficient(1.0), coefficient(None)
    ('1.00', '–')
    """
    if value is None or isinstance(value, str):  # a key that is missing is "" in a template
        return "–"
    if 0.99 < value < 1:
        return "0.99"
    text = f"{abs(value):.2f}"
    return f"−{text}" if value < 0 and text != "0.00" else text
