"""How far campaigns are, phase by phase: counted from items' counters, without their texts."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import Count, F, Q, Sum

from annotation.models import Campaign, Item


@dataclass(frozen=True, slots=True, kw_only=True)
class PhaseProgress:
    """One phase of a campaign."""

    phase: str
    items: int
    wanted: int
    """Submissions that its items want, as far as is known: raters who differ add some."""
    done: int
    """Submissions that count."""
    complete: int
    """Items that want nobody any more."""

    @property
    def is_complete(self) -> bool:
        return self.complete >= self.items


def phases_of(campaigns: Iterable[Campaign]) -> dict[int, list[PhaseProgress]]:
    """Campaign id to its phases that have items, the pilot first. One query.

    Items that train or check raters are in none: they wait for nobody.
    """
    rows = (
        Item.objects.filter(campaign__in=list(campaigns), wanted__gt=0)
        .order_by()
        .values("campaign", "phase")
        .annotate(
            items=Count("pk"),
            all_wanted=Sum("wanted"),
            all_done=Sum("done"),
            complete=Count("pk", filter=Q(done__gte=F("wanted"))),
        )
    )
    found: dict[int, list[PhaseProgress]] = defaultdict(list)
    for row in sorted(rows, key=lambda row: row["phase"]):
        found[row["campaign"]].append(
            PhaseProgress(
                phase=row["phase"],
                items=row["items"],
                wanted=row["all_wanted"],
                done=row["all_done"],
                complete=row["complete"],
            )
        )
    return found


def shown_phase(campaign: Campaign, phases: list[PhaseProgress], asked: str | None) -> str:
    """Which phase a page is about: the one asked for, or else the one that raters are in.

    Empty for all of them together, which is also what a campaign of one phase has.
    """
    if len(phases) < 2 or asked == "all":
        return ""
    if asked in Item.Phase.values:
        return asked
    if campaign.state == Campaign.State.PILOT:
        return Item.Phase.PILOT.value
    begun = next((each for each in phases if each.phase == Item.Phase.PRODUCTION), None)
    is_begun = begun is not None and begun.done > 0
    return (Item.Phase.PRODUCTION if is_begun else Item.Phase.PILOT).value
