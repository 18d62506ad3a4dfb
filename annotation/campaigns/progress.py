"""Progress of campaigns and raters, counted without reading texts."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, F, Max, Q, QuerySet, Sum

from annotation.judging.claims import campaigns_of_rater, count_left
from annotation.models import Assignment, Campaign, Item, Membership
from rarrweb.accounts.models import User


@dataclass(frozen=True, slots=True)
class PhaseProgress:
    phase: str
    items: int
    wanted: int
    """Submissions that its items need; disagreement adds some."""
    done: int
    """Valid submissions."""
    complete: int
    """Items that need no more raters."""

    @property
    def is_complete(self) -> bool:
        return self.complete >= self.items


def phases_of(campaigns: Iterable[Campaign]) -> defaultdict[int, list[PhaseProgress]]:
    """Return each campaign's phases that have items, the pilot first. One query.

    Training and gold items are excluded.
    """
    # The index `annotation_item_progress` has all of these columns.
    rows = (
        Item.objects.filter(campaign__in=list(campaigns), wanted__gt=0)
        .order_by()
        .values_list("campaign", "phase")
        .annotate(
            items=Count("done"),
            all_wanted=Sum("wanted"),
            all_done=Sum("done"),
            complete=Count("done", filter=Q(done__gte=F("wanted"))),
        )
    )
    by_campaign: defaultdict[int, list[PhaseProgress]] = defaultdict(list)
    for campaign, *counts in sorted(rows):
        by_campaign[campaign].append(PhaseProgress(*counts))
    return by_campaign


def selected_phase(campaign: Campaign, phases: list[PhaseProgress], requested: str | None) -> str:
    """Return the phase to display: the requested one, or that which raters are in.

    Empty for all phases together.
    """
    if len(phases) < 2 or requested == "all":
        return ""
    if requested in Item.Phase.values:
        return requested
    if campaign.state == Campaign.State.PILOT:
        return Item.Phase.PILOT.value
    has_begun = any(each.done for each in phases if each.phase == Item.Phase.PRODUCTION)
    return (Item.Phase.PRODUCTION if has_begun else Item.Phase.PILOT).value


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterProgress:
    user: User
    membership: Membership | None
    """None for a removed rater whose work counts."""
    submitted: int = 0
    started: int = 0
    skipped: int = 0
    held: int = 0
    """Started items that hold a slot."""
    late: int = 0
    last_submitted: datetime | None = None
    active_ms: int = 0


def members(campaign: Campaign) -> QuerySet[Membership]:
    people = campaign.memberships.select_related("user__participation")
    return people.order_by("user__username")


def counts_by_rater(campaign: Campaign) -> dict[int, dict[str, Any]]:
    """Return the counts of `RaterProgress` by rater id. One query."""
    done = Q(submitted_at__isnull=False)
    rows = (
        Assignment.objects.filter(item__campaign=campaign, purpose="")
        .order_by()
        .values("rater")
        .annotate(
            submitted=Count("pk", filter=done),
            started=Count("pk", filter=~done & Q(skipped_at=None)),
            skipped=Count("pk", filter=Q(skipped_at__isnull=False)),
            held=Count("pk", filter=~done & Q(slot__isnull=False)),
            late=Count("pk", filter=Q(is_late=True)),
            last_submitted=Max("submitted_at"),
            active_ms=Sum("active_ms"),
        )
    )
    return {row.pop("rater"): row for row in rows}  # type: ignore[misc]  # plain dictionaries


def rater_progress(
    memberships: Iterable[Membership], counts: Mapping[int, Mapping[str, Any]]
) -> list[RaterProgress]:
    """Return current and former raters by name, from a campaign's `counts_by_rater`."""
    judging = {
        membership.user_id: membership
        for membership in memberships
        if membership.role == Membership.Role.ANNOTATOR
    }
    people = [membership.user for membership in judging.values()]
    if removed := counts.keys() - judging.keys():
        people += User.objects.select_related("participation").filter(pk__in=removed)
    return [
        RaterProgress(user=person, membership=judging.get(person.pk), **counts.get(person.pk, {}))
        for person in sorted(people, key=lambda person: person.username)
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class AssignedCampaign:
    campaign: Campaign
    submitted: int
    started: int
    """Claimed and not submitted."""
    skipped: int
    is_complete: bool
    """No item needs more raters."""
    left: int
    """Items left for the rater at most; other raters may take them first."""


def in_succession(campaigns: Iterable[Campaign]) -> list[Campaign]:
    """Put open campaigns directly after the open campaign that they follow."""
    given = list(campaigns)
    opened = {campaign.pk for campaign in given if campaign.is_open}
    followers: dict[int | None, list[Campaign]] = defaultdict(list)
    for campaign in given:
        follows = campaign.follows_id if campaign.is_open else None
        followers[follows if follows in opened else None].append(campaign)

    def after(campaign: int | None) -> Iterator[Campaign]:
        for follower in followers[campaign]:
            yield follower
            yield from after(follower.pk)

    return list(after(None))


def assigned_campaigns(user: User, campaigns: Iterable[Campaign]) -> list[AssignedCampaign]:
    """Return the user's progress in those of `campaigns` that they judge, in this order."""
    given = list(campaigns)
    judged = campaigns_of_rater(user).filter(pk__in=[campaign.pk for campaign in given])
    mine = set(judged.values_list("pk", flat=True))
    done, skipped = Q(submitted_at__isnull=False), Q(skipped_at__isnull=False)
    work: dict[int, list[Mapping[str, Any]]] = defaultdict(list)
    for row in (
        Assignment.objects.filter(rater_id=user.pk)
        .exclude(purpose=Item.Use.TRAINING)
        .order_by()
        .values("item__campaign", "item__phase")
        .annotate(
            submitted=Count("pk", filter=done),
            started=Count("pk", filter=~done & ~skipped),
            skipped=Count("pk", filter=skipped),
        )
    ):
        work[row["item__campaign"]].append(row)
    phases, new = phases_of(given), count_left(user, given)
    return [
        _progress_of(campaign, work[campaign.pk], phases[campaign.pk], new.get(campaign.pk, 0))
        for campaign in given
        if campaign.pk in mine
    ]


def _progress_of(
    campaign: Campaign,
    work: Sequence[Mapping[str, Any]],
    phases: Sequence[PhaseProgress],
    new: int,
) -> AssignedCampaign:
    """`work` has the rater's counts by phase; `new` counts items that they may still get."""
    current = {campaign.state} if campaign.is_open else {*Item.Phase.values}
    now = [each for each in phases if each.phase in current]
    is_complete = all(each.is_complete for each in now)
    started = sum(row["started"] for row in work)
    return AssignedCampaign(
        campaign=campaign,
        submitted=sum(row["submitted"] for row in work),
        started=started,
        skipped=sum(row["skipped"] for row in work),
        is_complete=is_complete,
        left=new + started if campaign.is_open and not is_complete else 0,
    )
