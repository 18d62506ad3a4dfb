"""Resources of revisions."""

from typing import Any

from django.shortcuts import get_object_or_404
from django_filters import CharFilter, FilterSet
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.mixins import ListModelMixin, RetrieveModelMixin
from rest_framework.request import Request
from rest_framework.response import Response

from pipeline.api.fields import WORKED
from pipeline.models import Revision, Run
from pipeline.runs.stored_revisions import UnreadableResult, public_row
from rarrweb.accounts import audit
from rarrweb.api.resources import Resource
from rarrweb.web.api_lists import OldestFirst, TrueOrFalse


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
