"""Resources of uploads: large files for datasets and corpora."""

from collections.abc import Callable
from typing import Any

from django_filters import FilterSet
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.mixins import ListModelMixin, RetrieveModelMixin
from rest_framework.request import Request
from rest_framework.response import Response

from pipeline.data import uploads
from pipeline.data.stored_files import UploadRefused
from pipeline.models import Upload
from rarrweb.api.resources import Resource


class LineErrorSerializer(serializers.Serializer[Any]):
    """Why a line, or the whole file, was rejected."""

    file = serializers.CharField()
    line = serializers.IntegerField(help_text="0 where it is about the whole file.")
    field = serializers.CharField(allow_blank=True)
    value = serializers.CharField(allow_blank=True)
    problem = serializers.CharField()
    fix = serializers.CharField()


class UploadSerializer(serializers.ModelSerializer[Upload]):
    """A file for a dataset or a corpus."""

    id = serializers.IntegerField(
        source="pk", allow_null=True, help_text="Null where there was nothing to import."
    )
    dataset: Any = serializers.SlugRelatedField(slug_field="slug", read_only=True, allow_null=True)
    corpus: Any = serializers.SlugRelatedField(slug_field="slug", read_only=True, allow_null=True)
    errors = LineErrorSerializer(many=True, help_text="The first 20.")  # type: ignore[assignment]

    class Meta:
        model = Upload
        file = ("id", "kind", "dataset", "corpus", "file_name", "format", "state")
        counts = ("rows_done", "new_count", "same_count", "changed_count", "error_count")
        fields = [*file, *counts, "errors", "failure", "created_at", "finished_at"]
        read_only_fields = fields


class UploadFilters(FilterSet):
    class Meta:
        model = Upload
        fields = ["kind", "state"]


class Uploads(ListModelMixin, RetrieveModelMixin, Resource[Upload]):
    """Files for datasets and corpora."""

    queryset = Upload.objects.none()
    serializer_class = UploadSerializer
    filterset_class = UploadFilters
    conflicts = (UploadRefused,)

    def get_queryset(self) -> Any:
        return Upload.objects.visible_to(self.user).select_related("dataset", "corpus")

    def destroy(self, request: Request, pk: int) -> Response:
        """Discard an upload that no worker reads; imported rows stay."""
        uploads.discard_upload(self.get_object())
        return Response(status=status.HTTP_204_NO_CONTENT)

    @extend_schema(request=None, responses={200: UploadSerializer})
    def import_rows(self, request: Request, pk: int) -> Response:
        """Import a large file that a worker has checked without errors."""
        return self._changed(uploads.agree_to_import)

    @extend_schema(request=None, responses={200: UploadSerializer})
    def retry(self, request: Request, pk: int) -> Response:
        """Retry the import of the checked rows, or else the check."""
        return self._changed(uploads.retry_upload)

    def _changed(self, change: Callable[[Upload], None]) -> Response:
        upload = self.get_object()
        change(upload)
        return Response(self.get_serializer(upload).data)
