"""The life of a campaign: draft, start, phases, end."""

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Count, F, Q, QuerySet
from django.http import Http404

from annotation.guidelines.versions import freeze_guidelines
from annotation.items.format_filter import excluded_answers, no_answer_left
from annotation.items.ordering import chance, order_of, seed_of
from annotation.items.rater_demand import first_wanted
from annotation.items.selection import (
    NothingToJudge,
    draw,
    most_items_a_passage,
    no_revision,
    sides_by_passage,
    sides_of,
)
from annotation.items.snapshots import BATCH, content_of, make_items
from annotation.models import Adjudication, Assignment, Campaign, Item, Judgment
from annotation.quality_control.reference_answers import copy_settings
from annotation.questionnaires import load_questionnaire, questionnaire_of
from annotation.raters import consent
from pipeline.data.bulk_insert import insert_rows
from pipeline.data.deletion import locked_for_deletion
from pipeline.data.slugs import create_named
from pipeline.engine.loading import load_splitter
from pipeline.models import Run
from rarrweb.accounts import audit
from rarrweb.accounts.models import User
from rarrweb.web.deletion import DeletionPreview

# Used in addresses under /campaigns/.
RESERVED_SLUGS = {"new", "join"}

PILOT = ("pilot_size", "pilot_raters")
ADVANCED = ("may_repeat_passages", "max_raters", *PILOT, "options", "excluded_problems", "seed")
BASIC = ("runs", "questionnaire", "sides", "raters_per_item", "sample_size")
SETTINGS = (*BASIC, "excludes_copied", *ADVANCED)
"""A draft's settings besides its name; copied with it."""


class CannotJudge(NothingToJudge):
    """The items have no targets of the questionnaire; the message says which."""


class AlreadyBegun(Exception):
    """The campaign has left the state in which this step begins."""

    def __init__(self, campaign: Campaign) -> None:
        super().__init__(
            f"Nothing was changed: the campaign’s state is now “{campaign.get_state_display()}”."
        )


class SettingsChanged(Exception):
    """The draft's settings are not those that were confirmed."""

    def __init__(self) -> None:
        super().__init__(
            "Nothing was started: the settings have changed since you opened the page. "
            "Read them again, then start."
        )


@transaction.atomic
def make_draft(
    *,
    name: str,
    created_by: User,
    copied_from: Campaign | None = None,
    follows: Campaign | None = None,
    **chosen: Any,
) -> Campaign:
    """Make a campaign that no rater sees yet; `chosen` are its `runs` and other `SETTINGS`.

    One that `follows` another takes its passages. An unsuitable side becomes the questionnaire's
    first. Raises `ValueError` for an unknown questionnaire or option.
    """
    runs, columns = _checked(chosen)
    campaign = create_named(
        Campaign,
        name=name,
        reserved=RESERVED_SLUGS,
        created_by=created_by,
        copied_from=copied_from,
        follows=follows,
        **columns,
    )
    campaign.runs.set(runs)
    return campaign


def fingerprint(campaign: Campaign) -> str:
    """Hash the settings that a page displays; `begin` compares it."""
    values = {field: getattr(campaign, field) for field in SETTINGS}
    values["runs"] = sorted(campaign.runs.values_list("pk", flat=True))
    return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()[:32]


def change_draft(campaign: Campaign, *, name: str, **chosen: Any) -> None:
    """Change a draft's name and `SETTINGS`, not its address; raises `AlreadyBegun`."""
    with transaction.atomic():
        _lock(campaign, Campaign.State.DRAFT)
        runs, columns = _checked({"runs": campaign.runs.all(), **chosen})
        for field, value in {"name": name, **columns}.items():
            setattr(campaign, field, value)
        campaign.save(update_fields=["name", *columns])
        campaign.runs.set(runs)


def copy_campaign(campaign: Campaign, *, created_by: User) -> Campaign:
    """Make a draft with the same settings, another seed, and none of the same passages."""
    chosen = {field: getattr(campaign, field) for field in SETTINGS}
    chosen |= {"runs": list(campaign.runs.all()), "seed": "", "excludes_copied": True}
    name = f"{campaign.name[:190]} (copy)"
    with transaction.atomic():
        made = make_draft(name=name, created_by=created_by, copied_from=campaign, **chosen)
        copy_settings(campaign, into=made)
        consent.copy_text(campaign, into=made, by=created_by)
    return made


def discard_draft(campaign: Campaign) -> None:
    """Delete a draft; raises `AlreadyBegun`."""
    with transaction.atomic():
        _lock(campaign, Campaign.State.DRAFT)
        campaign.delete()


@transaction.atomic
def begin(campaign: Campaign, *, most_passages: int | None = None, seen: str | None = None) -> None:
    """Draw the passages, freeze what raters will see, and open the first phase.

    The order depends on seed and runs alone, mixes systems, and separates the items of a passage
    (`order_of`). Items of a passage with the same content share their answers: raters judge the
    first, the others come last. A pilot has all items of its passages. A preview takes the first
    `most_passages`. `seen` is the `fingerprint` of the confirmed settings. Raises `NothingToJudge`
    (also `CannotJudge`), `AlreadyBegun` and `SettingsChanged`.
    """
    _lock(campaign, Campaign.State.DRAFT)
    if seen is not None and seen != fingerprint(campaign):
        raise SettingsChanged
    first = campaign.follows
    if first is not None and first.is_draft and most_passages is None:
        raise NothingToJudge(f"Start “{first.name}” first: this campaign takes its passages.")
    selection = draw(campaign)
    drawn = dict(islice(selection.taken.items(), most_passages))
    positions = sides_by_passage(drawn, sides_of(campaign.sides))
    seed = seed_of(campaign)
    shuffled = sorted(positions, key=lambda passage: chance(seed, "pilot", passage))
    if campaign.pilot_size and campaign.pilot_size >= len(shuffled) > 0:
        raise NothingToJudge(
            f"The pilot would take all of the {len(shuffled):,} passages and leave none for "
            "production: make it smaller."
        )
    pilot, production = shuffled[: campaign.pilot_size], shuffled[campaign.pilot_size :]
    order = _ordered(positions, pilot, production, seed=seed)
    phase_of = dict.fromkeys(pilot, Item.Phase.PILOT.value)
    kind = questionnaire_of(campaign)
    unmet = list(kind.needs)
    position = {key: number for number, key in enumerate(order, start=1)}
    items = make_items(
        sorted(drawn),
        position,
        load_splitter(settings.RARR_SPACY_MODEL),
        kind,
        seed=seed,
    )
    wanted = {phase: first_wanted(campaign, phase) for phase in Item.Phase.values}
    of_run: dict[int, Counter[int]] = defaultdict(Counter)
    first_with: dict[bytes, int] = {}  # by content: a position
    shared: dict[int, int] = {}  # position to that of the item which raters judge instead
    while batch := list(islice(items, BATCH)):
        for run, item in batch:
            phase = phase_of.get(item["passage_id"], Item.Phase.PRODUCTION.value)
            item["phase"], item["wanted"] = phase, wanted[phase]
            item["inclusion"] = drawn[item["revision_id"]].chance
            unmet = [need for need in unmet if not need.is_met(item)]
            of_run[run][item["passage_id"]] += 1
            judged_at = first_with.setdefault(content_of(item), item["position"])
            if judged_at != item["position"]:
                shared[item["position"]] = judged_at
        insert_rows(Item, [item for _, item in batch], campaign=campaign)
    made = sum(of_run.values(), Counter[int]())
    if not made:
        raise NothingToJudge(
            no_revision(list(campaign.runs.order_by("pk")), campaign.sides)
            or no_answer_left(campaign)
            or "The chosen runs have no finished revision with a sentence to judge. "
            "Wait until there is one, or choose other runs."
        )
    if unmet and most_passages is None:
        raise CannotJudge(f"{kind.title}: {unmet[0].refusal}")
    judged = {*first_with.values()}
    if len(judged) < len(order):
        positions = {
            passage: [key for key in keys if position.get(key) in judged]
            for passage, keys in positions.items()
        }
        order = _ordered(positions, pilot, production, seed=seed)
        _renumber(campaign, [position[key] for key in order], shared)
    campaign.item_count, campaign.shared_count = len(judged), len(shared)
    campaign.passage_count = len(made)
    campaign.items_per_passage = max(map(len, positions.values()))
    for run, of_passages in of_run.items():
        campaign.run_links.filter(run=run).update(
            item_count=of_passages.total(),
            passage_count=len(of_passages),
            judgeable_count=selection.judgeable.get(run, len(of_passages)),
        )
    campaign.state = Campaign.State.PILOT if pilot else Campaign.State.PRODUCTION
    campaign.excluded = excluded_answers(campaign)
    campaign.save(
        update_fields=[
            *("item_count", "shared_count", "passage_count", "items_per_passage"),
            *("state", "excluded"),
        ]
    )
    freeze_guidelines(campaign)


def _ordered(
    positions: Mapping[int, Sequence[tuple[int, str]]], *phases: Sequence[int], seed: str
) -> list[tuple[int, str]]:
    """Order the (revision, side) pairs of each phase's passages, one phase after the other."""
    parts = ({passage: positions[passage] for passage in phase} for phase in phases)
    return [key for part in parts for key in order_of(part, seed=seed)]


def _renumber(campaign: Campaign, order: Sequence[int], shared: Mapping[int, int]) -> None:
    """Number the items from 1, those at `order` first, and link those that are `shared`."""
    keys = dict(campaign.items.values_list("position", "pk"))
    # Two steps, so that no two items have the same number.
    campaign.items.update(position=F("position") + max(keys))
    rows = [
        Item(pk=keys[old], position=number)
        for number, old in enumerate([*order, *sorted(shared)], start=1)
    ]
    Item.objects.bulk_update(rows, ["position"], batch_size=BATCH)
    rows = [
        Item(pk=keys[old], shared_with_id=keys[first], wanted=0) for old, first in shared.items()
    ]
    Item.objects.bulk_update(rows, ["shared_with", "wanted"], batch_size=BATCH)


@transaction.atomic
def begin_production(campaign: Campaign) -> None:
    """Start production; raters may finish the pilot items in progress. Raises `AlreadyBegun`."""
    _lock(campaign, Campaign.State.PILOT)
    campaign.state = Campaign.State.PRODUCTION
    campaign.save(update_fields=["state"])


@transaction.atomic
def start_campaign(**chosen: Any) -> Campaign:
    campaign = make_draft(**chosen)
    begin(campaign)
    return campaign


@transaction.atomic
def close_campaign(campaign: Campaign) -> None:
    """Stop accepting answers; raises `AlreadyBegun` for a draft."""
    _lock(campaign, *Campaign.OPEN, Campaign.State.CLOSED)
    if campaign.state != Campaign.State.CLOSED:
        campaign.closed_in, campaign.state = campaign.state, Campaign.State.CLOSED
        campaign.save(update_fields=["state", "closed_in"])


@transaction.atomic
def reopen_campaign(campaign: Campaign) -> None:
    _lock(campaign, *Campaign.OPEN, Campaign.State.CLOSED)
    if campaign.state == Campaign.State.CLOSED:
        campaign.state, campaign.closed_in = campaign.closed_in or Campaign.State.PRODUCTION, ""
        campaign.save(update_fields=["state", "closed_in"])


def _checked(chosen: dict[str, Any]) -> tuple[list[Run], dict[str, Any]]:
    runs = list(chosen["runs"])
    options = list(chosen.get("options", ()))
    kind = load_questionnaire(chosen.get("questionnaire", "attribution")).with_options(options)
    side = chosen.get("sides")
    checked = {**chosen, "options": options, "sides": side if side in kind.sides else kind.sides[0]}
    del checked["runs"]
    # An estimate; `begin` counts.
    checked["items_per_passage"] = most_items_a_passage(runs, checked["sides"])
    if not kind.decisive_criteria():  # no answers to compare
        checked["max_raters"] = None
    return runs, checked


def _lock(campaign: Campaign, *states: str) -> None:
    """Lock and reload the campaign. Raises `AlreadyBegun`, or `Http404` if it is deleted."""
    rows = Campaign.objects.select_for_update(of=("self",), no_key=True)
    try:
        campaign.refresh_from_db(from_queryset=rows)
    except Campaign.DoesNotExist as error:
        raise Http404 from error
    if campaign.state not in states:
        raise AlreadyBegun(campaign)


def deletion_preview(campaign: Campaign) -> DeletionPreview:
    given = Judgment.objects.filter(assignment__campaign=campaign, value__isnull=False)
    work = given.aggregate(n=Count("pk"), raters=Count("assignment__rater", distinct=True))
    judgments, raters = work["n"], work["raters"]
    people = campaign.memberships.count() + campaign.invitations.count()
    adjudicated = Adjudication.objects.filter(item__campaign=campaign).count()
    of_raters = "1 person" if raters == 1 else f"{raters:,} people"
    lost = (
        ("Items", f"{campaign.items.count():,}"),
        ("Judgments", f"{judgments:,} of {of_raters}" if judgments else "0"),
        ("Adjudicated answers", f"{adjudicated:,}"),
        ("Questions from raters", f"{campaign.rater_questions.count():,}"),
        ("Members and open invitations", f"{people:,}"),
        ("Accounts of participants and imported raters", f"{_accounts_of(campaign).count():,}"),
    )
    refusal = "Raters are judging in it. Close it first." if campaign.is_open else ""
    return DeletionPreview(lost=lost, refusal=refusal, is_work=judgments > 0)


def delete_campaign(campaign: Campaign) -> None:
    """Delete a campaign, with accounts that exist for it only; raises `DeletionRefused`."""
    with transaction.atomic():
        locked = locked_for_deletion(campaign, deletion_preview)
        accounts = list(_accounts_of(locked).values_list("pk", flat=True))
        audit.record("deleted", locked)
        locked.delete()
        User.objects.filter(pk__in=accounts, assignments=None, rater_questions=None).delete()


def _accounts_of(campaign: Campaign) -> QuerySet[User]:
    imported = Assignment.objects.filter(campaign=campaign, rater__is_imported=True)
    return User.objects.filter(
        Q(participation__crowd__campaign=campaign) | Q(pk__in=imported.values("rater"))
    )
