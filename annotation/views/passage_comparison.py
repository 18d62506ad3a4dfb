"""One passage as several runs revised it, with raters' answers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotation.results.cached_figures import Figures
from annotation.results.labels import TargetAnswers
from annotation.results.revision_votes import (
    FlaggedPassages,
    RevisionVotes,
    differ,
    flagged_passages,
    votes_and_flagged,
)
from annotation.views.passage_list import RATERS_FILTERS, PassageFilter, PassageList, list_passages
from pipeline.data.notes import NotedPassages, noted_passages
from pipeline.engine.scorer_info import run_scorer
from pipeline.metrics.attribution import attribution
from pipeline.models import Dataset, Passage, Run
from pipeline.pages.passage_columns import DiffSentence, PassageColumn, passage_columns
from pipeline.runs.passage_facts import passage_facts
from pipeline.views.comparison import chosen_runs, latest_runs
from pipeline.views.lists import researchers_only
from rarrweb.accounts.http import UserRequest

MAX_RUNS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedSentence:
    """A sentence of y with automatic and raters' labels."""

    diff: DiffSentence
    votes: TargetAnswers | None
    is_disputed: bool
    """Whether the two differ."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RevisionColumn:
    shared: PassageColumn
    rows: tuple[ComparedSentence, ...]
    attribution: float | None
    """Attr_AIS of y by raters; None without judgments."""
    raters: tuple[int, int]
    """The fewest and most raters of a sentence."""
    judged: int
    """Sentences with judgments."""
    intent: TargetAnswers | None

    @property
    def disputed(self) -> int:
        return sum(row.is_disputed for row in self.rows)


@require_safe
@never_cache
def compare_passages(request: UserRequest) -> HttpResponse:
    """Redirect to the first passage of a list: `?run=3&run=5&show=differ&sort=gain`."""
    researchers_only(request)
    runs, problem = chosen_runs(request, most=MAX_RUNS)
    if problem or not runs:
        return render(request, "annotation/compare_passages.html", {"problem": problem})
    notes = noted_passages(runs[0].dataset)
    figures = Figures(computes=request.GET.get("show") in RATERS_FILTERS)
    listed = _list(request, runs, flagged_passages(runs, figures), notes)
    if listed.passages:
        address = reverse("compare-passage", args=[listed.passages[0]])
        return redirect(f"{address}{listed.chosen.query}")
    context = {"list": listed, "figures": figures, "dataset": runs[0].dataset}
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
    figures = Figures.of_request(request)
    votes, counted = votes_and_flagged(runs, figures, passage=passage.pk)
    notes = noted_passages(passage.dataset)
    listed = _list(request, runs, counted, notes)
    previous, following = listed.neighbours(passage.pk)
    columns = [_column(each, votes) for each in passage_columns(passage, runs)]
    scorers = [run_scorer(run.config, run.versions) for run in runs]
    context = {
        "passage": passage,
        "dataset": passage.dataset,
        "list": listed,
        "figures": figures,
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
    request: UserRequest, runs: Sequence[Run], counted: FlaggedPassages | None, notes: NotedPassages
) -> PassageList:
    chosen = PassageFilter.of(request.GET, [run.pk for run in runs])
    facts = passage_facts(runs) if runs else []
    return list_passages(facts, counted or FlaggedPassages(), notes, chosen)


def _column(column: PassageColumn, votes: RevisionVotes) -> RevisionColumn:
    key = column.revision.pk if column.revision else 0
    marks = column.revision.marks if column.revision else ""
    of_sentences = votes.sentences.get(key, {})
    rows = tuple(_row(diff, marks, of_sentences) for diff in column.sentences)
    judged = [row.votes for row in rows if row.votes is not None]
    counts = [each.n for each in judged]
    return RevisionColumn(
        shared=column,
        rows=rows,
        attribution=attribution([each.share for each in judged]),
        raters=(min(counts), max(counts)) if counts else (0, 0),
        judged=len(judged),
        intent=votes.intent.get(key),
    )


def _row(diff: DiffSentence, marks: str, votes: Mapping[int, TargetAnswers]) -> ComparedSentence:
    index = diff.sentence.number - 1
    answers = votes.get(index)
    is_disputed = answers is not None and differ(marks[index : index + 1], answers)
    return ComparedSentence(diff=diff, votes=answers, is_disputed=is_disputed)
