"""What a campaign takes of its runs."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, NamedTuple

from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet

from annotation.items.format_filter import without_problems
from annotation.items.ordering import chance, seed_of
from annotation.items.sampling import EligiblePassage, draw_evenly
from annotation.items.snapshots import content_of, make_items
from annotation.models import Campaign, Item
from annotation.questionnaires import questionnaire_of
from annotation.questionnaires.types import Questionnaire
from pipeline.engine.loading import load_splitter
from pipeline.models import Revision, Run

_BEFORE, _AFTER = ~Q(original_text__regex=r"^\s*$"), ~Q(text__regex=r"^\s*$")
HAS_TEXT: dict[str, Q] = {
    Campaign.Side.BEFORE: _BEFORE,
    Campaign.Side.AFTER: _AFTER,
    Campaign.Side.BOTH: _BEFORE | _AFTER,
    Campaign.Side.PAIR: _BEFORE & _AFTER,
}
"""The condition for revisions that campaigns with these sides can judge."""

SAMPLE = 100
"""Passages whose items a preview compares."""


class NothingToJudge(ValueError):
    """A campaign, or a phase of it, would have no items."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stratum:
    """What a campaign would take of one run."""

    run: Run
    revisions: int
    """Only finished ones."""
    unfinished: int
    passages: int
    drawn: int
    items: int
    without_text: int
    """Sides without a text; 0 for imported texts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectionPreview:
    """What a campaign would take of its runs."""

    strata: tuple[Stratum, ...]
    items_per_passage: int
    """The most items of one passage that raters judge; an upper bound above `SAMPLE` passages."""
    shared: int = 0
    """Items that share the answers of another (`with_shared`)."""
    items: int
    """This and the next five are the sums over the strata."""
    passages: int
    drawn: int
    revisions: int
    unfinished: int
    without_text: int

    @property
    def judged(self) -> int:
        """Return the number of items that raters judge."""
        return self.items - self.shared

    @property
    def noun(self) -> str:
        """Return "answer" or "revision", or "text" for both."""
        nouns = {each.run.noun for each in self.strata}
        return nouns.pop() if len(nouns) == 1 else "text"


def preview_selection(
    runs: Sequence[Run],
    sides: str,
    *,
    sample_size: int | None = None,
    without: Campaign | None = None,
    leave_out: Sequence[str] = (),
) -> SelectionPreview:
    """Count passages and items, in one query.

    `sample_size` limits the passages of each run, `without` excludes those of a campaign,
    `leave_out` answers with formal problems.
    """
    done = Q(state=Revision.State.DONE)
    revisions = _revisions_of(runs, without, leave_out)
    rows = revisions.values("run").annotate(
        done=Count("pk", filter=done),
        unfinished=Count("pk", filter=~done),
        **{each: Count("pk", filter=done & has_text) for each, has_text in HAS_TEXT.items()},
    )
    counts: dict[int, Mapping[str, Any]] = {row["run"]: row for row in rows}
    wanted = sides_of(sides)
    none = {"done": 0, "unfinished": 0} | dict.fromkeys(HAS_TEXT, 0)
    strata = []
    for run in runs:
        row = counts.get(run.pk, none)
        items = sum(row[side] for side in wanted)
        passages = row[sides]
        drawn = min(passages, sample_size or passages)
        strata.append(
            Stratum(
                run=run,
                revisions=row["done"],
                unfinished=row["unfinished"],
                passages=passages,
                drawn=drawn,
                items=round(items * drawn / passages) if drawn else 0,
                without_text=0
                if drawn < passages or not run.has_revised_texts
                else len(wanted) * row["done"] - items,
            )
        )
    names = ("items", "passages", "drawn", "revisions", "unfinished", "without_text")
    sums = {name: sum(getattr(each, name) for each in strata) for name in names}
    most = most_items_a_passage(runs, sides)
    return SelectionPreview(strata=tuple(strata), items_per_passage=most, **sums)


def with_shared(
    preview: SelectionPreview,
    sides: str,
    questionnaire: Questionnaire,
    *,
    without: Campaign | None = None,
    leave_out: Sequence[str] = (),
) -> SelectionPreview:
    """Estimate `shared` from the items of about `SAMPLE` passages. Two queries at most."""
    runs = [each.run for each in preview.strata]
    if preview.items_per_passage == 1 or not preview.items:
        return preview
    step = max(1, max(each.passages for each in preview.strata) // SAMPLE)
    revisions = _revisions_of(runs, without, leave_out).filter(state=Revision.State.DONE)
    some = revisions.annotate(part=F("passage") % step).filter(part=0)
    keys = list(some.values_list("pk", flat=True))
    positions = dict.fromkeys(product(keys, sides_of(sides)), 1)
    made = make_items(keys, positions, load_splitter("blank"), questionnaire, seed="")
    items = [item for _, item in made]
    passages = {content_of(item): item["passage_id"] for item in items}
    if not items:
        return preview
    most = preview.items_per_passage if step > 1 else max(Counter(passages.values()).values())
    shared = round(preview.items * (1 - len(passages) / len(items)))
    return replace(preview, shared=shared, items_per_passage=most)


def preview_draft(campaign: Campaign) -> SelectionPreview:
    """Four queries at most."""
    excluded: dict[str, Any] = {
        "without": _excluded_campaign(campaign),
        "leave_out": campaign.excluded_problems,
    }
    preview = preview_selection(
        list(campaign.runs.select_related("dataset").order_by("pk")),
        campaign.sides,
        sample_size=campaign.sample_size,
        **excluded,
    )
    return with_shared(preview, campaign.sides, questionnaire_of(campaign), **excluded)


def _revisions_of(
    runs: Sequence[Run], without: Campaign | None, leave_out: Sequence[str]
) -> QuerySet[Revision]:
    revisions: QuerySet[Revision] = Revision.objects.filter(run__in=runs).order_by()
    if without is not None:
        revisions = _without_those_of(without, revisions)
    return without_problems(revisions, leave_out)


class Taken(NamedTuple):
    passage: int
    chance: float
    """The inclusion probability."""


def judgeable(campaign: Campaign) -> QuerySet[Revision]:
    """Return the finished revisions that the campaign may take."""
    revisions: QuerySet[Revision] = Revision.objects.filter(
        run__in=campaign.runs.order_by().values("pk"), state=Revision.State.DONE
    )
    revisions = without_problems(revisions, campaign.excluded_problems)
    excluded = _excluded_campaign(campaign)
    return revisions if excluded is None else _without_those_of(excluded, revisions)


@dataclass(frozen=True, slots=True, kw_only=True)
class Draw:
    taken: dict[int, Taken]
    """By revision id."""
    judgeable: dict[int, int]
    """Run to number of passages; empty if all are taken."""


def draw(campaign: Campaign) -> Draw:
    """Draw the passages of a campaign; each run is a stratum.

    Runs over one dataset draw the same passages, if both have them.
    """
    if campaign.follows is not None and not campaign.follows.is_draft:
        return _drawn_by(campaign.follows)
    revisions = judgeable(campaign)
    if campaign.sample_size is None:
        every = revisions.order_by("pk").values_list("pk", "passage_id")
        taken = {key: Taken(passage, 1.0) for key, passage in every.iterator()}
        return Draw(taken=taken, judgeable={})
    revisions = revisions.filter(HAS_TEXT[campaign.sides])
    rows = revisions.values_list("pk", "passage_id", "run_id").order_by("pk")
    passages = [
        EligiblePassage(key=key, stratum=str(run), unit=passage)
        for key, passage, run in rows.iterator()
    ]
    counts = Counter(passage.stratum for passage in passages)
    drawn = draw_evenly(passages, campaign.sample_size, seed=seed_of(campaign), chance=chance)
    of_revision = {passage.key: passage.unit or 0 for passage in passages}
    return Draw(
        taken={key: Taken(of_revision[key], share) for key, share in drawn.items()},
        judgeable={int(run): count for run, count in counts.items()},
    )


def _drawn_by(campaign: Campaign) -> Draw:
    rows = campaign.items.order_by("revision").values_list("revision", "passage", "inclusion")
    counts = campaign.run_links.values_list("run", "judgeable_count")
    return Draw(
        taken={revision: Taken(passage, share) for revision, passage, share in rows.distinct()},
        judgeable={run: count for run, count in counts if count is not None},
    )


def no_revision(runs: Sequence[Run], sides: str) -> str:
    """Return the error if all runs lack revised texts, else ""."""
    if not runs or sides == Campaign.Side.BEFORE or any(run.has_revised_texts for run in runs):
        return ""
    if sides == Campaign.Side.PAIR:
        return "These texts have no revision to compare. Choose a run that revises passages."
    return "These texts have no revision. Judge them before revision, or choose other runs."


def most_items_a_passage(runs: Sequence[Run], sides: str) -> int:
    over_one_dataset = max(Counter(run.dataset_id for run in runs).values(), default=1)
    return over_one_dataset * len(sides_of(sides))


def sides_of(sides: str) -> tuple[str, ...]:
    """Return the sides of the items."""
    if sides == Campaign.Side.BOTH:
        return (Item.Side.BEFORE.value, Item.Side.AFTER.value)
    return (sides,)


def sides_by_passage(
    drawn: Mapping[int, Taken], sides: Sequence[str]
) -> dict[int, list[tuple[int, str]]]:
    """Return passage → (revision, side) of its items."""
    by_passage: dict[int, list[tuple[int, str]]] = {}
    for revision, taken in sorted(drawn.items()):
        by_passage.setdefault(taken.passage, []).extend((revision, side) for side in sides)
    return by_passage


def _excluded_campaign(campaign: Campaign) -> Campaign | None:
    return campaign.copied_from if campaign.excludes_copied else None


def _without_those_of(campaign: Campaign, revisions: QuerySet[Revision]) -> QuerySet[Revision]:
    judged = Item.objects.filter(campaign=campaign.pk, passage=OuterRef("passage"))
    return revisions.exclude(Exists(judged))
