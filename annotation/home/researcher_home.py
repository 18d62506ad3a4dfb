"""A researcher's home page: steps, to do, in progress, complete, recent."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import timedelta
from itertools import groupby
from operator import attrgetter
from typing import Any, NamedTuple
from urllib.parse import urlencode

from django.db.models import Exists, OuterRef
from django.template.defaultfilters import pluralize
from django.urls import reverse
from django.utils import timezone

from annotation.adjudication.cases import waiting_counts
from annotation.campaigns.progress import PhaseProgress, phases_of
from annotation.campaigns.stages import all_submitted
from annotation.models import Campaign, CampaignRun, Membership, Pause, RaterQuestion
from annotation.results.cached_figures import FigureCache
from pipeline.models import Corpus, Dataset, Revision, Run
from rarrweb.accounts.models import User
from rarrweb.web.listing import count_of

NEWEST = 20
"""Of each kind."""
RECENTLY = timedelta(days=7)
RECENT = 5
INDEXING = {Corpus.State.QUEUED, Corpus.State.INDEXING}
SYMBOLS = {"no": "✕", "warn": "⚠", "": "✎", "yes": "✓"}
"""By CSS class, the most urgent first."""


class HomeStep(NamedTuple):
    """One of the steps from a file to a labelled dataset."""

    title: str
    text: str
    action: str
    url: str
    result: Any = None
    """What the step has led to; None until it is done."""
    facts: str = ""


class ToDo(NamedTuple):
    tone: str
    """A key of `SYMBOLS`."""
    title: str
    about: Any
    action: str = "Review"
    url: str = ""
    """Default: its page."""
    fact: str = ""
    export_url: str = ""

    @property
    def symbol(self) -> str:
        return SYMBOLS[self.tone]


def load_dashboard(user: User, cache: FigureCache) -> dict[str, Any]:
    """Return the page's context, with one query for each kind."""
    raters = Membership.objects.filter(role=Membership.Role.ANNOTATOR)
    revisions = Revision.objects.all()
    datasets = Dataset.objects.visible_to(user).current()[:NEWEST]
    corpora = Corpus.objects.visible_to(user).current()[:NEWEST]
    runs: Any = Run.objects.of_systems().visible_to(user).current()
    runs = runs.select_related("dataset", "corpus").annotate(
        failed=count_of(revisions.failed(), "run"),
        done=count_of(revisions.filter(state=Revision.State.DONE), "run"),
        is_judged=Exists(CampaignRun.objects.filter(run=OuterRef("pk"))),
    )[:NEWEST]
    campaigns: Any = Campaign.objects.led_by(user).current()
    campaigns = campaigns.annotate(
        members=count_of(raters, "campaign"),
        questions=count_of(RaterQuestion.objects.waiting(), "campaign"),
        paused=count_of(Pause.objects.filter(ended_at=None), "campaign"),
    )[:NEWEST]
    phases = phases_of(campaigns)
    complete = [each for each in campaigns if _is_complete(each, phases.get(each.pk, []))]
    steps = _steps(datasets, corpora, runs, complete)
    waiting = [
        *_of_campaigns(campaigns, phases, cache),
        *(each for run in runs for each in _of_run(run)),
        *(_finished(runs) if campaigns else ()),
        *(
            ToDo("no", "Indexing failed", corpus, fact=corpus.error)
            for corpus in corpora
            if corpus.state == Corpus.State.FAILED
        ),
    ]
    of_workers = [*_indexed(corpora), *_revised(runs)]
    everything = [*datasets, *corpora, *runs, *campaigns]
    return {
        "is_work_waiting": bool(of_workers),
        "has_begun": bool(campaigns),
        "steps": steps,
        "steps_done": sum(each.result is not None for each in steps),
        "next_step": next((each for each in steps if each.result is None), None),
        "waiting": sorted(waiting, key=lambda each: list(SYMBOLS).index(each.tone)),
        "in_progress": [*of_workers, *_judged(campaigns, phases)],
        "complete": [each for each in complete if each.exported_at][:RECENT],
        "recent": sorted(everything, key=attrgetter("created_at"), reverse=True)[:RECENT],
    }


def _is_complete(campaign: Campaign, phases: Sequence[PhaseProgress]) -> bool:
    if campaign.state == Campaign.State.CLOSED:
        return any(each.done for each in phases)
    return campaign.state == Campaign.State.PRODUCTION and all_submitted(campaign, phases)


def _steps(
    datasets: Iterable[Dataset],
    corpora: Iterable[Corpus],
    runs: Iterable[Any],
    complete: Sequence[Campaign],
) -> list[HomeStep]:
    dataset = next((each for each in datasets if each.passage_count), None)
    corpus = next((each for each in corpora if each.state == Corpus.State.READY), None)
    indexing = next((each for each in corpora if each.state in INDEXING), None)
    run = next((each for each in runs if each.state == Run.State.FINISHED and each.done), None)
    unfinished = next((each for each in runs if not each.is_over), None)
    return [
        HomeStep(
            "Dataset",
            "The passages to check: JSONL, CSV, HAGRID, ALCE or RARR files.",
            "Upload dataset",
            reverse("pipeline:new-dataset"),
            dataset,
            f"{dataset.passage_count:,} passage{pluralize(dataset.passage_count)}"
            if dataset
            else "",
        ),
        HomeStep(
            "Corpus",
            "The documents to search for evidence.",
            "Add corpus" if corpus or not indexing else "Open corpus",
            reverse("pipeline:new-corpus")
            if corpus or not indexing
            else indexing.get_absolute_url(),
            corpus,
            f"{corpus.document_count:,} document{pluralize(corpus.document_count)}"
            if corpus
            else "",
        ),
        HomeStep(
            "Run",
            "Finds evidence for each passage and revises what it contradicts. You see every query "
            "and every edit.",
            "Open run" if unfinished else "New run",
            unfinished.get_absolute_url() if unfinished else reverse("pipeline:new-run"),
            run,
        ),
        HomeStep(
            "Campaign",
            "Raters judge the passages. Invite them by link, or judge them yourself.",
            "New campaign",
            _new_campaign([each for each in runs if run and _group(each) == _group(run)]),
            next(iter(complete), None),
        ),
        HomeStep(
            "Results and export",
            "The table for your paper, and the labelled dataset: HAGRID, RARR, ALCE, CSV or "
            "Parquet.",
            "Results",
            reverse("joined-results"),
            next((each for each in complete if each.exported_at), None),
        ),
    ]


def _group(run: Run) -> object:
    """Return what runs that were started together share."""
    return run.group or run.pk


def _new_campaign(runs: Iterable[Run]) -> str:
    return f"{reverse('new-campaign')}?{urlencode([('run', each.pk) for each in runs])}"


def _of_campaigns(
    campaigns: Sequence[Any], phases: Mapping[int, Sequence[PhaseProgress]], cache: FigureCache
) -> Iterator[ToDo]:
    compared = [each for each in campaigns if not each.is_draft and each.raters_needed > 1]
    split = waiting_counts(compared, cache) if compared else {}
    for each in campaigns:
        pages = {
            name: reverse(f"annotation:{name}", args=[each.slug])
            for name in ("add-raters", "results", "export", "questions", "checks")
        }
        done = all_submitted(each, phases.get(each.pk, []))
        if number := split.get(each.pk):
            title = f"{number} item{pluralize(number)} to adjudicate"
            url = f"{reverse('annotation:adjudications')}?campaign={each.slug}&start=1"
            yield ToDo("warn", title, each, "Adjudicate", url)
        if each.is_draft:
            yield ToDo("", "A draft is not started", each, "Open draft")
        elif each.is_open and not each.members:
            yield ToDo("warn", "No raters yet", each, "Add raters", pages["add-raters"])
        elif done and each.state == Campaign.State.PILOT:
            yield ToDo("yes", "The pilot is judged", each)
        elif not (number or each.exported_at) and _is_complete(each, phases.get(each.pk, [])):
            title = "All judgments are in" if done else "Closed"
            yield ToDo("yes", title, each, "Results", pages["results"], export_url=pages["export"])
        if number := each.questions:
            title = f"{number} question{pluralize(number)} from raters"
            yield ToDo("warn", title, each, "Answer", pages["questions"])
        if number := each.paused:
            title = f"{number} rater{' is' if number == 1 else 's are'} below the gold threshold"
            yield ToDo("warn", title, each, "Review", pages["checks"])


def _of_run(run: Any) -> Iterator[ToDo]:
    if run.state == Run.State.PAUSED and run.pause_reason:
        yield ToDo("no", "A run paused by itself", run, fact=run.pause_reason)
    elif run.failed:
        yield ToDo("no", f"{run.failed} passage{pluralize(run.failed)} failed", run)


def _finished(runs: Iterable[Any]) -> Iterator[ToDo]:
    """Yield a row for each group of runs that ended recently and that no campaign judges."""
    since = timezone.now() - RECENTLY
    over = (each for each in runs if each.state == Run.State.FINISHED and not each.is_judged)
    recent = (each for each in over if each.finished_at and each.finished_at > since)
    for _, group in groupby(recent, _group):
        together = list(group)
        number = len(together)
        title = "A run is finished" if number == 1 else f"{number} runs are finished"
        yield ToDo("yes", title, together[0], "New campaign", _new_campaign(together))


def _indexed(corpora: Iterable[Corpus]) -> Iterator[tuple[Corpus, str, str]]:
    for each in corpora:
        if each.state in INDEXING:
            facts = f"{each.indexed_count} of {each.document_count} documents indexed"
            yield each, facts, "Open corpus"


def _revised(runs: Sequence[Any]) -> Iterator[tuple[Run, str, str]]:
    for each in runs:
        if each.state == Run.State.RUNNING:
            facts = f"{each.done + each.failed} of {each.passage_count} passages"
            yield each, facts, "Open run"


def _judged(
    campaigns: Sequence[Any], phases: Mapping[int, Sequence[PhaseProgress]]
) -> Iterator[tuple[Campaign, str, str]]:
    for each in campaigns:
        done = sum(phase.done for phase in phases.get(each.pk, []))
        wanted = sum(phase.wanted for phase in phases.get(each.pk, []))
        if each.is_open and each.members and done < wanted:
            yield each, f"{done} of {wanted} submissions", "Open campaign"
