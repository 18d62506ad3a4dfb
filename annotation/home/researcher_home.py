"""A researcher's home page: to do, in progress, recent."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import timedelta
from operator import attrgetter
from typing import Any, NamedTuple

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


class ToDo(NamedTuple):
    tone: str
    """A key of `SYMBOLS`."""
    title: str
    about: Any
    action: str = "Review"
    url: str = ""
    """Default: its page."""
    fact: str = ""

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
    waiting = [
        *_of_campaigns(campaigns, phases, cache),
        *(each for run in runs for each in _of_run(run)),
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
        "waiting": sorted(waiting, key=lambda each: list(SYMBOLS).index(each.tone)),
        "in_progress": [*of_workers, *_judged(campaigns, phases)],
        "recent": sorted(everything, key=attrgetter("created_at"), reverse=True)[:RECENT],
    }


def _of_campaigns(
    campaigns: Sequence[Any], phases: Mapping[int, Sequence[PhaseProgress]], cache: FigureCache
) -> Iterator[ToDo]:
    compared = [each for each in campaigns if not each.is_draft and each.raters_needed > 1]
    split = waiting_counts(compared, cache) if compared else {}
    for each in campaigns:
        pages = {
            name: reverse(f"annotation:{name}", args=[each.slug])
            for name in ("add-raters", "export", "questions", "checks")
        }
        done = all_submitted(each, phases.get(each.pk, []))
        if number := split.get(each.pk):
            title = f"{number} item{pluralize(number)} with split answers"
            url = f"{reverse('annotation:adjudications')}?campaign={each.slug}&start=1"
            yield ToDo("warn", title, each, "Adjudicate", url)
        if each.is_draft:
            yield ToDo("", "A draft is not started", each, "Open draft")
        elif each.is_open and not each.members:
            yield ToDo("warn", "No raters yet", each, "Add raters", pages["add-raters"])
        elif done and each.state == Campaign.State.PILOT:
            yield ToDo("yes", "The pilot is judged", each)
        elif done and each.state == Campaign.State.PRODUCTION:
            yield ToDo("yes", "All judgments are in", each, "Export", pages["export"])
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
    is_new = run.finished_at is not None and run.finished_at > timezone.now() - RECENTLY
    if run.state == Run.State.FINISHED and is_new and not run.is_judged:
        url = f"{reverse('new-campaign')}?run={run.pk}"
        yield ToDo("yes", "A run is finished", run, "New campaign", url)


def _indexed(corpora: Iterable[Corpus]) -> Iterator[tuple[Corpus, str]]:
    for each in corpora:
        if each.state in INDEXING:
            yield each, f"{each.indexed_count} of {each.document_count} documents indexed"


def _revised(runs: Sequence[Any]) -> Iterator[tuple[Run, str]]:
    for each in runs:
        if each.state == Run.State.RUNNING:
            yield each, f"{each.done + each.failed} of {each.passage_count} passages"


def _judged(
    campaigns: Sequence[Campaign], phases: Mapping[int, Sequence[PhaseProgress]]
) -> Iterator[tuple[Campaign, str]]:
    for each in campaigns:
        done = sum(phase.done for phase in phases.get(each.pk, []))
        wanted = sum(phase.wanted for phase in phases.get(each.pk, []))
        if each.is_open and done < wanted:
            yield each, f"{done} of {wanted} submissions"
