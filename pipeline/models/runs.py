"""Runs with results, scoring jobs and shared links."""

from typing import Self

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils import timezone

from pipeline.backends import FOLLOWS_LLM
from pipeline.backends.search_names import CORPUS, SOURCES
from pipeline.generation.strategies import STRATEGIES
from pipeline.models.bases import Archivable, LabQuerySet, LeasedJob
from pipeline.models.data import Corpus, Dataset, Passage
from rarrweb.accounts.models import User


class RunQuerySet(LabQuerySet["Run"]):
    def of_lab(self) -> Self:
        """Without trials."""
        return self.filter(dataset__trial_owner=None)

    def visible_to(self, user: User) -> Self:
        return super().visible_to(user).of_lab()

    def of_systems(self) -> Self:
        """Without runs of unrevised datasets."""
        return self.exclude(system=Run.UNREVISED)

    def comparable(self) -> Self:
        """Runs of systems, and scored runs of imported answers."""
        return self.filter(~Q(system=Run.UNREVISED) | Q(config__has_key="entailment"))


class Run(Archivable):
    """A system or strategy with a frozen configuration over a dataset."""

    UNREVISED = "unrevised"
    """Instead of a system: the dataset's passages with their sources (`runs.imported`)."""
    IMPORTED = "imported"
    """The system of imported revisions, if unknown."""

    HUMAN = "human"
    """The system of manual revisions: the human oracle (RARR 6.1)."""

    class State(models.TextChoices):
        RUNNING = "running", "running"
        PAUSED = "paused", "paused"
        CANCELLED = "cancelled", "cancelled"
        FINISHED = "finished", "finished"

    system = models.CharField(max_length=50)
    config = models.JSONField()
    """The frozen configuration: all hyper-parameters and backends by name."""
    versions = models.JSONField(default=dict)
    """rarrweb, Python and packages that can change results."""
    dataset = models.ForeignKey(Dataset, on_delete=models.PROTECT, related_name="runs")
    corpus = models.ForeignKey(Corpus, on_delete=models.PROTECT, null=True, related_name="runs")
    """None if the run searches no corpus."""
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)
    state = models.CharField(max_length=20, choices=State, default=State.RUNNING)
    passage_count = models.PositiveIntegerField(default=0)
    group = models.UUIDField(null=True, db_index=True)
    """Shared by runs started together; None for a single one."""
    pause_reason = models.TextField(blank=True)
    """Why the run paused by itself; "" otherwise."""
    is_refreshed = models.BooleanField(default=False)
    """Cached answers from before the run are not used."""
    # Calls of language models, also of failed attempts; see pipeline.figures.costs.
    calls_spent = models.PositiveIntegerField(default=0)
    tokens_spent = models.PositiveBigIntegerField(default=0)
    cost_spent = models.FloatField(default=0.0)
    replies = models.JSONField(default=dict, blank=True)
    """`pipeline.backends.calls.ReplyCounts` by step; see `pipeline.runs.budget`."""

    objects = RunQuerySet.as_manager()

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"Run {self.pk}: {self.system} over {self.dataset}"

    def get_absolute_url(self) -> str:
        return reverse("pipeline:run", args=[self.pk])

    @property
    def is_trial(self) -> bool:
        return self.dataset.trial_owner_id is not None

    @property
    def gate_model(self) -> str:
        name = self.config.get("llm_agreement", FOLLOWS_LLM)
        return str(self.config.get("llm", "") if name == FOLLOWS_LLM else name)

    @property
    def searches_web(self) -> bool:
        return self.config.get("search", CORPUS) not in {CORPUS, SOURCES}

    @property
    def searches_passage_sources(self) -> bool:
        return bool(self.config.get("search") == SOURCES)

    @property
    def searched(self) -> str:
        """Origin of its evidence: the corpus's name, the web, or both."""
        if self.is_unrevised:
            return "what came with the passages"
        if self.is_imported:
            return "the file they came in"
        if self.searches_passage_sources:
            return "the passages’ own sources"
        corpus = self.corpus.name if self.corpus else ""
        return " and ".join(filter(None, [corpus, "the web" if self.searches_web else ""]))

    @property
    def is_unrevised(self) -> bool:
        return self.system == self.UNREVISED

    @property
    def is_imported(self) -> bool:
        return "file" in self.config

    @property
    def writes_answers(self) -> bool:
        """Whether its system is a strategy, which revises nothing."""
        return self.system in STRATEGIES

    @property
    def shows_answers(self) -> bool:
        """Whether its rows are answers with citations: a strategy's, or imported and scored."""
        return self.writes_answers or (self.is_unrevised and "entailment" in self.config)

    @property
    def noun(self) -> str:
        return "answer" if self.shows_answers else "revision"

    @property
    def has_revised_texts(self) -> bool:
        """Whether there is a y: not for answers or unrevised datasets."""
        return not (self.is_unrevised or self.writes_answers)

    @property
    def is_over(self) -> bool:
        return self.state in {self.State.CANCELLED, self.State.FINISHED}


class RevisionQuerySet(LabQuerySet["Revision"]):
    def visible_to(self, user: User) -> Self:
        return super().visible_to(user).filter(run__dataset__trial_owner=None)

    def trials_of(self, user: User) -> Self:
        return super().visible_to(user).filter(run__dataset__trial_owner=user)

    def claimable(self) -> Self:
        """Waiting for a worker, and not for a later time."""
        is_due = Q(not_before=None) | Q(not_before__lte=timezone.now())
        # Not a join: see `jobs.leases.claim`.
        running = Run.objects.filter(state=Run.State.RUNNING)
        return self.filter(is_due, state=Revision.State.QUEUED, run__in=running)

    def failed(self) -> Self:
        return self.filter(state=Revision.State.FAILED)


class Revision(LeasedJob):
    """A run's work on a passage, and its result: y, the attribution report A and the trace."""

    class State(models.TextChoices):
        QUEUED = "queued", "waiting"
        RUNNING = "running", "being revised"
        DONE = "done", "revised"
        FAILED = "failed", "failed"

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="revisions")
    passage = models.ForeignKey(Passage, on_delete=models.PROTECT, related_name="revisions")

    state = models.CharField(max_length=20, choices=State, default=State.QUEUED)
    started_at = models.DateTimeField(null=True)
    """Start of this try once its models are loaded; None until then."""
    finished_at = models.DateTimeField(null=True)
    failure = models.CharField(max_length=100, blank=True)
    """The error's name; `failure_message` is its sentence."""
    failure_message = models.TextField(blank=True)

    # x at the start: a later import cannot change the result.
    original_text = models.TextField(blank=True)
    context = models.TextField(blank=True)

    text = models.TextField(blank=True)
    """y"""
    result = models.JSONField(default=dict, blank=True)
    """`to_plain(Revision)`: queries, evidence, trace, report, errors."""
    sentences = models.JSONField(default=dict, blank=True)
    """Auto-AIS by sentence: `{"before": [...], "after": [...]}`, see engine.auto_ais."""
    marks = models.TextField(blank=True)
    """The same for y, a letter a sentence, see `engine.auto_ais.sentence_codes`."""
    usage = models.JSONField(default=dict, blank=True)
    calls = models.JSONField(default=list, blank=True)
    """All model calls of all tries: `pipeline.backends.calls.Call.to_plain`."""

    # Columns, so that lists filter and sort without JSON.
    is_changed = models.BooleanField(default=False)
    edits_accepted = models.PositiveIntegerField(default=0)
    edits_rejected = models.PositiveIntegerField(default=0)
    error_count = models.PositiveIntegerField(default=0)
    attribution_before = models.FloatField(null=True)
    attribution_after = models.FloatField(null=True)
    attribution_restrictive = models.FloatField(null=True)
    preservation = models.FloatField(null=True)
    """Pres_Lev(x, y)"""
    f1_ap = models.FloatField(null=True)

    # For strategies, `original_text` is the answer.
    generation = models.JSONField(default=dict, blank=True)
    """`pipeline.generation.types.Record`: a strategy's steps, and format problems."""
    citation_scores = models.JSONField(default=dict, blank=True)
    """ALCE's figures, see `engine.answer_scores`; {} if unscored."""
    citation_recall = models.FloatField(null=True)
    citation_precision = models.FloatField(null=True)
    correctness = models.FloatField(null=True)
    """The share of right answers in the answer; None without right answers."""

    attempts = models.PositiveIntegerField(default=0)
    not_before = models.DateTimeField(null=True)
    sent_at = models.DateTimeField(null=True)
    """Time of the last queue message."""

    objects = RevisionQuerySet.as_manager()

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["run", "passage"], name="pipeline_revision_once_a_passage"
            )
        ]
        indexes = [
            models.Index(fields=["run", "state", "id"], name="pipeline_rev_by_state"),
            models.Index(fields=["run", "finished_at"], name="pipeline_rev_by_end"),
            # All columns that lists and comparisons read: rows with long texts are slow.
            models.Index(
                fields=[
                    "run",
                    "state",
                    "is_changed",
                    "edits_rejected",
                    "attribution_before",
                    "attribution_after",
                    "preservation",
                    "id",
                    "passage",
                    "attribution_restrictive",
                ],
                name="pipeline_rev_figures",
            ),
        ]

    def __str__(self) -> str:
        return f"Revision {self.pk} of {self.passage_id} in run {self.run_id}"

    def get_absolute_url(self) -> str:
        return reverse("pipeline:revision", args=[self.pk])

    @property
    def is_over(self) -> bool:
        return self.state in {self.State.DONE, self.State.FAILED}


class ScoringJob(LeasedJob):
    """Auto-AIS and ALCE's figures of one run; replaced by the next scoring."""

    class State(models.TextChoices):
        QUEUED = "queued", "waiting for a worker"
        RUNNING = "running", "being scored"
        DONE = "done", "scored"
        FAILED = "failed", "failed"

    OPEN = (State.QUEUED, State.RUNNING)

    run = models.OneToOneField(Run, on_delete=models.CASCADE, related_name="scoring")
    state = models.CharField(max_length=20, choices=State, default=State.QUEUED)
    passages_done = models.PositiveIntegerField(default=0)
    failed_passages = models.JSONField(default=list)
    """A sentence for each passage that could not be scored."""
    failure = models.TextField(blank=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"scoring of run {self.run_id} ({self.get_state_display()})"

    @property
    def is_open(self) -> bool:
        return self.state in self.OPEN


class SharedRevision(models.Model):
    """A public link; its token is not hashed, as users who can read it can read the revision."""

    revision = models.OneToOneField(Revision, on_delete=models.CASCADE, related_name="share")
    token = models.CharField(max_length=64, unique=True)
    shows_raters = models.BooleanField(default=False)
    """Whether readers see counts of raters' answers by sentence."""
    shared_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+"
    )
    """The link works while this user is a researcher."""
    shared_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"Link to {self.revision}"
