"""The list of a run's revisions or answers."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial, reduce
from operator import or_

from django.db.models import Count, F, Q
from django.http import QueryDict

from pipeline.diff.words import Piece, first_change, word_diff
from pipeline.generation.answer_format import PROBLEMS, UNCITED, UNKNOWN_SOURCE
from pipeline.metrics.citation_support import ENTAILED
from pipeline.models import Passage, Revision, RevisionQuerySet, Run
from pipeline.pages.answer_page import AnswerPage
from pipeline.pages.revision_page import RevisionPage, TraceRow
from pipeline.pages.sentence_pairs import MarkedSentence, diff_by_sentence
from pipeline.pages.stored_page import stored_answer, stored_page
from rarrweb.web.listing import Filter, ListColumn, Listing, ListPage, ListQuery

LISTED = frozenset({"accepted", "rejected", "error"})


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffSentence:
    sentence: MarkedSentence
    pieces: tuple[Piece, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageColumn:
    run: Run
    revision: Revision | None
    """None if the run does not have the passage."""
    page: RevisionPage | None
    """None if there is no result, or it cannot be read."""
    sentences: tuple[DiffSentence, ...]
    pieces: tuple[Piece, ...]
    """The whole diff, if no sentence of y has a mark."""
    trace: tuple[TraceRow, ...]
    """The rows with an edit or an error."""
    answer: AnswerPage | None
    """Of a run that answers, instead of a revision."""

    @property
    def prefix(self) -> str:
        """Prefix of HTML ids in this column."""
        return f"run-{self.run.pk}-"


def passage_columns(passage: Passage, runs: Sequence[Run]) -> list[PassageColumn]:
    """Return a column per run, with one query."""
    rows = Revision.objects.filter(passage=passage, run__in=list(runs)).defer("calls")
    by_run = {row.run_id: row for row in rows}
    return [_column(run, by_run.get(run.pk)) for run in runs]


def diff_sentences(page: RevisionPage) -> tuple[DiffSentence, ...]:
    """Return the sentences of y; none if it is empty."""
    pieces = word_diff(page.result.passage.text, page.result.text)
    stretches = diff_by_sentence(pieces, page.result.text, page.scores.after)
    return tuple(
        DiffSentence(sentence=sentence, pieces=stretches[sentence.number - 1])
        for pair in page.pairs
        for sentence in pair.after
    )


def _column(run: Run, revision: Revision | None) -> PassageColumn:
    page = answer = None
    sentences: tuple[DiffSentence, ...] = ()
    pieces: tuple[Piece, ...] = ()
    if revision is not None:
        revision.run = run
        if run.shows_answers:
            answer = stored_answer(revision)
        else:
            page = stored_page(revision)
        if revision.state == Revision.State.DONE:
            sentences = diff_sentences(page) if page else ()
            if not sentences and not answer:
                old = revision.original_text
                pieces = word_diff(old, old if run.shows_answers else revision.text)
    return PassageColumn(
        run=run,
        revision=revision,
        page=page,
        sentences=sentences,
        pieces=pieces,
        trace=tuple(row for row in page.trace if row.css_class in LISTED) if page else (),
        answer=answer,
    )


CLIP = 220

FILTERS: dict[str, tuple[str, Q]] = {
    "all": ("all", Q()),
    "changed": ("changed", Q(state=Revision.State.DONE, is_changed=True)),
    "failed": ("failed", Q(state=Revision.State.FAILED)),
    "rejected": ("edits rejected", Q(edits_rejected__gt=0)),
    "up": ("attribution up", Q(attribution_after__gt=F("attribution_before"))),
    "down": ("attribution down", Q(attribution_after__lt=F("attribution_before"))),
}

_figure = partial(ListColumn, may_be_none=True, is_number=True)
REVISIONS = Listing(
    columns=(
        ListColumn("passage", "Passage"),
        ListColumn("change", "First change"),
        _figure(
            "attribution",
            "Attribution",
            note="auto-AIS, before → after",
            order=F("attribution_after"),
        ),
        _figure("preservation", "Preservation", note="Levenshtein", order=F("preservation")),
        ListColumn(
            "edits", "Edits", note="accepted / rejected", order=F("edits_rejected"), is_number=True
        ),
        ListColumn("state", "State", order=F("state")),
    ),
    filters=(Filter("filter", "Filter", FILTERS),),
    search=("original_text", "text", "passage__external_id"),
    search_label="Search passages, revisions and passage ids",
)


def _with_problem(name: str) -> Q:
    """Match a format problem; SQLite has no "contains"."""
    indices = range(len(PROBLEMS))
    return reduce(or_, (Q(**{f"generation__problems__{index}": name}) for index in indices))


_DONE = Q(state=Revision.State.DONE)
ANSWER_FILTERS: dict[str, tuple[str, Q]] = {
    "all": ("all", Q()),
    "failed": ("failed", Q(state=Revision.State.FAILED)),
    "low": ("recall below 0.5", Q(citation_recall__lt=ENTAILED)),
    "uncited": ("nothing cited", _DONE & _with_problem(UNCITED)),
    "unknown": ("no such source", _DONE & _with_problem(UNKNOWN_SOURCE)),
    "form": ("format problems", _DONE & Q(generation__problems__0__isnull=False)),
}
ANSWERS = Listing(
    columns=(
        ListColumn("passage", "Question"),
        ListColumn("change", "Answer"),
        _figure("recall", "Citation recall", order=F("citation_recall")),
        _figure("precision", "Citation precision", order=F("citation_precision")),
        _figure("correctness", "Correctness", order=F("correctness")),
        _figure("attribution", "Auto-AIS", note="over all sources", order=F("attribution_before")),
        ListColumn("state", "State", order=F("state")),
    ),
    filters=(Filter("filter", "Filter", ANSWER_FILTERS),),
    search=("original_text", "context", "passage__external_id"),
    search_label="Search questions, answers and passage ids",
)

_LARGE = (
    *("result", "calls", "sentences", "citation_scores", "generation"),
    *("passage__text", "passage__context", "passage__source"),
)
"""Columns that the list does not read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FilterChip:
    label: str
    count: int
    query: str
    is_current: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class RevisionRow:
    revision: Revision
    change: tuple[Piece, ...]
    """The first difference, if any."""
    clip: str
    """The passage's beginning, for a row without a change."""
    direction: str
    """Of attribution: "up", "down", "level", or "" if unknown."""
    query: str
    """Query string that makes its page navigate the same list."""


def filter_chips(revisions: RevisionQuerySet, list_query: ListQuery) -> tuple[FilterChip, ...]:
    """Return the filters with numbers of rows, with one query."""
    filters = list_query.listing.filters[0].choices
    wanted = {f"count_{name}": Count("pk", filter=each) for name, (_, each) in filters.items()}
    counts = replace(list_query, chosen={"filter": "all"}).narrow(revisions).aggregate(**wanted)
    return tuple(
        FilterChip(
            label=label,
            count=counts[f"count_{name}"],
            query=replace(list_query, chosen={"filter": name}).query(),
            is_current=name == list_query.chosen["filter"],
        )
        for name, (label, _) in filters.items()
    )


def listing_of(run: Run) -> Listing:
    return ANSWERS if run.shows_answers else REVISIONS


def listed(revisions: RevisionQuerySet, query: QueryDict, listing: Listing = REVISIONS) -> ListPage:
    """Return a page of `RevisionRow`s."""
    listed_page = listing.read(revisions.select_related("passage").defer(*_LARGE), query)
    rows = [read_row(revision, listed_page) for revision in listed_page.page.rows]
    return replace(listed_page, page=replace(listed_page.page, rows=rows))


def first_rows(run: Run, most: int = 3) -> list[RevisionRow]:
    """Return the first finished rows, changed ones first."""
    done = Revision.objects.filter(run=run, state=Revision.State.DONE).select_related("passage")
    everything = listing_of(run).parse(QueryDict())
    some = done.defer(*_LARGE).order_by("-is_changed", "pk")[:most]
    return [read_row(revision, everything, before=20) for revision in some]


def read_row(revision: Revision, list_query: ListQuery, *, before: int = 60) -> RevisionRow:
    is_changed = revision.state == Revision.State.DONE and revision.is_changed
    clip = " ".join(revision.original_text[: 2 * CLIP].split())
    return RevisionRow(
        revision=revision,
        change=first_change(revision.original_text, revision.text, before=before)
        if is_changed
        else (),
        clip=clip if len(clip) <= CLIP else f"{clip[:CLIP].rsplit(' ', 1)[0]}…",
        direction=direction(revision.attribution_before, revision.attribution_after),
        query=list_query.query(),
    )


def direction(before: float | None, after: float | None) -> str:
    """Return "up", "down", "level", or "" if a side is unknown."""
    if before is None or after is None:
        return ""
    return "up" if after > before else "down" if after < before else "level"


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbours:
    """A revision's position in a filtered list."""

    previous: int | None
    next: int | None
    position: int
    """From 1; 0 if the list does not contain the revision."""
    total: int
    label: str
    """Name of the filter."""
    query: str


def find_neighbours(revisions: RevisionQuerySet, list_query: ListQuery, pk: int) -> Neighbours:
    order = list_query.order
    among = revisions.annotate(listed_by=order.by)
    rows = list_query.narrow(among)
    before, after = order.around(among, pk) or (Q(pk=None), Q(pk=None))
    figures = rows.aggregate(
        before=Count("pk", filter=before), same=Count("pk", filter=Q(pk=pk)), total=Count("pk")
    )
    keys = rows.values_list("pk", flat=True)
    return Neighbours(
        previous=order.sort(keys.filter(before), backwards=True).first(),
        next=order.sort(keys.filter(after)).first(),
        position=figures["before"] + 1 if figures["same"] else 0,
        total=figures["total"],
        label=list_query.listing.filters[0].choices[list_query.chosen["filter"]][0],
        query=list_query.query(),
    )
