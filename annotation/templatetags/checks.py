"""Training and gold items on pages."""

from collections.abc import Sequence

from django import template

from annotation.models import Campaign
from annotation.quality_control import claim_rules, training
from rarrweb.accounts.models import User

register = template.Library()

WIDTH, HEIGHT, EDGE = 160, 40, 4


@register.filter
def line_points(shares: Sequence[float]) -> str:
    """Return the points of a line through the shares, for an SVG of `WIDTH` by `HEIGHT`.

    >>> line_points([0.0, 0.5, 1.0])
    '4,36 80,20 156,4'
    >>> line_points([1.0])
    '4,4 156,4'
    """
    points = list(shares) * 2 if len(shares) == 1 else list(shares)
    step = (WIDTH - 2 * EDGE) / (len(points) - 1)
    return " ".join(
        f"{_plain(EDGE + index * step)},{_plain(line_height(share))}"
        for index, share in enumerate(points)
    )


def line_height(share: float) -> float:
    """Return the distance from the top, where the share is 1.

    >>> line_height(1.0), line_height(0.25)
    (4.0, 28.0)
    """
    return round(HEIGHT - EDGE - share * (HEIGHT - 2 * EDGE), 2)


@register.filter
def percent_height(percent: int) -> float:
    return line_height(percent / 100)


def _plain(number: float) -> str:
    return f"{number:.1f}".removesuffix(".0")


@register.inclusion_tag("annotation/training/_card.html")
def training_of(campaign: Campaign, user: User) -> dict[str, object]:
    """Return the rater's progress in training; nothing if the campaign has none."""
    standing = training.training_of(campaign, user) if claim_rules.has_checks(campaign) else None
    return {"campaign": campaign, "standing": standing}
