"""The passages of a run as a list, revised or answered: filtered, searched, paged by key."""

from dataclasses import dataclass, replace
from functools import partial, reduce
from operator import or_

from django.db.models import Count, F, Q
from django.http import QueryDict

from pipeline.diff.words import Piece, first_change
from pipeline.generation.answer_format import PROBLEMS, UNCITED, UNKNOWN_SOURCE
from pipeline.metrics.citation_support import ENTAILED
from pipeline.models import Revision, RevisionQuerySet, Run
from rarrweb.web.listing import Column, Filter, Listing, ListPage, ListQuery

CLIP = 220

# Name in the address → what the chip says, and which rows it keeps.
FILTERS: dict[str, tuple[str, Q]] = {
    "all": ("all", Q()),
    "changed": ("changed", Q(state=Revision.State.DONE, is_changed=True)),
    "failed": ("failed", Q(state=Revision.State.FAILED)),
    "rejected": ("edits rejected", Q(edits_rejected__gt=0)),
    "up": ("attribution up", Q(attribution_after__gt=F("attribution_before"))),
    "down": ("attribution down", Q(attribution_after__lt=F("attribution_before"))),
}

_figure = partial(Column, may_be_none=True, is_number=True)
REVISIONS = Listing(
    columns=(
        Column("passage", "Passage"),
        Column("change", "First change"),
        _figure(
            "attribution",
            "Attribution",
            note="auto-AIS, before → after",
            order=F("attribution_after"),
        ),
        _figure("preservation", "Preservation", note="Levenshtein", order=F("preservation")),
        Column("edits", "Edits", note="kept / rejected", order=F("edits_rejected"), is_number=True),
        Column("state", "State", order=F("state")),
    ),
    filters=(Filter("filter", "Filter", FILTERS),),
    search=("original_text", "text", "passage__external_id"),
    search_label="Search passages, revisions and passage ids",
)


def _with_problem(name: str) -> Q:
    """Answers with this problem of form, anywhere in the list: SQLite has no "contains"."""
    places = (Q(**{f"generation__problems__{place}": name}) for place in range(len(PROBLEMS)))
    return reduce(or_, places)


_DONE = Q(state=Revision.State.DONE)
ANSWER_FILTERS: dict[str, tuple[str, Q]] = {
    "all": ("all", Q()),
    "failed": ("failed", Q(state=Revision.State.FAILED)),
    "low": ("recall below 0.5", Q(citation_recall__lt=ENTAILED)),
    "uncited": ("nothing cited", _DONE & _with_problem(UNCITED)),
    "unknown": ("no such source", _DONE & _with_problem(UNKNOWN_SOURCE)),
    "form": ("problems of form", _DONE & Q(generation__problems__0__isnull=False)),
}
ANSWERS = Listing(
    columns=(
        Column("passage", "Question"),
        Column("change", "Answer"),
        _figure("recall", "Citation recall", order=F("citation_recall")),
        _figure("precision", "Citation precision", order=F("citation_precision")),
        _figure("correctness", "Correctness", order=F("correctness")),
        _figure("attribution", "Auto-AIS", note="over all sources", order=F("attribution_before")),
        Column("state", "State", order=F("state")),
    ),
    filters=(Filter("filter", "Filter", ANSWER_FILTERS),),
    search=("original_text", "context", "passage__external_id"),
    search_label="Search questions, answers and passage ids",
)

# What a row shows. Other JSON columns are far larger than all of these together.
_COLUMNS = (
    "run_id",
    "state",
    "original_text",
    "text",
    "is_changed",
    "edits_kept",
    "edits_rejected",
    "error_count",
    "attribution_before",
    "attribution_after",
    "preservation",
    "citation_recall",
    "citation_precision",
    "correctness",
    "context",
    "failure",
    "failure_message",
    "passage__external_id",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class FilterChip:
    label: str
    count: int
    query: str
    is_current: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One line of the list."""

    revision: Revision
    change: tuple[Piece, ...]
    """The first place that differs; empty where nothing does."""
    clip: str
    """The passage's beginning, for a row without a change."""
    direction: str
    """Attribution went "up", "down", stayed "level", or "" where it is not known."""
    query: str
    """What its address carries, so that its page can walk the same list."""


def filter_chips(revisions: RevisionQuerySet, asked: ListQuery) -> tuple[FilterChip, ...]:
    """A chip for each filter with the rows it would show; one query for all the counts."""
    filters = asked.listing.filters[0].choices
    of_filter = {name: replace(asked, chosen={"filter": name}) for name in filters}
    counts = (
        of_filter["all"]
        .narrow(revisions)
        .aggregate(
            **{f"count_{name}": Count("pk", filter=wanted) for name, (_, wanted) in filters.items()}
        )
    )
    return tuple(
        FilterChip(
            label=label,
            count=counts[f"count_{name}"],
            query=of_filter[name].query(),
            is_current=name == asked.chosen["filter"],
        )
        for name, (label, _) in filters.items()
    )


def listing_of(run: Run) -> Listing:
    """How the passages of a run are listed: as revisions, or as answers with citations."""
    return ANSWERS if run.shows_answers else REVISIONS


def listed(revisions: RevisionQuerySet, query: QueryDict, listing: Listing = REVISIONS) -> ListPage:
    """The page of the revisions that an address asks for, each as a `Row`."""
    rows = revisions.select_related("passage").only(*_COLUMNS)
    found = listing.read(rows, query)
    shown = [read_row(revision, found) for revision in found.page.rows]
    return replace(found, page=replace(found.page, rows=shown))


def read_row(revision: Revision, asked: ListQuery) -> Row:
    is_changed = revision.state == Revision.State.DONE and revision.is_changed
    clip = " ".join(revision.original_text[: 2 * CLIP].split())
    return Row(
        revision=revision,
        change=first_change(revision.original_text, revision.text, before=60) if is_changed else (),
        clip=clip if len(clip) <= CLIP else f"{clip[:CLIP].rsplit(' ', 1)[0]}…",
        direction=direction(revision.attribution_before, revision.attribution_after),
        query=asked.query(),
    )


def direction(before: float | None, after: float | None) -> str:
    """Where a figure went: "up", "down", "level", or "" where one side is not known."""
    if before is None or after is None:
        return ""
    return "up" if after > before else "down" if after < before else "level"


@dataclass(frozen=True, slots=True, kw_only=True)
class Walk:
    """Where a revision stands in the list that a person walks through."""

    previous: int | None
    next: int | None
    place: int
    """From 1; 0 where the list does not hold the revision (any more)."""
    total: int
    label: str
    """What the list holds: "changed", …"""
    query: str


def walk(revisions: RevisionQuerySet, asked: ListQuery, pk: int) -> Walk:
    """The keys before and after `pk` among the rows that an address asks for, in its order."""
    order = asked.order
    among = revisions.annotate(listed_by=order.by)
    kept = asked.narrow(among)
    before, after = order.around(among, pk) or (Q(pk=None), Q(pk=None))
    figures = kept.aggregate(
        place=Count("pk", filter=before), here=Count("pk", filter=Q(pk=pk)), total=Count("pk")
    )
    keys = kept.values_list("pk", flat=True)
    return Walk(
        previous=order.sort(keys.filter(before), backwards=True).first(),
        next=order.sort(keys.filter(after)).first(),
        place=figures["place"] + 1 if figures["here"] else 0,
        total=figures["total"],
        label=asked.listing.filters[0].choices[asked.chosen["filter"]][0],
        query=asked.query(),
    )
