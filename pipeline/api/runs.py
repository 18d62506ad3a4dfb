"""Resources of runs."""

from typing import Any

from django.http import StreamingHttpResponse
from django.shortcuts import get_object_or_404
from django_filters import CharFilter, FilterSet
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers, status
from rest_framework.mixins import ListModelMixin, RetrieveModelMixin
from rest_framework.request import Request
from rest_framework.response import Response

from pipeline.api.collections import (
    CREATED,
    WORKED,
    CreatedBySerializer,
    EstimateSerializer,
    VisibleSlugField,
    config_error,
    delete_unless_needed,
)
from pipeline.data.deletion import delete_run
from pipeline.figures.progress import failure_reasons, run_progress
from pipeline.figures.results import answer_results, run_results
from pipeline.generation.strategies import STRATEGIES
from pipeline.models import Corpus, Dataset, Revision, Run
from pipeline.rarr.errors import BadConfig
from pipeline.rarr.systems import SYSTEMS
from pipeline.runs import lifecycle, start
from pipeline.runs.line_files import run_file
from pipeline.runs.stored_revisions import UnreadableResult, public_row
from pipeline.runs.user_settings import USER_SETTINGS, configs_of
from rarrweb.accounts import audit
from rarrweb.api.resources import Resource
from rarrweb.web.api_lists import ArchivedFilters, Conflict, OldestFirst, TrueOrFalse
from rarrweb.web.deletion import DeletionRefused
from rarrweb.web.streaming import stream_download


class ProgressSerializer(serializers.Serializer[Any]):
    """The numbers of a run's passages by state."""

    total = serializers.IntegerField()
    done = serializers.IntegerField()
    failed = serializers.IntegerField()
    working = serializers.IntegerField()
    waiting = serializers.IntegerField()
    rate = EstimateSerializer(allow_null=True, help_text="Passages a second, lately.")


class ResultsSerializer(serializers.Serializer[Any]):
    """A run's figures over its revised passages."""

    attribution_before = EstimateSerializer(allow_null=True)
    attribution_after = EstimateSerializer(allow_null=True)
    attribution_gain = EstimateSerializer(allow_null=True)
    preservation = EstimateSerializer(allow_null=True)
    f1_ap = EstimateSerializer(allow_null=True)
    changed = EstimateSerializer(allow_null=True)


class AnswerResultsSerializer(serializers.Serializer[Any]):
    """The figures of a strategy's answers, corrected; docs/metrics.md defines each."""

    n = serializers.IntegerField()
    citation_recall = EstimateSerializer(allow_null=True)
    citation_precision = EstimateSerializer(allow_null=True)
    graded_recall = EstimateSerializer(allow_null=True)
    attribution = EstimateSerializer(allow_null=True, help_text="Auto-AIS over all sources.")
    correctness = EstimateSerializer(allow_null=True)
    correctness_means = serializers.ListField(child=serializers.CharField())
    rouge = EstimateSerializer(allow_null=True)
    words = EstimateSerializer(allow_null=True)
    with_problems = EstimateSerializer(allow_null=True, help_text="A share of the answers.")


class FailureSerializer(serializers.Serializer[Any]):
    """Passages that failed with one error."""

    name = serializers.CharField(help_text="As `retry` takes it.")
    count = serializers.IntegerField()
    words = serializers.CharField()
    advice = serializers.CharField(allow_blank=True)


class RunSerializer(CreatedBySerializer):
    """One system with one frozen configuration over one dataset."""

    dataset = serializers.CharField(source="dataset.slug", read_only=True)
    corpus = serializers.CharField(
        source="corpus.slug", default=None, allow_null=True, read_only=True
    )

    class Meta:
        model = Run
        subject = ("id", "system", "dataset", "corpus")
        progress = ("state", "pause_reason", "passage_count")
        spent = ("calls_spent", "tokens_spent", "cost_spent")
        fields = [*subject, *progress, *spent, *CREATED[:2], *WORKED, "archived_at"]
        read_only_fields = fields


class RunDetailSerializer(RunSerializer):
    """A run with its configuration, its progress and its figures so far."""

    config = serializers.DictField(read_only=True)
    versions = serializers.DictField(read_only=True)
    progress = serializers.SerializerMethodField()
    results = serializers.SerializerMethodField()
    answers = serializers.SerializerMethodField()
    failures = serializers.SerializerMethodField()

    class Meta(RunSerializer.Meta):
        detail = ("config", "versions", "progress", "results", "answers", "failures")
        fields = [*RunSerializer.Meta.fields, *detail]
        read_only_fields = fields

    @extend_schema_field(ProgressSerializer)
    def get_progress(self, run: Run) -> Any:
        return ProgressSerializer(run_progress(run)).data

    @extend_schema_field(ResultsSerializer(allow_null=True))
    def get_results(self, run: Run) -> Any:
        result = None if run.shows_answers else run_results(run)
        return ResultsSerializer(result).data if result else None

    @extend_schema_field(AnswerResultsSerializer(allow_null=True))
    def get_answers(self, run: Run) -> Any:
        result = answer_results(run) if run.shows_answers else None
        return AnswerResultsSerializer(result).data if result else None

    @extend_schema_field(FailureSerializer(many=True))
    def get_failures(self, run: Run) -> Any:
        return FailureSerializer(failure_reasons(run), many=True).data


class NewRunSerializer(serializers.Serializer[Any]):
    """What to start; settings that are not given are as on the page *New run*."""

    dataset = VisibleSlugField(Dataset.objects.all())
    corpus = VisibleSlugField(Corpus.objects.all(), default=None, allow_null=True)
    system = serializers.ChoiceField(choices=[*SYSTEMS, *STRATEGIES], default="rarr")
    settings = serializers.DictField(
        default=dict, help_text=f"As on the page: {', '.join(sorted(USER_SETTINGS))}."
    )


class ResumeSerializer(serializers.Serializer[Any]):
    """Other limits for a run that has used its budget up; 0 is none."""

    budget_calls = serializers.IntegerField(min_value=0, max_value=2**31 - 1, required=False)
    budget_tokens = serializers.IntegerField(min_value=0, max_value=2**53 - 1, required=False)
    budget_cost = serializers.FloatField(min_value=0, max_value=1e12, required=False)


class RetrySerializer(serializers.Serializer[Any]):
    """Which failed passages; without a `failure` all of them."""

    failure = serializers.CharField(max_length=100, required=False)


class RunFilters(ArchivedFilters):
    dataset = CharFilter(field_name="dataset__slug", help_text="The dataset's slug.")
    corpus = CharFilter(field_name="corpus__slug", help_text="The corpus's slug.")

    class Meta:
        model = Run
        fields = ["state", "system"]


class Runs(ListModelMixin, RetrieveModelMixin, Resource[Run]):
    """The runs of systems."""

    queryset = Run.objects.none()
    serializer_class = RunSerializer
    filterset_class = RunFilters
    conflicts = (start.RunRefused, DeletionRefused)

    def get_queryset(self) -> Any:
        visible = Run.objects.of_systems().visible_to(self.user)
        return visible.select_related("dataset", "corpus", "created_by")

    def get_serializer_class(self) -> Any:
        return RunSerializer if self.action == "list" else RunDetailSerializer

    @extend_schema(request=NewRunSerializer, responses={201: RunDetailSerializer})
    def create(self, request: Request) -> Response:
        """Start a run of one system over a dataset.

        A worker revises its passages.
        """
        given = NewRunSerializer(data=request.data, context=self.get_serializer_context())
        given.is_valid(raise_exception=True)
        wanted = given.validated_data
        try:
            configs = configs_of(systems=[wanted["system"]], chosen=wanted["settings"])
            if configs[1:]:
                raise BadConfig(
                    f"These settings start {len(configs)} runs; the API starts one run per "
                    "request. Set answers_per_question to 1.",
                    field="answers_per_question",
                )
            (run,) = start.start_runs(
                dataset=wanted["dataset"],
                corpus=wanted["corpus"],
                configs=configs,
                created_by=self.user,
            )
        except BadConfig as refusal:
            name = refusal.field
            raise config_error(
                refusal, field=name if name in {"", "system", "corpus"} else f"settings.{name[:50]}"
            ) from None
        return Response(self.get_serializer(run).data, status=status.HTTP_201_CREATED)

    def destroy(self, request: Request, pk: int) -> Response:
        """Delete a run that is over, with its revisions, unless campaigns judge them."""
        return delete_unless_needed(delete_run, self.get_object())

    @extend_schema(request=None, responses=RunDetailSerializer)
    def pause(self, request: Request, pk: int) -> Response:
        """Start no further passages; those in work end."""
        return self._moved(lifecycle.pause(run := self.get_object()), run)

    @extend_schema(request=ResumeSerializer, responses=RunDetailSerializer)
    def resume(self, request: Request, pk: int) -> Response:
        """Resume a paused run.

        One that has used up its budget needs higher limits.
        """
        run = self.get_object()
        given = ResumeSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        try:
            return self._moved(start.resume_run(run, limits=given.validated_data), run)
        except BadConfig as refusal:
            raise config_error(refusal) from None

    @extend_schema(request=None, responses=RunDetailSerializer)
    def cancel(self, request: Request, pk: int) -> Response:
        """End the run for good, keeping what is done."""
        return self._moved(lifecycle.cancel(run := self.get_object()), run)

    @extend_schema(request=RetrySerializer, responses=RunDetailSerializer)
    def retry(self, request: Request, pk: int) -> Response:
        """Queue failed passages again."""
        run = self.get_object()
        given = RetrySerializer(data=request.data)
        given.is_valid(raise_exception=True)
        return self._moved(bool(start.retry_failed(run, **given.validated_data)), run)

    @extend_schema(responses={(200, "application/jsonl"): OpenApiTypes.STR})
    def download(self, request: Request, pk: int) -> StreamingHttpResponse:
        """Its finished revisions as RARR's lines."""
        run = self.get_object()
        file = run_file(run)
        audit.record("exported", run)
        return stream_download(file.chunks(), file_name=file.file_name)

    def _moved(self, moved: bool, run: Run) -> Response:
        run.refresh_from_db()
        if not moved:
            raise Conflict(f"Nothing was changed: the run is {run.get_state_display()}.")
        return Response(self.get_serializer(run).data)


class RevisionSerializer(serializers.ModelSerializer[Revision]):
    """A run's result for one passage, in short."""

    passage = serializers.CharField(
        source="passage.external_id", read_only=True, help_text="The passage's own id."
    )

    class Meta:
        model = Revision
        identity = ("id", "run", "passage", "state")
        texts = ("original_text", "context", "text", "is_changed")
        counts = ("edits_accepted", "edits_rejected", "error_count")
        figures = ("attribution_before", "attribution_after", "preservation", "f1_ap")
        of_answers = ("citation_recall", "citation_precision", "correctness")
        attempts = ("attempts", "failure", "failure_message")
        fields = [*identity, *texts, *counts, *figures, *of_answers, *attempts, *WORKED]
        read_only_fields = fields


class RevisionDetailSerializer(RevisionSerializer):
    """A revision with its attribution report and its trace."""

    result = serializers.SerializerMethodField(
        help_text="As in a file of RARR's lines: `selected_evidences` is the attribution report, "
        "`revisions` the trace. Null before the passage is revised."
    )

    citation_scores = serializers.DictField(
        read_only=True,
        help_text="ALCE's figures of an answer with citations, `strict` and `corrected`, and what "
        "was decided of each statement; empty if nothing is scored.",
    )
    generation = serializers.DictField(
        read_only=True,
        help_text="How a strategy wrote its answer: `steps`, `problems` of form, `recall_at` of "
        "its search; empty for revisions.",
    )

    class Meta(RevisionSerializer.Meta):
        fields = [*RevisionSerializer.Meta.fields, "result", "citation_scores", "generation"]
        read_only_fields = fields

    @extend_schema_field({"type": "object", "nullable": True, "additionalProperties": {}})
    def get_result(self, revision: Revision) -> Any:
        if revision.state != Revision.State.DONE:
            return None
        try:
            return public_row(revision)["result"]
        except UnreadableResult:
            return None  # figures and text are separate columns


class RevisionFilters(FilterSet):
    is_changed = TrueOrFalse()
    passage = CharFilter(field_name="passage__external_id", help_text="The passage's own id.")

    class Meta:
        model = Revision
        fields = ["state", "failure"]


class RunRevisions(ListModelMixin, Resource[Revision]):
    """The revisions of a run, without reports and traces."""

    queryset = Revision.objects.none()
    serializer_class = RevisionSerializer
    pagination_class = OldestFirst
    filterset_class = RevisionFilters

    def get_queryset(self) -> Any:
        rows = Revision.objects.visible_to(self.user).filter(run=self._run())
        return rows.select_related("passage").defer(
            "result", "calls", "sentences", "citation_scores", "generation"
        )

    def list(self, request: Request, *args: Any, **values: Any) -> Response:
        audit.record("exported", self._run(), what="revisions")
        return super().list(request, *args, **values)

    def _run(self) -> Run:
        return get_object_or_404(Run.objects.visible_to(self.user), pk=self.kwargs["run_id"])


class Revisions(RetrieveModelMixin, Resource[Revision]):
    """Single revisions."""

    queryset = Revision.objects.none()
    serializer_class = RevisionDetailSerializer

    def get_queryset(self) -> Any:
        rows = Revision.objects.visible_to(self.user)
        return rows.select_related("run__dataset", "run__corpus", "passage").defer("calls")

    def get_object(self) -> Revision:
        revision = super().get_object()
        audit.record("exported", revision)
        return revision
