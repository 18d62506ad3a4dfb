"""What is next for a person: what the home page is about."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from operator import attrgetter
from typing import Any

from django.conf import settings
from django.db.models import Count, Exists, OuterRef, Q, Subquery
from django.db.models.functions import Coalesce
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.adjudication.cases import waiting
from annotation.campaigns.progress import PhaseProgress, phases_of
from annotation.guidelines import inbox
from annotation.judging.claims import judged_by
from annotation.models import Assignment, Campaign, CampaignRun, Item, Membership, Pause, Thread
from annotation.results.cache import cached_figure
from pipeline.backends.search_names import needs_corpus
from pipeline.models import Corpus, Dataset, Revision, Run
from rarrweb.accounts.models import User

NEWEST = 20
"""Of each kind; what is older waits on the lists."""
LATELY = timedelta(days=7)
RECENT = 5
COMPARED = 1
"""Campaigns whose split answers are counted: a query each."""


INDEXING = {Corpus.State.QUEUED, Corpus.State.INDEXING}
"""Whose index lacks documents; a worker adds them without being asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnProgress:
    """How far a rater is in one of their campaigns."""

    campaign: Campaign
    submitted: int
    started: int
    """Items in hand: claimed and not handed in."""
    skipped: int
    is_complete: bool
    """Whether every item has all the submissions it needs, so that nothing is left for anybody."""
    before: int = 0
    """How many of those handed in and skipped belong to a phase that is over."""
    most: int = 0
    """How many items of this phase one rater can get."""

    @property
    def left(self) -> int:
        """How many items at most are left for the rater; others may be quicker."""
        done = self.submitted + self.skipped - self.before
        return 0 if self.is_complete else max(self.most - done, 0)


def own_progress(user: User, campaigns: Iterable[Campaign]) -> list[OwnProgress]:
    """The user's progress in those of `campaigns` that they judge in, in the same order."""
    wanted = list(campaigns)
    mine = set(
        judged_by(user)
        .filter(pk__in=[campaign.pk for campaign in wanted])
        .values_list("pk", flat=True)
    )
    done, skipped = Q(submitted_at__isnull=False), Q(skipped_at__isnull=False)
    work: dict[int, list[Mapping[str, Any]]] = defaultdict(list)
    for row in (
        Assignment.objects.filter(rater_id=user.pk)
        .exclude(purpose=Item.Use.TRAINING)
        .order_by()
        .values("item__campaign", "item__phase")
        .annotate(
            submitted=Count("pk", filter=done),
            started=Count("pk", filter=~done & ~skipped),
            skipped=Count("pk", filter=skipped),
        )
    ):
        work[row["item__campaign"]].append(row)
    phases = phases_of(wanted)
    return [
        _own(campaign, work[campaign.pk], phases.get(campaign.pk, []))
        for campaign in wanted
        if campaign.pk in mine
    ]


def _own(
    campaign: Campaign, work: Sequence[Mapping[str, Any]], phases: Sequence[PhaseProgress]
) -> OwnProgress:
    """`work` has the rater's counts, phase by phase."""
    now = [each for each in phases if not campaign.is_open or each.phase == campaign.state]
    over = [row for row in work if campaign.is_open and row["item__phase"] != campaign.state]
    return OwnProgress(
        campaign=campaign,
        submitted=sum(row["submitted"] for row in work),
        started=sum(row["started"] for row in work),
        skipped=sum(row["skipped"] for row in work),
        is_complete=all(each.is_complete for each in now),
        before=sum(row["submitted"] + row["skipped"] for row in over),
        most=campaign.most_of(sum(each.items for each in now)),
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
    done: Link | None = None
    """What the step has led to; None until then."""
    facts: str = ""
    needs: str = ""
    """What is missing, where nothing can be done yet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """One thing that waits for a person."""

    symbol: str
    look: str
    """A CSS class: no, warn, yes or none."""
    title: str
    facts: Sequence[str]
    about: Link
    action: Link


@dataclass(frozen=True, slots=True, kw_only=True)
class Moving:
    """A corpus, run or campaign in progress; shares are percentages of 0 to 100."""

    about: Link
    facts: str
    done: float
    failed: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Recent:
    """Something that was made lately."""

    about: Link
    at: datetime


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


def lab_of(user: User) -> Lab:
    """What a researcher has made lately, in five queries."""
    threads = inbox.waiting(Thread.objects.filter(campaign=OuterRef("pk"))).order_by()
    pauses = Pause.objects.filter(campaign=OuterRef("pk"), ended_at=None).order_by()
    raters = Membership.objects.filter(
        campaign=OuterRef("pk"), role=Membership.Role.ANNOTATOR
    ).order_by()
    campaigns = list(
        Campaign.objects.led_by(user)
        .current()
        .annotate(members=_number(raters), questions=_number(threads), paused=_number(pauses))[
            :NEWEST
        ]
    )
    runs = Run.objects.visible_to(user).current().select_related("dataset", "corpus")
    return Lab(
        datasets=list(Dataset.objects.visible_to(user).current()[:NEWEST]),
        corpora=list(Corpus.objects.visible_to(user).current()[:NEWEST]),
        runs=list(
            runs.annotate(
                failed=_of_run_in(Revision.State.FAILED),
                done=_of_run_in(Revision.State.DONE),
                judged=Exists(CampaignRun.objects.filter(run=OuterRef("pk"))),
            )[:NEWEST]
        ),
        campaigns=campaigns,
        phases=phases_of(campaigns) if campaigns else {},
    )


def _of_run_in(state: str) -> Coalesce:
    """How many revisions of an outer run are in a state."""
    rows = Revision.objects.filter(run=OuterRef("pk"), state=state).order_by().values("run")
    return Coalesce(Subquery(rows.annotate(n=Count("pk")).values("n")), 0)


def _number(rows: Any) -> Coalesce:
    """How many rows an outer campaign has."""
    return Coalesce(Subquery(rows.values("campaign").annotate(n=Count("pk")).values("n")), 0)


def checklist(lab: Lab) -> list[Step]:
    """The five steps from a file to a labelled dataset, each with what there is already."""
    wants_corpus = needs_corpus(settings.RARR_SEARCH)
    dataset = next((each for each in lab.datasets if each.passage_count), None)
    corpus = next((each for each in lab.corpora if each.state == Corpus.State.READY), None)
    coming = next(iter(lab.corpora), None)
    run = next(iter(lab.runs), None)
    campaign = next(iter(lab.campaigns), None)
    judged = next((each for each in lab.campaigns if _submitted(lab, each)), None)
    can_run = dataset is not None and (corpus is not None or not wants_corpus)
    return [
        Step(
            name="dataset",
            title=_("Dataset"),
            text=_("The passages to check: JSONL, CSV, HAGRID, ALCE or RARR files."),
            action=Link(label=_("Upload dataset"), url=reverse("pipeline:new-dataset")),
            done=_link(dataset),
            facts=_passages(dataset.passage_count) if dataset else "",
        ),
        Step(
            name="corpus",
            title=_("Corpus"),
            text=_("The documents to search for evidence.")
            if wants_corpus
            else _("The documents to search for evidence, beside the web."),
            action=Link(label=_("Add corpus"), url=reverse("pipeline:new-corpus")),
            done=_link(corpus),
            facts=_documents(corpus.document_count) if corpus else "",
            needs=f"{coming.name}: {_(coming.get_state_display())}"
            if coming and not corpus
            else "",
        ),
        Step(
            name="run",
            title=_("Run"),
            text=_(
                "Finds evidence for each passage and revises what it contradicts. You see every "
                "query and every edit."
            ),
            action=Link(label=_("New run"), url=reverse("pipeline:new-run")) if can_run else None,
            done=Link(label=_("Run %(number)s") % {"number": run.pk}, url=run.get_absolute_url())
            if run
            else None,
            facts=f"{run.system}, {run.dataset.name}" if run else "",
            needs=_("needs a dataset and a corpus") if wants_corpus else _("needs a dataset"),
        ),
        Step(
            name="campaign",
            title=_("Campaign"),
            text=_("Raters judge the passages. Invite them by link, or annotate yourself."),
            action=_new_campaign(run) if run else None,
            done=_link(campaign),
            facts=_("%(number)s items") % {"number": campaign.item_count} if campaign else "",
            needs=_("needs a run"),
        ),
        Step(
            name="export",
            title=_("Export"),
            text=_("The labelled dataset with counts, configuration and checksums."),
            action=Link(label=_("Export"), url=reverse("annotation:export", args=[judged.slug]))
            if judged
            else None,
            needs=_("needs judgments"),
        ),
    ]


def waiting_for(lab: Lab) -> list[Waiting]:
    """What waits for a researcher, what holds others up first."""
    compared = [each for each in lab.campaigns if not each.is_draft and each.raters_needed > 1]
    found = [
        *(each for campaign in compared[:COMPARED] for each in _to_settle(campaign)),
        *(each for campaign in lab.campaigns for each in _of_campaign(lab, campaign)),
        *(each for run in lab.runs for each in _of_run(run)),
        *(
            Waiting(
                symbol="✕", look="no", title=_("Indexing failed"), facts=[corpus.error],
                about=Link(label=corpus.name, url=corpus.get_absolute_url()),
                action=Link(label=_("Review"), url=corpus.get_absolute_url()),
            )
            for corpus in lab.corpora
            if corpus.state == Corpus.State.FAILED
        ),
    ]  # fmt: skip
    urgent = {"no": 0, "warn": 1, "": 2, "yes": 3}
    return sorted(found, key=lambda each: urgent[each.look])


def _to_settle(campaign: Campaign) -> Iterator[Waiting]:
    number = cached_figure("waiting", campaign, waiting(campaign).count).value
    if number:
        title = ngettext(
            "%(number)s item with split answers", "%(number)s items with split answers", number
        )
        url = reverse("annotation:adjudications") + f"?campaign={campaign.slug}"
        yield Waiting(
            symbol="≠", look="warn", title=title % {"number": number}, facts=[],
            about=Link(label=campaign.name, url=campaign.get_absolute_url()),
            action=Link(label=_("Adjudicate"), url=url),
        )  # fmt: skip


def _of_campaign(lab: Lab, campaign: Any) -> Iterator[Waiting]:
    about = Link(label=campaign.name, url=campaign.get_absolute_url())
    phases = lab.phases.get(campaign.pk, [])
    now = [each for each in phases if each.phase == campaign.state]
    done = bool(now) and all(each.is_complete for each in now)

    def row(symbol: str, look: str, title: str, action: str, url: str) -> Waiting:
        return Waiting(
            symbol=symbol, look=look, title=title, facts=[], about=about,
            action=Link(label=action, url=url),
        )  # fmt: skip

    if campaign.state == Campaign.State.DRAFT:
        yield row("✎", "", _("A draft is not started"), _("Open draft"), about.url)
    elif campaign.is_open and not campaign.members:
        adding = reverse("annotation:add-raters", args=[campaign.slug])
        yield row("⚠", "warn", _("No raters yet"), _("Add raters"), adding)
    elif campaign.state == Campaign.State.PILOT and done:
        yield row("✓", "yes", _("The pilot is judged"), _("Review"), about.url)
    elif campaign.state == Campaign.State.PRODUCTION and done:
        url = reverse("annotation:export", args=[campaign.slug])
        yield row("✓", "yes", _("All judgments are in"), _("Export"), url)
    if campaign.questions:
        title = ngettext(
            "%(number)s question from raters", "%(number)s questions from raters",
            campaign.questions,
        )  # fmt: skip
        url = reverse("annotation:questions", args=[campaign.slug])
        yield row("?", "warn", title % {"number": campaign.questions}, _("Answer"), url)
    if campaign.paused:
        title = ngettext(
            "%(number)s rater is below the gold threshold",
            "%(number)s raters are below the gold threshold",
            campaign.paused,
        )
        url = reverse("annotation:checks", args=[campaign.slug])
        yield row("⚠", "warn", title % {"number": campaign.paused}, _("Review"), url)


def _of_run(run: Any) -> Iterator[Waiting]:
    about = Link(label=str(run), url=run.get_absolute_url())
    if run.state == Run.State.PAUSED and run.pause_reason:
        yield Waiting(
            symbol="⏸", look="no", title=_("A run paused by itself"), facts=[run.pause_reason],
            about=about, action=Link(label=_("Review"), url=about.url),
        )  # fmt: skip
    elif run.failed:
        title = ngettext(
            "%(number)s passage failed", "%(number)s passages failed", run.failed
        ) % {"number": run.failed}  # fmt: skip
        yield Waiting(
            symbol="✕", look="no", title=title, facts=[], about=about,
            action=Link(label=_("Review"), url=about.url),
        )  # fmt: skip
    is_new = run.finished_at is not None and run.finished_at > timezone.now() - LATELY
    if run.state == Run.State.FINISHED and is_new and not run.judged:
        yield Waiting(
            symbol="✓", look="yes", title=_("A run is finished"), facts=[], about=about,
            action=_new_campaign(run),
        )  # fmt: skip


def moving(lab: Lab) -> list[Moving]:
    """The corpora that are being indexed, the runs and the campaigns in progress."""
    corpora = [
        Moving(
            about=Link(label=corpus.name, url=corpus.get_absolute_url()),
            facts=_("%(done)s of %(all)s documents indexed")
            % {"done": corpus.indexed_count, "all": corpus.document_count},
            done=100 * corpus.indexed_count / max(corpus.document_count, 1),
        )
        for corpus in lab.corpora
        if corpus.state in INDEXING
    ]
    runs = [
        Moving(
            about=Link(label=str(run), url=run.get_absolute_url()),
            facts=_("%(done)s of %(all)s passages")
            % {"done": run.done + run.failed, "all": run.passage_count},
            done=100 * run.done / max(run.passage_count, 1),
            failed=100 * run.failed / max(run.passage_count, 1),
        )
        for run in lab.runs
        if run.state == Run.State.RUNNING
    ]
    campaigns = [
        Moving(
            about=Link(label=campaign.name, url=campaign.get_absolute_url()),
            facts=_("%(done)s of %(all)s submissions") % {"done": done, "all": wanted},
            done=100 * done / max(wanted, 1),
        )
        for campaign in lab.campaigns
        if campaign.is_open
        for done, wanted in [(_submitted(lab, campaign), _wanted(lab, campaign))]
        if done < wanted
    ]
    return corpora + runs + campaigns


def recent(lab: Lab) -> list[Recent]:
    """The newest of all kinds, the newest first."""
    rows: list[Any] = [*lab.datasets, *lab.corpora, *lab.runs, *lab.campaigns]
    newest = sorted(rows, key=attrgetter("created_at"), reverse=True)[:RECENT]
    return [
        Recent(about=Link(label=str(row), url=row.get_absolute_url()), at=row.created_at)
        for row in newest
    ]


def _submitted(lab: Lab, campaign: Campaign) -> int:
    return sum(each.done for each in lab.phases.get(campaign.pk, []))


def _wanted(lab: Lab, campaign: Campaign) -> int:
    return sum(each.wanted for each in lab.phases.get(campaign.pk, []))


def _link(row: Dataset | Corpus | Campaign | None) -> Link | None:
    return Link(label=row.name, url=row.get_absolute_url()) if row else None


def _new_campaign(run: Run) -> Link:
    return Link(label=_("New campaign"), url=reverse("annotation:new-campaign") + f"?run={run.pk}")


def _passages(number: int) -> str:
    return ngettext("%(number)s passage", "%(number)s passages", number) % {"number": number}


def _documents(number: int) -> str:
    return ngettext("%(number)s document", "%(number)s documents", number) % {"number": number}
