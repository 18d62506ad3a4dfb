"""Figures of a model card as its page writes them."""

from django import template

from pipeline.backends.model_cards import Interval, in_digits

register = template.Library()


@register.filter
def in_interval(figure: Interval | None, unit: str = "") -> str:
    """A figure with its 95 % interval; "–" where there is none."""
    return in_digits(figure, unit=unit) if figure else "–"
