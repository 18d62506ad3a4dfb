"""What a page says of a figure that a worker counts: of when it is, or that it is coming."""

from typing import Any

from django import template
from django.utils import timezone

from annotation.results.kept_figures import Shown
from pipeline.workers import registry

register = template.Library()


@register.inclusion_tag("annotation/_counted.html")
def counted(shown: Shown[Any] | None, *, loads_again: bool = True) -> dict[str, Any]:
    """Nothing for what was counted just now. Asks for a worker only while one is waited for.

    `loads_again`: whether the page does so by itself once the figure is there.
    """
    if not shown:
        return {}
    waits = shown.is_counting
    return {
        "shown": shown,
        "loads_again": loads_again and not shown.failure,
        "is_of_today": shown.counted_at and shown.counted_at.date() == timezone.now().date(),
        "worker_alive": not waits or registry.any_alive(),
        "worker_command": registry.START_COMMAND,
    }
