"""The answers of a run as a list: narrowed by a filter and a search, as that of revisions."""

from collections.abc import Mapping
from functools import partial, reduce
from operator import or_

from django.db.models import F, Q

from pipeline.generation.answer_format import PROBLEMS, UNCITED, UNKNOWN_SOURCE
from pipeline.metrics.citation_support import ENTAILED
from pipeline.models import Revision
from pipeline.pages.listing import Column, Filter, Listing


def _with_problem(name: str) -> Q:
    """Answers with this problem of form, anywhere in the list: SQLite has no "contains"."""
    places = (Q(**{f"generation__problems__{place}": name}) for place in range(len(PROBLEMS)))
    return reduce(or_, places)


_DONE = Q(state=Revision.State.DONE)
FILTERS: Mapping[str, tuple[str, Q]] = {
    "all": ("all", Q()),
    "failed": ("failed", Q(state=Revision.State.FAILED)),
    "low": ("recall below 0.5", Q(citation_recall__lt=ENTAILED)),
    "uncited": ("nothing cited", _DONE & _with_problem(UNCITED)),
    "unknown": ("no such source", _DONE & _with_problem(UNKNOWN_SOURCE)),
    "form": ("problems of form", _DONE & Q(generation__problems__0__isnull=False)),
}
"""Name in the address → what the chip says, and which rows it keeps."""

_figure = partial(Column, may_be_none=True, is_number=True)
ANSWERS = Listing(
    columns=(
        Column("passage", "Question"),
        Column("change", "Answer"),
        _figure("recall", "Citation recall", order=F("citation_recall")),
        _figure("precision", "Citation precision", order=F("citation_precision")),
        _figure("correctness", "Correctness", order=F("correctness")),
        _figure("attribution", "Auto-AIS", note="over all sources", order=F("attribution_before")),
        Column("problems", "Form", is_shown=False),
        Column("state", "State", order=F("state")),
    ),
    filters=(Filter("filter", "Filter", FILTERS),),
    search=("original_text", "context", "passage__external_id"),
    search_label="Search questions, answers and passage ids",
)
