"""A researcher's home page: the steps to a labelled dataset, what waits, what is in progress."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from operator import attrgetter
from typing import Any

from django.conf import settings
from django.db.models import Exists, OuterRef
from django.urls import reverse
from django.utils import timezone

from annotation.adjudication.cases import waiting_counts
from annotation.campaigns.progress import PhaseProgress, phases_of
from annotation.campaigns.stages import all_submitted
from annotation.models import Campaign, CampaignRun, Membership, Pause, RaterQuestion
from annotation.results.cached_figures import Figures
from pipeline.backends.search_names import needs_corpus
from pipeline.models import Corpus, Dataset, Revision, Run
from rarrweb.accounts.models import User
from rarrweb.subqueries import count_of

NEWEST = 20
"""Of each kind; what is older waits on the lists."""
LATELY = timedelta(days=7)
RECENT = 5
INDEXING = {Corpus.State.QUEUED, Corpus.State.INDEXING}
"""Whose index lacks documents; a worker adds them without being asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lab:
    """A researcher's newest things, each kind in one query, the newest first."""

    datasets: Sequence[Dataset]
    corpora: Sequence[Corpus]
    runs: Sequence[Any]
    """Each with `failed` and `done`, numbers of passages, and `judged`: a campaign has it."""
    campaigns: Sequence[Any]
    """Each with `members`, `questions` (that wait) and `paused` (raters)."""
    phases: Mapping[int, Sequence[PhaseProgress]]

    @property
    def is_work_waiting(self) -> bool:
        """Whether a run or a corpus waits for a worker."""
        return any(run.state == Run.State.RUNNING for run in self.runs) or any(
            corpus.state in INDEXING for corpus in self.corpora
        )

    @property
    def recent(self) -> Sequence[Dataset | Corpus | Run | Campaign]:
        """The newest of all kinds, the newest first."""
        rows = [*self.datasets, *self.corpora, *self.runs, *self.campaigns]
        return sorted(rows, key=attrgetter("created_at"), reverse=True)[:RECENT]

    def submissions_of(self, campaign: Campaign) -> tuple[int, int]:
        """How many are in, and how many are wanted."""
        phases = self.phases.get(campaign.pk, [])
        return sum(each.done for each in phases), sum(each.wanted for each in phases)


def lab_of(user: User) -> Lab:
    """What a researcher has made lately, in five queries."""
    raters = Membership.objects.filter(role=Membership.Role.ANNOTATOR)
    campaigns = list(
        Campaign.objects.led_by(user)
        .current()
        .annotate(
            members=count_of(raters, "campaign"),
            questions=count_of(RaterQuestion.objects.waiting(), "campaign"),
            paused=count_of(Pause.objects.filter(ended_at=None), "campaign"),
        )[:NEWEST]
    )
    runs = Run.objects.of_systems().visible_to(user).current().select_related("dataset", "corpus")
    revisions = Revision.objects.all()
    return Lab(
        datasets=list(Dataset.objects.visible_to(user).current()[:NEWEST]),
        corpora=list(Corpus.objects.visible_to(user).current()[:NEWEST]),
        runs=list(
            runs.annotate(
                failed=count_of(revisions.failed(), "run"),
                done=count_of(revisions.filter(state=Revision.State.DONE), "run"),
                judged=Exists(CampaignRun.objects.filter(run=OuterRef("pk"))),
            )[:NEWEST]
        ),
        campaigns=campaigns,
        phases=phases_of(campaigns) if campaigns else {},
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A word that leads somewhere."""

    label: str
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One of the steps from a file to a labelled dataset."""

    name: str
    title: str
    text: str
    action: Link | None = None
    """What does the step; None where a step before it is missing."""
    done: Dataset | Corpus | Run | Campaign | None = None
    """What the step has led to; None until then."""
    facts: str = ""
    needs: str = ""
    """What is missing, where nothing can be done yet."""


def checklist(lab: Lab) -> list[Step]:
    """The five steps from a file to a labelled dataset, each with what there is already."""
    wants_corpus = needs_corpus(settings.RARR_SEARCH)
    dataset = next((each for each in lab.datasets if each.passage_count), None)
    corpus = next((each for each in lab.corpora if each.state == Corpus.State.READY), None)
    coming = next(iter(lab.corpora), None)
    run = next(iter(lab.runs), None)
    campaign = next(iter(lab.campaigns), None)
    most = max(lab.campaigns, key=lambda each: lab.submissions_of(each)[0], default=None)
    judged = most if most and lab.submissions_of(most)[0] else None
    can_run = dataset is not None and (corpus is not None or not wants_corpus)
    passages = dataset.passage_count if dataset else 0
    documents = corpus.document_count if corpus else 0
    return [
        Step(
            name="dataset",
            title="Dataset",
            text="The passages to check: JSONL, CSV, HAGRID, ALCE or RARR files.",
            action=Link(label="Upload dataset", url=reverse("pipeline:new-dataset")),
            done=dataset,
            facts=(f"{passages} passage" if passages == 1 else f"{passages} passages"),
        ),
        Step(
            name="corpus",
            title="Corpus",
            text="The documents to search for evidence."
            if wants_corpus
            else "The documents to search for evidence, beside the web.",
            action=Link(label="Add corpus", url=reverse("pipeline:new-corpus")),
            done=corpus,
            facts=(f"{documents} document" if documents == 1 else f"{documents} documents"),
            needs=f"{coming.name}: {coming.get_state_display()}" if coming and not corpus else "",
        ),
        Step(
            name="run",
            title="Run",
            text=(
                "Finds evidence for each passage and revises what it contradicts. You see every "
                "query and every edit."
            ),
            action=Link(label="New run", url=reverse("pipeline:new-run")) if can_run else None,
            done=run,
            needs="needs a dataset and a corpus" if wants_corpus else "needs a dataset",
        ),
        Step(
            name="campaign",
            title="Campaign",
            text="Raters judge the passages. Invite them by link, or annotate yourself.",
            action=_new_campaign(run) if run else None,
            done=campaign,
            facts=f"{campaign.item_count} items" if campaign else "",
            needs="needs a run",
        ),
        Step(
            name="export",
            title="Export",
            text="The labelled dataset with counts, configuration and checksums.",
            action=Link(label="Export", url=reverse("annotation:export", args=[judged.slug]))
            if judged
            else None,
            needs="needs judgments",
        ),
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """One thing that waits for a person."""

    about: Corpus | Run | Campaign
    symbol: str
    look: str
    """A CSS class: no, warn, yes or none."""
    title: str
    action: Link
    fact: str = ""


def waiting_for(lab: Lab, figures: Figures) -> list[Waiting]:
    """What waits for a researcher, what holds others up first."""
    compared = [each for each in lab.campaigns if not each.is_draft and each.raters_needed > 1]
    found = [
        *_to_settle(compared, figures),
        *(each for campaign in lab.campaigns for each in _of_campaign(lab, campaign)),
        *(each for run in lab.runs for each in _of_run(run)),
        *(
            _to_do(corpus, "✕", "no", "Indexing failed", fact=corpus.error)
            for corpus in lab.corpora
            if corpus.state == Corpus.State.FAILED
        ),
    ]
    urgent = {"no": 0, "warn": 1, "": 2, "yes": 3}
    return sorted(found, key=lambda each: urgent[each.look])


def _to_do(
    about: Corpus | Run | Campaign,
    symbol: str,
    look: str,
    title: str,
    action: Link | None = None,
    fact: str = "",
) -> Waiting:
    """Something to do; without an `action`, its own page is to be reviewed."""
    action = action or Link(label="Review", url=about.get_absolute_url())
    return Waiting(about=about, symbol=symbol, look=look, title=title, action=action, fact=fact)


def _to_settle(compared: Sequence[Campaign], figures: Figures) -> Iterator[Waiting]:
    if not compared:
        return
    split = waiting_counts(compared, figures)
    for campaign in compared:
        number = split.get(campaign.pk)
        if not number:
            continue
        title = (
            "%(number)s item with split answers"
            if number == 1
            else "%(number)s items with split answers"
        )
        url = reverse("annotation:adjudications") + f"?campaign={campaign.slug}&start=1"
        settle = Link(label="Adjudicate", url=url)
        yield _to_do(campaign, "≠", "warn", title % {"number": number}, settle)


def _of_campaign(lab: Lab, campaign: Any) -> Iterator[Waiting]:
    done = all_submitted(campaign, lab.phases.get(campaign.pk, []))

    def link(label: str, page: str) -> Link:
        return Link(label=label, url=reverse(f"annotation:{page}", args=[campaign.slug]))

    if campaign.state == Campaign.State.DRAFT:
        yield _to_do(campaign, "✎", "", "A draft is not started", link("Open draft", "campaign"))
    elif campaign.is_open and not campaign.members:
        yield _to_do(campaign, "⚠", "warn", "No raters yet", link("Add raters", "add-raters"))
    elif campaign.state == Campaign.State.PILOT and done:
        yield _to_do(campaign, "✓", "yes", "The pilot is judged")
    elif campaign.state == Campaign.State.PRODUCTION and done:
        yield _to_do(campaign, "✓", "yes", "All judgments are in", link("Export", "export"))
    if number := campaign.questions:
        title = (
            "%(number)s question from raters" if number == 1 else "%(number)s questions from raters"
        )
        answer = link("Answer", "questions")
        yield _to_do(campaign, "?", "warn", title % {"number": number}, answer)
    if number := campaign.paused:
        title = (
            "%(number)s rater is below the gold threshold"
            if number == 1
            else "%(number)s raters are below the gold threshold"
        )
        review = link("Review", "checks")
        yield _to_do(campaign, "⚠", "warn", title % {"number": number}, review)


def _of_run(run: Any) -> Iterator[Waiting]:
    if run.state == Run.State.PAUSED and run.pause_reason:
        yield _to_do(run, "⏸", "no", "A run paused by itself", fact=run.pause_reason)
    elif run.failed:
        title = "%(number)s passage failed" if run.failed == 1 else "%(number)s passages failed"
        yield _to_do(run, "✕", "no", title % {"number": run.failed})
    is_new = run.finished_at is not None and run.finished_at > timezone.now() - LATELY
    if run.state == Run.State.FINISHED and is_new and not run.judged:
        yield _to_do(run, "✓", "yes", "A run is finished", _new_campaign(run))


def _new_campaign(run: Run) -> Link:
    return Link(label="New campaign", url=reverse("annotation:new-campaign") + f"?run={run.pk}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Moving:
    """A corpus, run or campaign in progress; shares are percentages of 0 to 100."""

    about: Corpus | Run | Campaign
    facts: str
    done: float
    failed: float = 0.0


def moving(lab: Lab) -> Iterator[Moving]:
    """The corpora that are being indexed, the runs and the campaigns in progress."""
    for corpus in lab.corpora:
        if corpus.state in INDEXING:
            yield Moving(
                about=corpus,
                facts=f"{corpus.indexed_count} of {corpus.document_count} documents indexed",
                done=100 * corpus.indexed_count / max(corpus.document_count, 1),
            )
    for run in lab.runs:
        if run.state == Run.State.RUNNING:
            yield Moving(
                about=run,
                facts=f"{run.done + run.failed} of {run.passage_count} passages",
                done=100 * run.done / max(run.passage_count, 1),
                failed=100 * run.failed / max(run.passage_count, 1),
            )
    for campaign in lab.campaigns:
        done, wanted = lab.submissions_of(campaign)
        if campaign.is_open and done < wanted:
            yield Moving(
                about=campaign,
                facts=f"{done} of {wanted} submissions",
                done=100 * done / wanted,
            )
