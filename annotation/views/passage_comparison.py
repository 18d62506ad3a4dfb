"""One passage as several runs revised it, with raters' answers."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

from django.http import Http404, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotation.results.cached_figures import FigureCache
from annotation.results.revision_votes import (
    FlaggedPassages,
    RevisionVotes,
    flagged_passages,
    labels_differ,
    votes_and_flagged,
)
from pipeline.data.notes import NotedPassages, noted_passages, read_tags
from pipeline.engine.scorer_info import run_scorer
from pipeline.metrics.attribution import attribution
from pipeline.models import Dataset, Passage, Run
from pipeline.pages.revision_list import PassageColumn, passage_columns
from pipeline.runs.passage_facts import PassageFacts, passage_facts
from pipeline.views.comparison import chosen_runs, latest_runs
from pipeline.views.lists import researchers_only
from rarrweb.accounts.http import UserRequest

Keeps = Callable[[PassageFacts, FlaggedPassages, NotedPassages], bool]
FILTERS: Mapping[str, tuple[str, Keeps]] = {
    "all": ("all", lambda *_: True),
    "differ": ("systems differ", lambda fact, *_: fact.differs),
    "disagree": (
        "raters and auto-AIS disagree",
        lambda fact, flagged, _: fact.passage in flagged.disagreeing,
    ),
    "rejected": ("edit rejected", lambda fact, *_: fact.is_rejected),
    "intent": ("intent lost", lambda fact, flagged, _: fact.passage in flagged.intent_lost),
    "conflict": ("a source contradicts", lambda fact, *_: fact.is_in_conflict),
    "noted": ("has a note", lambda fact, _, notes: fact.passage in notes.noted),
}
"""Name in the address to label and condition."""
RATERS_FILTERS = ("disagree", "intent")
"""Those that ask for `FlaggedPassages`."""
SORTS = {"": "Dataset’s order", "gain": "Largest gain", "loss": "Largest loss"}


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageFilter:
    """The query of an address; unknown values are ignored."""

    runs: tuple[int, ...]
    show: str = "all"
    tag: str = ""
    sort: str = ""

    @classmethod
    def of(cls, query: QueryDict, runs: Sequence[int]) -> "PassageFilter":
        show, sort = query.get("show", ""), query.get("sort", "")
        return cls(
            runs=tuple(runs),
            show=show if show in FILTERS else "all",
            tag="".join(read_tags(query.get("tag", ""))[:1]),
            sort=sort if sort in SORTS else "",
        )

    @property
    def query(self) -> str:
        show = "" if self.show == "all" else self.show
        chosen = {"show": show, "tag": self.tag, "sort": self.sort}
        given = {name: value for name, value in chosen.items() if value}
        return f"?{urlencode({'run': self.runs, **given}, doseq=True)}"


@dataclass(frozen=True, slots=True)
class FilterLink:
    name: str
    label: str
    query: str
    is_selected: bool
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageList:
    chosen: PassageFilter
    passages: tuple[int, ...]
    """Keys, filtered and in order."""
    total: int
    """Passages that all runs have revised."""
    filters: tuple[FilterLink, ...]
    """Without those that fit no passage, but with the selected one."""
    tags: tuple[FilterLink, ...]
    """Tags of the filtered passages; the selected one's link removes it."""
    sorts: tuple[FilterLink, ...]

    def position(self, passage: int) -> int:
        """Return the position from 1; 0 if absent."""
        return self.passages.index(passage) + 1 if passage in self.passages else 0

    def neighbours(self, passage: int) -> tuple[int | None, int | None]:
        """Return the passages before and after; an absent one is before the first."""
        position = self.position(passage)
        before = self.passages[position - 2] if position > 1 else None
        return before, self.passages[position] if position < len(self.passages) else None


def list_passages(
    facts: Sequence[PassageFacts],
    flagged: FlaggedPassages,
    notes: NotedPassages,
    chosen: PassageFilter,
) -> PassageList:
    of_tag = notes.tagged.get(chosen.tag, frozenset()) if chosen.tag else None
    among = [fact for fact in facts if of_tag is None or fact.passage in of_tag]
    by_filter = {
        name: [fact for fact in among if keep(fact, flagged, notes)]
        for name, (_, keep) in FILTERS.items()
    }
    _, keep = FILTERS[chosen.show]
    selected = {fact.passage for fact in facts if keep(fact, flagged, notes)}

    def link(parameter: str, name: str, label: str, count: int = 0) -> FilterLink:
        is_selected = getattr(chosen, parameter) == name
        changed: dict[str, Any] = {parameter: name}
        if parameter == "tag" and is_selected:
            changed = {"tag": ""}
        query = replace(chosen, **changed).query
        return FilterLink(name, label, query, is_selected, count)

    return PassageList(
        chosen=chosen,
        passages=tuple(fact.passage for fact in _sorted(by_filter[chosen.show], chosen.sort)),
        total=len(facts),
        filters=tuple(
            link("show", name, label, len(by_filter[name]))
            for name, (label, _) in FILTERS.items()
            if by_filter[name] or name in {"all", chosen.show}
        ),
        tags=tuple(
            link("tag", tag, tag, len(passages & selected))
            for tag, passages in notes.tagged.items()
            if tag == chosen.tag or passages & selected
        ),
        sorts=tuple(link("sort", name, label) for name, label in SORTS.items()),
    )


def _sorted(facts: Collection[PassageFacts], sort: str) -> Collection[PassageFacts]:
    """Sort by the largest gain or loss of any run; unscored passages last."""
    if sort == "gain":
        return sorted(
            facts, key=lambda fact: (fact.highest_gain is None, -(fact.highest_gain or 0))
        )
    if sort == "loss":
        return sorted(facts, key=lambda fact: (fact.lowest_gain is None, fact.lowest_gain or 0))
    return facts


MAX_RUNS = 4


@require_safe
@never_cache
def compare_passages(request: UserRequest) -> HttpResponse:
    """Redirect to the first passage of a list: `?run=3&run=5&show=differ&sort=gain`."""
    researchers_only(request)
    runs, problem = chosen_runs(request, most=MAX_RUNS)
    if problem or not runs:
        return render(request, "annotation/compare_passages.html", {"problem": problem})
    notes = noted_passages(runs[0].dataset)
    cache = FigureCache(computes=request.GET.get("show") in RATERS_FILTERS)
    listed = _list(request, runs, flagged_passages(runs, cache), notes)
    if listed.passages:
        address = reverse("compare-passage", args=[listed.passages[0]])
        return redirect(f"{address}{listed.chosen.query}")
    context = {"list": listed, "figure_cache": cache, "dataset": runs[0].dataset}
    return render(request, "annotation/compare_passages.html", context)


@require_safe
@never_cache
def compare_passage(request: UserRequest, passage_id: int) -> HttpResponse:
    """Display one passage of the list; default: the latest run of each system."""
    researchers_only(request)
    visible = Passage.objects.filter(dataset__in=Dataset.objects.visible_to(request.user))
    passage = get_object_or_404(visible.select_related("dataset"), pk=passage_id)
    runs, problem = chosen_runs(request, most=MAX_RUNS)
    if problem:
        return render(request, "annotation/compare_passages.html", {"problem": problem})
    runs = runs or latest_runs(request, passage.dataset, most=MAX_RUNS)
    if runs and runs[0].dataset_id != passage.dataset_id:
        raise Http404
    cache = FigureCache.of_request(request)
    votes, flagged = votes_and_flagged(runs, cache, passage=passage.pk)
    notes = noted_passages(passage.dataset)
    listed = _list(request, runs, flagged, notes)
    previous, following = listed.neighbours(passage.pk)
    columns = [_column(each, votes) for each in passage_columns(passage, runs)]
    scorers = [run_scorer(run.config, run.versions) for run in runs]
    context = {
        "passage": passage,
        "dataset": passage.dataset,
        "list": listed,
        "figure_cache": cache,
        "previous": previous,
        "next": following,
        "position": listed.position(passage.pk),
        "columns": columns,
        "notes": passage.notes.select_related("author"),
        "tags": [tag for tag, passages in notes.tagged.items() if passage.pk in passages],
        "scorers_differ": len(set(scorers)) > 1,
        "scorer": scorers[0] if scorers else None,
    }
    return render(request, "annotation/compare_passage.html", context)


def _list(
    request: UserRequest, runs: Sequence[Run], flagged: FlaggedPassages | None, notes: NotedPassages
) -> PassageList:
    chosen = PassageFilter.of(request.GET, [run.pk for run in runs])
    facts = passage_facts(runs) if runs else []
    return list_passages(facts, flagged or FlaggedPassages(), notes, chosen)


def _column(column: PassageColumn, votes: RevisionVotes) -> dict[str, Any]:
    """Return the context of a column."""
    key = column.revision.pk if column.revision else 0
    marks = column.revision.marks if column.revision else ""
    of_sentences = votes.sentences.get(key, {})
    rows: list[dict[str, Any]] = []
    for diff in column.sentences:
        index = diff.sentence.number - 1
        answers = of_sentences.get(index)
        is_disputed = answers is not None and labels_differ(marks[index : index + 1], answers)
        rows.append({"diff": diff, "votes": answers, "is_disputed": is_disputed})
    judged = [row["votes"] for row in rows if row["votes"] is not None]
    return {
        "shared": column,
        "rows": rows,
        "attribution": attribution([each.share for each in judged]),
        "judged": len(judged),
        "intent": votes.intent.get(key),
    }
