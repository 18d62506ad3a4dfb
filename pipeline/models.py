"""What the machine works on and what it makes. The database is the truth, not the queue."""

from typing import Self, TypeVar

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Lower
from django.urls import reverse
from django.utils import timezone

from rarrweb.accounts.models import User

Row = TypeVar("Row", bound=models.Model)


class LabQuerySet(models.QuerySet[Row]):
    """Rows that belong to the whole lab: every researcher sees them, nobody else does."""

    def visible_to(self, user: User) -> Self:
        return self.all() if user.is_researcher else self.none()

    def current(self) -> Self:
        """Those that nobody has archived."""
        return self.filter(archived_at=None)


class Archivable(models.Model):
    """What lists and forms leave out once it is archived; nothing of it is lost."""

    archived_at = models.DateTimeField(null=True)

    class Meta:
        abstract = True


class Collection(Archivable):
    """What a person brings in under a name: a dataset of passages, a corpus of documents."""

    slug = models.SlugField(max_length=100, unique=True)
    name = models.CharField(max_length=200)
    description = models.TextField(blank=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    objects = LabQuerySet.as_manager()

    class Meta:
        abstract = True
        ordering = ["-created_at", "-pk"]
        indexes = [
            models.Index(Lower("name"), "id", name="%(app_label)s_%(class)s_by_name"),
            models.Index(fields=["created_at", "id"], name="%(app_label)s_%(class)s_by_date"),
        ]

    def __str__(self) -> str:
        return self.name


class LeasedJob(models.Model):
    """A row that one worker at a time works on; see `pipeline.jobs.leases`."""

    claim = models.CharField(max_length=40, blank=True)
    lease_until = models.DateTimeField(null=True)
    lost_leases = models.PositiveSmallIntegerField(default=0)

    class Meta:
        abstract = True


class RevisedText(models.Model):
    """x and what a system made of it: y, the report, the trace, and their figures."""

    # x as it was at the start, so that a later import cannot change the result.
    original_text = models.TextField(blank=True)
    context = models.TextField(blank=True)

    text = models.TextField(blank=True)
    """y"""
    result = models.JSONField(default=dict, blank=True)
    """`pipeline.rarr.plain.to_plain(Revision)`: queries, evidence, trace, report, errors."""
    sentences = models.JSONField(default=dict, blank=True)
    """Auto-AIS by sentence: `{"before": [...], "after": [...]}`, see engine.auto_ais."""
    usage = models.JSONField(default=dict, blank=True)
    calls = models.JSONField(default=list, blank=True)
    """Every call of a language model, of all tries: `pipeline.backends.calls.Call.to_plain`."""

    # Figures in columns, so that lists filter and sort without reading the JSON.
    is_changed = models.BooleanField(default=False)
    edits_kept = models.PositiveIntegerField(default=0)
    edits_rejected = models.PositiveIntegerField(default=0)
    error_count = models.PositiveIntegerField(default=0)
    attribution_before = models.FloatField(null=True)
    attribution_after = models.FloatField(null=True)
    attribution_restrictive = models.FloatField(null=True)
    preservation = models.FloatField(null=True)
    """Pres_Lev(x, y)"""
    f1_ap = models.FloatField(null=True)

    class Meta:
        abstract = True


class Dataset(Collection):
    """A set of passages."""

    passage_count = models.PositiveIntegerField(default=0)
    is_complete = models.BooleanField(default=True)
    """False while a large file is being imported, and after an import that broke off."""

    def get_absolute_url(self) -> str:
        return reverse("pipeline:dataset", args=[self.slug])


class Passage(models.Model):
    """x: a text that a language model wrote, with the context it was written in."""

    dataset = models.ForeignKey(Dataset, on_delete=models.CASCADE, related_name="passages")
    external_id = models.CharField(max_length=200)
    text = models.TextField(blank=True)
    context = models.TextField(blank=True)
    source = models.JSONField(default=dict, blank=True)
    """The rest of the imported line, carried through untouched (e.g. HAGRID's quotes)."""
    content_hash = models.CharField(max_length=64)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["dataset", "external_id"], name="pipeline_passage_once_a_dataset"
            )
        ]

    def __str__(self) -> str:
        return f"{self.external_id}: {self.text[:60]}"


class Corpus(Collection, LeasedJob):
    """Documents to search. The search index is a file made from the rows, and can be remade."""

    class State(models.TextChoices):
        EMPTY = "empty", "empty"
        QUEUED = "queued", "waiting to be indexed"
        INDEXING = "indexing", "being indexed"
        READY = "ready", "ready"
        FAILED = "failed", "failed"

    state = models.CharField(max_length=20, choices=State, default=State.EMPTY)
    document_count = models.PositiveIntegerField(default=0)
    indexed_count = models.PositiveIntegerField(default=0)
    error = models.TextField(blank=True)

    class Meta(Collection.Meta):
        verbose_name_plural = "corpora"

    def get_absolute_url(self) -> str:
        return reverse("pipeline:corpus", args=[self.slug])


class Document(models.Model):
    """A page of a corpus. Lines that start with `#` to `######` and a space are headings."""

    corpus = models.ForeignKey(Corpus, on_delete=models.CASCADE, related_name="documents")
    external_id = models.CharField(max_length=500)
    title = models.CharField(max_length=1000, blank=True)
    url = models.CharField(max_length=2000, blank=True)
    text = models.TextField()
    content_hash = models.CharField(max_length=64)
    is_indexed = models.BooleanField(default=False)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["corpus", "external_id"], name="pipeline_document_once_a_corpus"
            )
        ]
        indexes = [
            models.Index(
                fields=["corpus", "id"],
                name="pipeline_doc_to_index",
                condition=Q(is_indexed=False),
            )
        ]

    def __str__(self) -> str:
        return self.title or self.external_id


class Run(Archivable):
    """One system with one frozen configuration over one dataset."""

    class State(models.TextChoices):
        RUNNING = "running", "running"
        PAUSED = "paused", "paused"
        CANCELLED = "cancelled", "cancelled"
        FINISHED = "finished", "finished"

    system = models.CharField(max_length=50)
    dataset = models.ForeignKey(Dataset, on_delete=models.PROTECT, related_name="runs")
    corpus = models.ForeignKey(Corpus, on_delete=models.PROTECT, null=True, related_name="runs")
    """None where the run searches the web only."""
    config = models.JSONField()
    """The whole frozen configuration: every hyper-parameter and every backend by name."""
    versions = models.JSONField(default=dict)
    """rarrweb, Python and the packages whose version can change a result."""
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)
    state = models.CharField(max_length=20, choices=State, default=State.RUNNING)
    passage_count = models.PositiveIntegerField(default=0)
    group = models.UUIDField(null=True, db_index=True)
    """Shared by the runs that were started together; None for one that was started alone."""
    pause_reason = models.TextField(blank=True)
    """Why the run paused by itself; "" where a person paused it, or nobody did."""
    is_refreshed = models.BooleanField(default=False)
    """Answers that were kept before the run's start are asked anew."""
    # What its calls of language models have cost, failed tries too; see pipeline.runs.costs.
    calls_spent = models.PositiveIntegerField(default=0)
    tokens_spent = models.PositiveBigIntegerField(default=0)
    cost_spent = models.FloatField(default=0.0)

    objects = LabQuerySet.as_manager()

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"Run {self.pk}: {self.system} over {self.dataset}"

    def get_absolute_url(self) -> str:
        return reverse("pipeline:run", args=[self.pk])

    @property
    def searched(self) -> str:
        """Where its evidence comes from: the corpus's name, the web, or both."""
        corpus = self.corpus.name if self.corpus else ""
        return " and ".join(filter(None, [corpus, "the web" if self.searches_web else ""]))

    @property
    def searches_web(self) -> bool:
        return bool(self.config.get("search", "corpus") != "corpus")

    @property
    def is_over(self) -> bool:
        return self.state in {self.State.CANCELLED, self.State.FINISHED}


class RevisionQuerySet(LabQuerySet["Revision"]):
    def claimable(self) -> Self:
        """Waiting for its turn, or left behind by a worker that died with its lease."""
        now = timezone.now()
        waiting = Q(state=Revision.State.QUEUED) & (Q(not_before=None) | Q(not_before__lte=now))
        left_behind = Q(state=Revision.State.RUNNING, lease_until__lt=now)
        # `run__in`, not a join: Django would move all conditions of a joined UPDATE into a
        # subquery, which PostgreSQL does not test again after it waited for another claim.
        running = Run.objects.filter(state=Run.State.RUNNING)
        return self.filter(waiting | left_behind, run__in=running)

    def failed(self) -> Self:
        return self.filter(state=Revision.State.FAILED)


class Revision(LeasedJob, RevisedText):
    """A run's result for one passage: y, the attribution report A and the trace.

    The row exists from the start of the run and is the unit of work: a worker claims it by
    one conditional UPDATE (`runs.lifecycle`), works under a lease, and writes the result only
    while the claim is still its own.
    """

    class State(models.TextChoices):
        QUEUED = "queued", "waiting"
        RUNNING = "running", "being revised"
        DONE = "done", "revised"
        FAILED = "failed", "failed"

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="revisions")
    passage = models.ForeignKey(Passage, on_delete=models.PROTECT, related_name="revisions")
    state = models.CharField(max_length=20, choices=State, default=State.QUEUED)

    # Work: tries and failure.
    attempts = models.PositiveIntegerField(default=0)
    not_before = models.DateTimeField(null=True)
    sent_at = models.DateTimeField(null=True)
    """When a queue message for this row was last sent."""
    started_at = models.DateTimeField(null=True)
    """When this try began, or when its models were loaded; None while they load."""
    finished_at = models.DateTimeField(null=True)
    failure = models.CharField(max_length=100, blank=True)
    """The error's name; `failure_message` says it in a sentence."""
    failure_message = models.TextField(blank=True)

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
            # All that the list of revisions sorts, filters and counts by: the rows themselves
            # lie far apart, because each has long texts and JSON in it.
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
                ],
                name="pipeline_rev_listed",
            ),
        ]

    def __str__(self) -> str:
        return f"Revision {self.pk} of {self.passage_id} in run {self.run_id}"

    def get_absolute_url(self) -> str:
        return reverse("pipeline:revision", args=[self.pk])


class TrialQuerySet(models.QuerySet["Trial"]):
    def visible_to(self, user: User) -> Self:
        """One's own: a passage that somebody tries is not the lab's until it is kept."""
        return self.filter(owner=user) if user.is_researcher else self.none()

    def shared_as(self, token: str) -> Self:
        return self.filter(share_token=token).exclude(share_token="")

    def waiting(self) -> Self:
        """Not begun, or left behind by a worker that died with its lease."""
        left_behind = Q(state=Trial.State.RUNNING, lease_until__lt=timezone.now())
        return self.filter(Q(state=Trial.State.QUEUED) | left_behind)


class Trial(LeasedJob, RevisedText):
    """A passage that somebody tries, without a dataset or a run; see `pipeline.trials`.

    While a worker is at it, `result` and `text` hold the revision as far as it has come.
    """

    class State(models.TextChoices):
        QUEUED = "queued", "waiting"
        RUNNING = "running", "being revised"
        DONE = "done", "revised"
        FAILED = "failed", "failed"

    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="trials"
    )
    corpus = models.ForeignKey(Corpus, on_delete=models.SET_NULL, null=True, related_name="+")
    sources = models.JSONField(default=list, blank=True)
    """Documents in place of a corpus: `{"id", "title", "url", "text"}`, or `{"url"}` to read."""
    config = models.JSONField()
    versions = models.JSONField(default=dict)
    state = models.CharField(max_length=20, choices=State, default=State.QUEUED)
    news = models.PositiveIntegerField(default=0)
    """Raised with each step that is written, so that a page is sent again only for news."""
    created_at = models.DateTimeField(auto_now_add=True, db_index=True)
    started_at = models.DateTimeField(null=True)
    """When this try began, or when its models were loaded; None while they load."""
    finished_at = models.DateTimeField(null=True)
    failure = models.CharField(max_length=100, blank=True)
    failure_message = models.TextField(blank=True)
    share_token = models.CharField(max_length=64, blank=True)
    """Who is logged in and has it may read the trial; "" where it is not shared."""
    kept_in = models.ForeignKey(Dataset, on_delete=models.SET_NULL, null=True, related_name="+")

    objects = TrialQuerySet.as_manager()

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["share_token"],
                condition=~Q(share_token=""),
                name="pipeline_trial_one_a_token",
            )
        ]

    def __str__(self) -> str:
        return f"Trial {self.pk}: {self.original_text[:60]}"

    def get_absolute_url(self) -> str:
        return reverse("pipeline:trial", args=[self.pk])

    @property
    def system(self) -> str:
        return str(self.config["system"])

    @property
    def is_over(self) -> bool:
        return self.state in {self.State.DONE, self.State.FAILED}

    @property
    def searches_web(self) -> bool:
        return bool(self.config.get("search", "corpus") != "corpus")


class KeptAnswer(models.Model):
    """What a model or a search answered, by a key of all that decides it: asked once for all.

    See `pipeline.runs.answer_cache`. May be emptied at any time; then it is asked again.
    """

    key = models.CharField(max_length=64, primary_key=True)
    value = models.TextField()
    """JSON. As text, because PostgreSQL's JSON refuses some characters that models write."""
    kept_at = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return self.key


class UploadQuerySet(LabQuerySet["Upload"]):
    def open(self, kind: "Upload.Kind") -> Self:
        """Of that kind, and not at their end."""
        return self.filter(kind=kind).exclude(state=Upload.State.DONE)


class Upload(LeasedJob):
    """A file that somebody gave, on its way into a dataset or a corpus.

    It is checked, then a person says yes, then it is imported. Checking and importing are jobs
    of a worker (`pipeline.data.uploads`), claimed under a lease; a small file is done at once. The
    file itself, its checked rows and its errors lie under `settings.UPLOAD_DIR`.
    """

    class Kind(models.TextChoices):
        PASSAGES = "passages", "passages"
        DOCUMENTS = "documents", "documents"

    class State(models.TextChoices):
        CHECKING = "checking", "being checked"
        CHECKED = "checked", "checked"
        IMPORTING = "importing", "being imported"
        DONE = "done", "imported"
        FAILED = "failed", "failed"

    kind = models.CharField(max_length=20, choices=Kind)
    dataset = models.ForeignKey(
        Dataset, on_delete=models.CASCADE, null=True, related_name="uploads"
    )
    corpus = models.ForeignKey(Corpus, on_delete=models.CASCADE, null=True, related_name="uploads")
    name = models.CharField(max_length=200, blank=True)
    """What the dataset or corpus will be called that the import makes."""
    description = models.TextField(blank=True)
    format = models.CharField(max_length=20, default="auto")
    """Of passages; "auto" until the check has found it out."""
    columns = models.JSONField(default=list, blank=True)
    """The names of the file's columns or keys, if somebody can say which holds what."""
    mapping = models.JSONField(default=dict, blank=True)
    """For each field of a row the column that holds it, or "" for none."""
    file_name = models.CharField(max_length=255)
    """As the person's machine called it; never used as a path."""
    stored_name = models.CharField(max_length=100, unique=True)
    size = models.BigIntegerField(default=0)
    state = models.CharField(max_length=20, choices=State, default=State.CHECKING)
    rows_done = models.PositiveIntegerField(default=0)
    """How far the check, or the import, has come."""
    new_count = models.PositiveIntegerField(default=0)
    same_count = models.PositiveIntegerField(default=0)
    changed_count = models.PositiveIntegerField(default=0)
    error_count = models.PositiveIntegerField(default=0)
    errors = models.JSONField(default=list, blank=True)
    """The first errors, as `pipeline.data.staging.error_to_plain` writes them."""
    failure = models.TextField(blank=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True)

    objects = UploadQuerySet.as_manager()

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"{self.file_name} ({self.get_state_display()})"

    def get_absolute_url(self) -> str:
        return reverse("pipeline:upload", args=[self.pk])

    @property
    def is_working(self) -> bool:
        return self.state in {self.State.CHECKING, self.State.IMPORTING}

    @property
    def valid_count(self) -> int:
        """How many rows the check has set aside."""
        return self.new_count + self.same_count + self.changed_count

    @property
    def import_count(self) -> int:
        """How many rows an import would write."""
        return self.new_count + self.changed_count


class Worker(models.Model):
    """A sign of life of one worker process, so that a page can say that none is alive."""

    name = models.CharField(max_length=200, unique=True)
    started_at = models.DateTimeField()
    last_seen = models.DateTimeField()

    def __str__(self) -> str:
        return self.name
