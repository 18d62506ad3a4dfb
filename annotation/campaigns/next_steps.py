"""What is next for a person: what the home page is about."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.urls import reverse

from annotation.campaigns.progress import PhaseProgress, phases_of
from annotation.judging.claims import judged_by
from annotation.models import Assignment, Campaign, Item
from pipeline.backends.search_names import needs_corpus
from pipeline.models import Corpus, Dataset, Revision, Run
from rarrweb.accounts.models import User


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One useful thing to do now."""

    title: str
    text: str
    label: str
    url: str


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
class Lab:
    """What the lab has so far."""

    has_passages: bool
    has_corpus: bool
    has_ready_corpus: bool
    has_runs: bool
    is_running: bool
    is_indexing: bool

    @property
    def is_work_waiting(self) -> bool:
        """Whether a run or a corpus waits for a worker."""
        return self.is_running or self.is_indexing


def lab_of(user: User) -> Lab:
    """What a researcher has. One query for all of it."""
    corpora = Corpus.objects.visible_to(user)
    runs = Run.objects.visible_to(user)
    indexing = [Corpus.State.QUEUED, Corpus.State.INDEXING]
    found = User.objects.filter(pk=user.pk).values(
        has_passages=Exists(Dataset.objects.visible_to(user).filter(passage_count__gt=0)),
        has_corpus=Exists(corpora),
        has_ready_corpus=Exists(corpora.filter(state=Corpus.State.READY)),
        has_runs=Exists(runs),
        is_running=Exists(runs.filter(state=Run.State.RUNNING)),
        is_indexing=Exists(corpora.filter(state__in=indexing)),
    )
    return Lab(**found.get())


def next_step(user: User, lab: Lab | None = None) -> Step:
    """The next step of a researcher, by what the lab has so far."""
    lab = lab or lab_of(user)
    if not lab.has_passages:
        return Step(
            title="Bring in the passages",
            text="A dataset is a set of passages that a language model wrote. Upload them as "
            "JSON lines or CSV; every row is checked before one is written.",
            label="New dataset",
            url=reverse("pipeline:new-dataset"),
        )
    if needs_corpus(settings.RARR_SEARCH) and not lab.has_ready_corpus:
        return _towards_a_corpus(user, lab)
    if not lab.has_runs:
        return Step(
            title="Research and revise",
            text="A run takes every passage of a dataset, looks for evidence and revises what the "
            "evidence contradicts.",
            label="Start a run",
            url=reverse("pipeline:new-run"),
        )
    return _after_the_first_run(user, lab)


def _towards_a_corpus(user: User, lab: Lab) -> Step:
    """What is missing until a corpus can be searched."""
    if not lab.has_corpus:
        return Step(
            title="Bring in the sources",
            text="A corpus is what the passages are checked against: text, Markdown or HTML "
            "files, or JSON lines. It is indexed in the background.",
            label="New corpus",
            url=reverse("pipeline:new-corpus"),
        )
    corpus = Corpus.objects.visible_to(user).order_by("-pk")[0]
    return Step(
        title="The corpus is on its way",
        text=f"“{corpus.name}” is {corpus.get_state_display()}. "
        "A run can start as soon as a corpus is ready.",
        label="Look at the corpus",
        url=corpus.get_absolute_url(),
    )


def _after_the_first_run(user: User, lab: Lab) -> Step:
    runs = Run.objects.visible_to(user)
    finished = Revision.objects.filter(run=OuterRef("pk"), state=Revision.State.DONE)
    to_judge = runs.filter(Exists(finished), state=Run.State.FINISHED, campaigns=None)
    campaigns = Campaign.objects.led_by(user)
    opened = campaigns.filter(state__in=Campaign.OPEN).first()
    if opened is None:
        run = to_judge.first()
        if run is not None:
            return Step(
                title="Let people judge",
                text=f"Run {run.pk} over {run.dataset.name} is finished. A campaign shows its "
                "passages to raters, who mark sentence by sentence what the evidence supports.",
                label="Start a campaign",
                url=reverse("annotation:new-campaign") + f"?run={run.pk}",
            )
    going = runs.filter(state=Run.State.RUNNING).first() if lab.is_running else None
    if going is not None:
        return Step(
            title="A run is going",
            text=f"Run {going.pk} revises {going.dataset.name}. You can read what is finished "
            "while the rest goes on.",
            label="Watch it",
            url=going.get_absolute_url(),
        )
    return _about_campaigns(opened or campaigns.first(), runs)


def _about_campaigns(campaign: Campaign | None, runs: QuerySet[Run]) -> Step:
    if campaign is None:
        run = runs[0]
        return Step(
            title="See how the run went",
            text=f"Run {run.pk} is {run.get_state_display()}; nothing of it can be judged yet.",
            label="Look at the run",
            url=run.get_absolute_url(),
        )
    phases = phases_of([campaign]).get(campaign.pk, [])
    wanted = sum(each.wanted for each in phases)
    handed_in = sum(each.done for each in phases)
    if campaign.state == Campaign.State.DRAFT:
        return Step(
            title="A draft waits",
            text=f"“{campaign.name}” is a draft. Look at it as raters will see it, and start it.",
            label="Open the draft",
            url=campaign.get_absolute_url(),
        )
    if campaign.state == Campaign.State.PILOT and all(
        each.is_complete for each in phases if each.phase == campaign.state
    ):
        return Step(
            title="The pilot is judged",
            text=f"Look at what the raters of “{campaign.name}” said and how far they agree, "
            "improve the instructions, and start production.",
            label="Look at the pilot",
            url=campaign.get_absolute_url(),
        )
    if handed_in >= wanted:
        return Step(
            title="Everything is judged",
            text=f"“{campaign.name}” has all of its {wanted:,} submissions. "
            "Export the dataset. The results are on the campaign's page.",
            label="Export the dataset",
            url=reverse("annotation:export", args=[campaign.slug]),
        )
    if not campaign.memberships.exists():
        return Step(
            title="Find raters",
            text=f"“{campaign.name}” is open and nobody judges in it yet. "
            "Make an invitation link, or annotate in it yourself.",
            label="Invite raters",
            url=campaign.get_absolute_url() + "#invite-heading",
        )
    return Step(
        title="Judging is under way",
        text=f"{handed_in:,} of {wanted:,} submissions of “{campaign.name}” are in.",
        label="See the progress",
        url=campaign.get_absolute_url(),
    )
