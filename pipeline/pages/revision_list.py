"""The revisions of a run as a list: narrowed by a filter and a search, paged by key."""

from dataclasses import dataclass, replace
from typing import Self
from urllib.parse import urlencode

from django.db.models import Count, F, Q
from django.http import QueryDict

from pipeline.diff.words import Piece, first_change
from pipeline.models import Revision, RevisionQuerySet
from pipeline.pages import paging
from pipeline.pages.listing import Column, Filter, Listed, Listing

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

REVISIONS = Listing(
    columns=(
        Column(name="passage", label="Passage"),
        Column(name="change", label="First change"),
        Column(
            name="before",
            label="Attribution before",
            note="auto-AIS",
            order=F("attribution_before"),
            may_be_none=True,
            falls=True,
            is_number=True,
            is_shown=False,
        ),
        Column(
            name="attribution",
            label="Attribution",
            note="auto-AIS, before → after",
            order=F("attribution_after"),
            may_be_none=True,
            falls=True,
            is_number=True,
        ),
        Column(
            name="preservation",
            label="Preservation",
            note="Levenshtein",
            order=F("preservation"),
            may_be_none=True,
            falls=True,
            is_number=True,
        ),
        Column(
            name="edits",
            label="Edits",
            note="kept / rejected",
            order=F("edits_rejected"),
            falls=True,
            is_number=True,
        ),
        Column(name="state", label="State", order=F("state")),
    ),
    filters=(Filter(name="filter", label="Filter", choices=FILTERS),),
    search=("original_text", "text", "passage__external_id"),
    search_label="Search passages, revisions and passage ids",
)

# What a row shows. The JSON columns are far larger than all of these together.
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
    "failure",
    "failure_message",
    "passage__external_id",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Narrowing:
    """Which revisions of a run a person wants to see."""

    filter: str = "all"
    search: str = ""
    sort: str = ""
    columns: tuple[str, ...] = ()
    """The chosen columns, for the address; () for the usual ones."""

    @classmethod
    def from_query(cls, query: QueryDict) -> Self:
        """Read from an address; a filter that does not exist is no filter."""
        name = query.get("filter", "all")
        return cls(
            filter=name if name in FILTERS else "all",
            search=paging.search_of(query),
            sort=REVISIONS.sort_of(query),
            columns=REVISIONS.columns_of(query),
        )

    def searched(self, revisions: RevisionQuerySet) -> RevisionQuerySet:
        """Those with the search's words in a text or in the passage's id."""
        return REVISIONS.narrow(revisions, {"filter": "all"}, self.search)

    def of(self, revisions: RevisionQuerySet) -> RevisionQuerySet:
        return REVISIONS.narrow(revisions, {"filter": self.filter}, self.search)

    def query(self, **more: object) -> str:
        """The address's query that means this, with `more` in it; "" when it means all."""
        values: dict[str, object] = {}
        if self.filter != "all":
            values["filter"] = self.filter
        if self.search:
            values["q"] = self.search
        if self.sort:
            values["sort"] = self.sort
        if self.columns:
            values["col"] = self.columns
        values.update(more)
        return f"?{urlencode(values, doseq=True)}" if values else ""


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


def filter_chips(revisions: RevisionQuerySet, narrowing: Narrowing) -> tuple[FilterChip, ...]:
    """A chip for each filter with the rows it would show; one query for all the counts."""
    counts = narrowing.searched(revisions).aggregate(
        **{f"count_{name}": Count("pk", filter=wanted) for name, (_, wanted) in FILTERS.items()}
    )
    return tuple(
        FilterChip(
            label=label,
            count=counts[f"count_{name}"],
            query=replace(narrowing, filter=name).query(),
            is_current=name == narrowing.filter,
        )
        for name, (label, _) in FILTERS.items()
    )


def listed(revisions: RevisionQuerySet, query: QueryDict) -> Listed:
    """The page of the revisions that an address asks for, each as a `Row`."""
    found = REVISIONS.read(revisions.select_related("passage").only(*_COLUMNS), query)
    narrowing = Narrowing.from_query(query)
    rows = [read_row(revision, narrowing) for revision in found.page.rows]
    return replace(found, page=replace(found.page, rows=rows))


def read_row(revision: Revision, narrowing: Narrowing) -> Row:
    is_changed = revision.state == Revision.State.DONE and revision.is_changed
    clip = " ".join(revision.original_text[: 2 * CLIP].split())
    return Row(
        revision=revision,
        change=first_change(revision.original_text, revision.text, before=60) if is_changed else (),
        clip=clip if len(clip) <= CLIP else f"{clip[:CLIP].rsplit(' ', 1)[0]}…",
        direction=direction(revision.attribution_before, revision.attribution_after),
        query=narrowing.query(),
    )


def direction(before: float | None, after: float | None) -> str:
    """Where a figure went: "up", "down", "level", or "" where one side is not known."""
    if before is None or after is None:
        return ""
    if after > before:
        return "up"
    return "down" if after < before else "level"


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


def walk(revisions: RevisionQuerySet, narrowing: Narrowing, pk: int) -> Walk:
    """The keys before and after `pk` among the rows that the narrowing keeps, in its order."""
    order = REVISIONS.order_of(narrowing.sort)
    among = revisions.annotate(listed_by=order.by)
    kept = narrowing.of(among)
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
        label=FILTERS[narrowing.filter][0],
        query=narrowing.query(),
    )
