"""Campaigns: a draft, its start, its phases and its end; who takes part, how far they are."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Count, Exists, Max, OuterRef, Q, QuerySet

from annotation import consent, sampling
from annotation.counters import first_wanted
from annotation.counting import decisive
from annotation.freezing import BATCH, make_items
from annotation.guidelines import freeze_guidelines
from annotation.models import Assignment, Campaign, Item, Membership
from annotation.orders import chance, order_of, seed_of
from annotation.questionnaires import load_questionnaire, questionnaire_of
from annotation.right_answers import copy_settings
from pipeline.backends.sentences import SpacySplitter
from pipeline.models import Revision, Run
from pipeline.naming import create_named
from pipeline.rarr.ports import SentenceSplitter
from rarrweb.accounts.models import User

# Words that the addresses under /campaigns/ use for themselves.
RESERVED_SLUGS = {"new", "join"}

SETTINGS = (
    "run", "questionnaire", "options", "sides", "raters_per_item", "most_raters", "pilot_size",
    "pilot_raters", "sampling", "sample_size", "seed", "may_repeat_passages", "leaves_out_copied",
)  # fmt: skip
"""What a draft says of itself beside its name, and what a copy begins with."""


class NothingToJudge(ValueError):
    """A campaign would have no items."""


class AlreadyBegun(Exception):
    """The campaign is not in the state that this step begins from; somebody took it meanwhile."""

    def __init__(self, campaign: Campaign) -> None:
        super().__init__(
            f"Nothing was changed: the campaign is in the state “{campaign.get_state_display()}” "
            "by now."
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Outlook:
    """What a campaign over a run would hold."""

    items: int
    passages: int
    """Passages with something to judge, before any are drawn."""
    revisions: int
    """Finished revisions of the run."""
    unfinished: int
    """Revisions that wait, run or failed, and so are left out."""
    without_text: int
    """Sides left out because there is no text to judge."""


def outlook(run: Run, sides: str, *, sample_size: int | None = None) -> Outlook:
    """What there is to judge; `sample_size` where only so many passages are drawn."""
    done = Q(state=Revision.State.DONE)
    before, after = ~Q(original_text__regex=r"^\s*$"), ~Q(text__regex=r"^\s*$")
    counts = run.revisions.aggregate(
        done=Count("pk", filter=done),
        unfinished=Count("pk", filter=~done),
        before=Count("pk", filter=done & before),
        after=Count("pk", filter=done & after),
        pair=Count("pk", filter=done & before & after),
        either=Count("pk", filter=done & (before | after)),
    )
    wanted = _sides(sides)
    items = sum(counts[side] for side in wanted)
    passages = counts["either"] if sides == Campaign.Side.BOTH else items
    is_drawn = sample_size is not None and sample_size < passages
    return Outlook(
        items=sample_size * len(wanted) if is_drawn else items,
        passages=passages,
        revisions=counts["done"],
        unfinished=counts["unfinished"],
        without_text=0 if is_drawn else len(wanted) * counts["done"] - items,
    )


def make_draft(
    *, name: str, created_by: User, copied_from: Campaign | None = None, **chosen: Any
) -> Campaign:
    """A campaign that no rater sees yet; `chosen` are some of `SETTINGS`.

    Where the questionnaire has no such side, its first is taken. Raises `UnknownQuestionnaire`
    and `UnknownOption`.
    """
    return create_named(
        Campaign,
        name=name,
        fallback="campaign",
        reserved=RESERVED_SLUGS,
        created_by=created_by,
        copied_from=copied_from,
        **_checked(chosen),
    )


def change_draft(campaign: Campaign, *, name: str, **chosen: Any) -> None:
    """Give a draft another name and other `SETTINGS`; its address stays. Raises `AlreadyBegun`."""
    with transaction.atomic():
        _lock(campaign, Campaign.State.DRAFT)
        for field, value in {"name": name, **_checked(chosen)}.items():
            setattr(campaign, field, value)
        campaign.save(update_fields=["name", *chosen])


def copy_campaign(campaign: Campaign, *, created_by: User) -> Campaign:
    """A draft with the campaign's settings, and another seed; it leaves out what that judged."""
    chosen = {field: getattr(campaign, field) for field in SETTINGS}
    chosen |= {"seed": "", "leaves_out_copied": True}
    name = f"{campaign.name[:190]} (copy)"
    with transaction.atomic():
        made = make_draft(name=name, created_by=created_by, copied_from=campaign, **chosen)
        copy_settings(campaign, into=made)
        consent.copy_text(campaign, into=made, by=created_by)
    return made


def discard_draft(campaign: Campaign) -> None:
    """Delete a draft; nobody has judged in it. Raises `AlreadyBegun`."""
    with transaction.atomic():
        _lock(campaign, Campaign.State.DRAFT)
        campaign.delete()


@transaction.atomic
def begin(
    campaign: Campaign,
    *,
    splitter: SentenceSplitter | None = None,
    most_passages: int | None = None,
) -> None:
    """Draw the passages, freeze what raters will see, and open the first phase.

    The order is the same for the same seed and run, looks random, and keeps the two sides of
    a passage apart (`order_of`). A preview takes the first `most_passages`. Raises
    `NothingToJudge` and `AlreadyBegun`.
    """
    _lock(campaign, Campaign.State.DRAFT)
    drawn = dict(islice(_draw(campaign).items(), most_passages))
    seed = seed_of(campaign)
    shuffled = sorted(drawn, key=lambda key: chance(seed, "pilot", key))
    if campaign.pilot_size and campaign.pilot_size >= len(shuffled) > 0:
        raise NothingToJudge(
            f"The pilot would take all of the {len(shuffled):,} passages and leave none for "
            "production: make it smaller."
        )
    pilot, production = shuffled[: campaign.pilot_size], shuffled[campaign.pilot_size :]
    sides = _sides(campaign.sides)
    order = [
        *order_of(sorted(pilot), sides=sides, seed=seed),
        *order_of(sorted(production), sides=sides, seed=seed),
    ]
    phase_of = dict.fromkeys(pilot, Item.Phase.PILOT.value)
    items = make_items(
        _judgeable(campaign)
        if most_passages is None
        else _judgeable(campaign).filter(pk__in=drawn),
        {key: place for place, key in enumerate(order, start=1)},
        splitter or SpacySplitter(settings.RARR_SPACY_MODEL),
        questionnaire_of(campaign),
        seed=seed,
    )
    campaign.item_count = 0
    while batch := list(islice(items, BATCH)):
        for item in batch:
            item.campaign = campaign
            item.phase = phase_of.get(item.revision_id, Item.Phase.PRODUCTION.value)
            item.wanted = first_wanted(campaign, item.phase)
            item.inclusion = drawn[item.revision_id]
        Item.objects.bulk_create(batch)
        campaign.item_count += len(batch)
    if not campaign.item_count:
        raise NothingToJudge(
            f"Run {campaign.run_id} has no finished revision with a sentence to judge. "
            "Wait until it has one, or choose another run."
        )
    campaign.state = Campaign.State.PILOT if pilot else Campaign.State.PRODUCTION
    campaign.save(update_fields=["item_count", "state"])
    freeze_guidelines(campaign)


@transaction.atomic
def begin_production(campaign: Campaign) -> None:
    """From the pilot on to the rest. What raters have in hand of the pilot they may finish.

    Raises `AlreadyBegun`.
    """
    _lock(campaign, Campaign.State.PILOT)
    campaign.state = Campaign.State.PRODUCTION
    campaign.save(update_fields=["state"])


@transaction.atomic
def start_campaign(
    *,
    name: str,
    run: Run,
    sides: str,
    raters_per_item: int,
    created_by: User,
    splitter: SentenceSplitter | None = None,
    **chosen: Any,
) -> Campaign:
    """A draft that begins at once: `make_draft`, then `begin`, all or nothing."""
    campaign = make_draft(
        name=name,
        created_by=created_by,
        run=run,
        sides=sides,
        raters_per_item=raters_per_item,
        **chosen,
    )
    begin(campaign, splitter=splitter)
    return campaign


@transaction.atomic
def close_campaign(campaign: Campaign) -> None:
    """Take no more answers; what is saved stays. A draft has nothing to close."""
    _lock(campaign, *Campaign.OPEN, Campaign.State.CLOSED)
    campaign.state = Campaign.State.CLOSED
    campaign.save(update_fields=["state"])


@transaction.atomic
def reopen_campaign(campaign: Campaign) -> None:
    """Go on in the phase in which it was closed."""
    _lock(campaign, *Campaign.OPEN, Campaign.State.CLOSED)
    if campaign.state == Campaign.State.CLOSED:
        handed_out = Assignment.objects.filter(
            item__campaign=campaign, item__phase=Item.Phase.PRODUCTION, purpose=""
        )
        was_pilot = campaign.pilot_size and not handed_out.exists()
        campaign.state = Campaign.State.PILOT if was_pilot else Campaign.State.PRODUCTION
        campaign.save(update_fields=["state"])


def add_member(campaign: Campaign, *, user: User, role: str = Membership.Role.ANNOTATOR) -> bool:
    """Let the user take part; False when they did already."""
    _, is_new = Membership.objects.get_or_create(campaign=campaign, user=user, role=role)
    return is_new


def remove_member(membership: Membership) -> None:
    """The person sees the campaign no more; what they judged stays and counts."""
    membership.delete()


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterProgress:
    """How far one rater is, for the researcher."""

    user: User
    membership: Membership | None
    """None for somebody who was removed, and whose work still counts."""
    submitted: int = 0
    started: int = 0
    skipped: int = 0
    counted: int = 0
    """Submissions that hold a slot."""
    late: int = 0
    last_submitted: datetime | None = None
    last_lease: datetime | None = None
    """Every save renews one, so this changes with whatever the rater does."""


def members(campaign: Campaign) -> list[Membership]:
    """Everybody who takes part, in whatever role, by name."""
    return list(campaign.memberships.select_related("user").order_by("user__username"))


def counts_by_rater(campaign: Campaign) -> dict[int, dict[str, Any]]:
    """Rater id to what `RaterProgress` counts of them. One query, of all that was handed out."""
    done = Q(submitted_at__isnull=False)
    rows = (
        Assignment.objects.filter(item__campaign=campaign, purpose="")
        .order_by()
        .values("rater")
        .annotate(
            submitted=Count("pk", filter=done),
            started=Count("pk", filter=~done & Q(skipped_at=None)),
            skipped=Count("pk", filter=Q(skipped_at__isnull=False)),
            counted=Count("pk", filter=done & Q(slot__isnull=False)),
            late=Count("pk", filter=Q(is_late=True)),
            last_submitted=Max("submitted_at"),
            last_lease=Max("lease_until"),
        )
    )
    return {row.pop("rater"): row for row in rows}


def rater_progress(
    campaign: Campaign,
    memberships: Sequence[Membership] | None = None,
    counts: Mapping[int, Mapping[str, Any]] | None = None,
) -> list[RaterProgress]:
    """Everybody who judges or has judged, by name; `memberships` and `counts` where they are
    known already."""
    counts = counts_by_rater(campaign) if counts is None else counts
    judging = {
        membership.user_id: membership
        for membership in (members(campaign) if memberships is None else memberships)
        if membership.role == Membership.Role.ANNOTATOR
    }
    people = [membership.user for membership in judging.values()]
    if removed := counts.keys() - judging.keys():
        people += User.objects.filter(pk__in=removed)
    return [
        RaterProgress(user=person, membership=judging.get(person.pk), **counts.get(person.pk, {}))
        for person in sorted(people, key=lambda person: person.username)
    ]


def _checked(chosen: dict[str, Any]) -> dict[str, Any]:
    """The settings, with a side that the questionnaire has."""
    unknown = chosen.keys() - set(SETTINGS)
    if unknown:
        raise TypeError(f"{sorted(unknown)} are no settings of a campaign.")
    kind = load_questionnaire(chosen.get("questionnaire", "attribution"))
    options = list(chosen.get("options", ()))
    kind = kind.with_options(options)
    side = chosen.get("sides")
    checked = {**chosen, "options": options, "sides": side if side in kind.sides else kind.sides[0]}
    if not decisive(kind):  # nothing that could be the same, so nobody can be asked to break a tie
        checked["most_raters"] = None
    return checked


def _lock(campaign: Campaign, *states: str) -> None:
    """Hold the campaign, and read its state afresh. Raises `AlreadyBegun`."""
    rows = Campaign.objects.select_for_update(of=("self",), no_key=True)
    campaign.state = rows.values_list("state", flat=True).get(pk=campaign.pk)
    if campaign.state not in states:
        raise AlreadyBegun(campaign)


def _judgeable(campaign: Campaign) -> QuerySet[Revision]:
    """The finished revisions that the campaign may take."""
    revisions = campaign.run.revisions.filter(state=Revision.State.DONE)
    if campaign.copied_from_id and campaign.leaves_out_copied:
        judged = Item.objects.filter(
            campaign=campaign.copied_from_id, revision__passage=OuterRef("passage")
        )
        revisions = revisions.exclude(Exists(judged))
    return revisions


def _draw(campaign: Campaign) -> dict[int, float]:
    """Revision to the chance it had, of those that are taken."""
    revisions = _judgeable(campaign)
    if campaign.sampling == Campaign.Sampling.ALL or campaign.sample_size is None:
        return dict.fromkeys(revisions.values_list("pk", flat=True), 1.0)
    blank = {"before": Q(original_text__regex=r"^\s*$"), "after": Q(text__regex=r"^\s*$")}
    if campaign.sides == Campaign.Side.BOTH:
        revisions = revisions.exclude(blank["before"] & blank["after"])
    elif campaign.sides == Campaign.Side.PAIR:
        revisions = revisions.exclude(blank["before"] | blank["after"])
    else:
        revisions = revisions.exclude(blank[campaign.sides])
    is_doubtful = campaign.sampling == Campaign.Sampling.UNCERTAIN
    sides = [side for side in ("before", "after") if campaign.sides in {side, "both", "pair"}]
    rows = revisions.values_list("pk", "run_id", "sentences").order_by("pk")
    passages = [
        sampling.Passage(
            key=key,
            stratum=str(run),
            doubt=sampling.doubt_of(
                [each.get("entailed") for side in sides for each in (sentences.get(side) or [])]
            )
            if is_doubtful
            else 1.0,
        )
        for key, run, sentences in rows.iterator()
    ]
    draw = sampling.draw_doubtful if is_doubtful else sampling.draw_evenly
    return draw(passages, campaign.sample_size, seed=seed_of(campaign), chance=chance)


def _sides(sides: str) -> tuple[str, ...]:
    if sides == Campaign.Side.BOTH:
        return (Item.Side.BEFORE.value, Item.Side.AFTER.value)
    return (sides,)
