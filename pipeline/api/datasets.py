"""Datasets and their passages."""

from typing import Any

from django.http import StreamingHttpResponse
from django_filters import FilterSet
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from pipeline.api.collections import BATCH, CHARACTERS, CollectionResource, CollectionRows
from pipeline.api.fields import CREATED, NAMED, CreatedBySerializer
from pipeline.api.uploads import UploadSerializer
from pipeline.data import datasets, deletion
from pipeline.importing.passages import FORMATS
from pipeline.models import Dataset, Passage, Upload
from pipeline.runs.line_files import dataset_file
from rarrweb.accounts import audit
from rarrweb.accounts.request_checks import allow_file_upload
from rarrweb.web.api_errors import Conflict
from rarrweb.web.api_lists import WordsFilter
from rarrweb.web.streaming import stream_download


class DatasetSerializer(CreatedBySerializer):
    """A set of passages."""

    class Meta:
        model = Dataset
        fields = [*NAMED, "passage_count", "is_complete", *CREATED]
        read_only_fields = fields


class PassageSerializer(serializers.ModelSerializer[Passage]):
    """A text that a language model wrote, with its context."""

    source = serializers.DictField(  # type: ignore[assignment]  # a field's own attribute
        source="source.extra", help_text="The rest of the imported line.", read_only=True
    )

    class Meta:
        model = Passage
        fields = ["id", "external_id", "text", "context", "source", "created_at"]
        read_only_fields = fields


class NewPassageSerializer(serializers.Serializer[Any]):
    """One passage; without an id it gets one made from its text and context."""

    id = serializers.CharField(max_length=200, required=False)
    text = serializers.CharField(max_length=CHARACTERS, trim_whitespace=False)
    context = serializers.CharField(  # type: ignore[assignment]  # a serializer's own attribute
        max_length=CHARACTERS, allow_blank=True, required=False, trim_whitespace=False
    )


class PassageBatchSerializer(serializers.Serializer[Any]):
    """Passages; further keys of one are kept in its `source`."""

    passages = serializers.ListField(child=NewPassageSerializer(), min_length=1, max_length=BATCH)


class PassageFileSerializer(serializers.Serializer[Any]):
    """A file of passages."""

    file = serializers.FileField(max_length=255)
    format = serializers.ChoiceField(choices=["auto", *FORMATS], default="auto")


class PassageFilters(FilterSet):
    q = WordsFilter("text", "context", help_text="Words in the text or the context.")

    class Meta:
        model = Passage
        fields = ["external_id"]


class Datasets(CollectionResource[Dataset]):
    """The datasets."""

    queryset = Dataset.objects.none()
    model = Dataset
    serializer_class = DatasetSerializer
    create_row = datasets.create_dataset
    delete_row = deletion.delete_dataset

    def destroy(self, request: Request, slug: str) -> Response:
        """Delete it for good, unless runs need it.

        One with notes or tags on its passages is deleted on its page, by its name.
        """
        if deletion.dataset_deletion_preview(self.get_object()).is_work:
            raise Conflict("Its passages have notes or tags. Delete it on its page, by its name.")
        return super().destroy(request, slug)

    @extend_schema(responses={(200, "application/jsonl"): OpenApiTypes.STR})
    def download(self, request: Request, slug: str) -> StreamingHttpResponse:
        """Its passages as HAGRID's lines.

        A file of that format is written as it was read.
        """
        dataset = self.get_object()
        file = dataset_file(dataset)
        audit.record("exported", dataset)
        return stream_download(file.chunks(), file_name=file.file_name)


class Passages(CollectionRows[Passage]):
    """The passages of a dataset."""

    queryset = Passage.objects.all()
    kind = Upload.Kind.PASSAGES
    batch = PassageBatchSerializer
    form = PassageFileSerializer
    json_format = "jsonl"
    serializer_class = PassageSerializer
    filterset_class = PassageFilters

    @extend_schema(
        request={
            "application/json": PassageBatchSerializer,
            "multipart/form-data": PassageFileSerializer,
        },
        responses={200: UploadSerializer, 201: UploadSerializer, 202: UploadSerializer},
    )
    def create(self, request: Request, slug: str) -> Response:
        """Add passages: a batch as JSON, or a file.

        A file may have any format that can be imported. All are checked before one is written. A
        row whose id the dataset has replaces the stored one, so the same batch twice adds nothing.
        """
        return super().create(request, slug)


passages = allow_file_upload(Passages.as_view({"get": "list", "post": "create"}))
