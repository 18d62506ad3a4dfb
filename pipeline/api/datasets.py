"""Datasets and their passages."""

from typing import Any

from django.http import StreamingHttpResponse
from django_filters import FilterSet
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from pipeline.api.collections import (
    CHARACTERS,
    CREATED,
    NAMED,
    CollectionFilters,
    CollectionResource,
    CollectionRows,
    CreatedBySerializer,
    NewFileSerializer,
    NewRowsField,
    NewRowsSerializer,
    UploadSerializer,
)
from pipeline.data import corpora, datasets, deletion
from pipeline.importing.passages import FORMATS
from pipeline.models import Corpus, Dataset, Document, Passage, Upload
from pipeline.runs.line_files import dataset_file
from rarrweb.accounts import audit
from rarrweb.accounts.request_checks import allow_file_upload
from rarrweb.web.api_lists import Conflict, TrueOrFalse, WordsFilter
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


class PassageBatchSerializer(NewRowsSerializer):
    """Passages; further keys of one are kept in its `source`."""

    passages = NewRowsField(child=NewPassageSerializer())


class PassageFileSerializer(NewFileSerializer):
    """A file of passages."""

    file = serializers.FileField(max_length=255)
    format = serializers.ChoiceField(choices=["auto", *FORMATS], default="auto")
    dialog = serializers.BooleanField(
        default=False, help_text="Lines of a context without speakers' names are turns of a dialog."
    )


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

        A file may have any format that can be imported. All are checked before one is written;
        `skip_invalid` imports the valid ones, and `GET /api/uploads/ID/errors/` lists the others.
        The same batch twice adds nothing; other content under a known id is an error, or with
        `update` replaces what is stored.
        """
        return super().create(request, slug)


passages = allow_file_upload(Passages.as_view({"get": "list", "post": "create"}))


MOST_FILES = 100


class CorpusSerializer(CreatedBySerializer):
    """Documents to search."""

    class Meta:
        model = Corpus
        fields = [*NAMED, "document_count", "indexed_count", "state", "error", *CREATED]
        read_only_fields = fields


class DocumentSerializer(serializers.ModelSerializer[Document]):
    """A page of a corpus."""

    class Meta:
        model = Document
        fields = ["id", "external_id", "title", "url", "text", "is_indexed"]
        read_only_fields = fields


class NewDocumentSerializer(serializers.Serializer[Any]):
    """A document; without an id it gets one from its content."""

    id = serializers.CharField(max_length=500, required=False)
    title = serializers.CharField(max_length=1000, allow_blank=True, required=False)
    url = serializers.CharField(max_length=2000, allow_blank=True, required=False)
    text = serializers.CharField(max_length=CHARACTERS, trim_whitespace=False)


class DocumentBatchSerializer(NewRowsSerializer):
    """Documents to add."""

    documents = NewRowsField(child=NewDocumentSerializer())


class DocumentFilesSerializer(NewFileSerializer):
    """One file of many documents, or several texts."""

    files = serializers.ListField(
        child=serializers.FileField(max_length=255), min_length=1, max_length=MOST_FILES
    )


class CorpusFilters(CollectionFilters):
    class Meta:
        model = Corpus
        fields = ["state"]


class DocumentFilters(FilterSet):
    is_indexed = TrueOrFalse()
    q = WordsFilter(
        "title", "external_id", "url", help_text="Words in the title, the id or the address."
    )

    class Meta:
        model = Document
        fields = ["external_id"]


class Corpora(CollectionResource[Corpus]):
    """The corpora."""

    queryset = Corpus.objects.none()
    model = Corpus
    serializer_class = CorpusSerializer
    create_row = corpora.create_corpus
    delete_row = deletion.delete_corpus
    filterset_class = CorpusFilters

    @extend_schema(request=None, responses={202: CorpusSerializer})
    def index(self, request: Request, slug: str) -> Response:
        """Rebuild the search index."""
        corpus = self.get_object()
        corpora.rebuild_index(corpus)
        corpus.refresh_from_db()
        return Response(self.get_serializer(corpus).data, status=status.HTTP_202_ACCEPTED)


class Documents(CollectionRows[Document]):
    """The documents of a corpus."""

    queryset = Document.objects.all()
    kind = Upload.Kind.DOCUMENTS
    batch = DocumentBatchSerializer
    form = DocumentFilesSerializer
    serializer_class = DocumentSerializer
    filterset_class = DocumentFilters

    @extend_schema(
        request={
            "application/json": DocumentBatchSerializer,
            "multipart/form-data": DocumentFilesSerializer,
        },
        responses={200: UploadSerializer, 201: UploadSerializer, 202: UploadSerializer},
    )
    def create(self, request: Request, slug: str) -> Response:
        """Add documents: a batch as JSON, or files.

        Files are JSON lines, CSV, a ZIP, or texts. All are checked before one is written, then
        indexed.
        """
        return super().create(request, slug)


documents = allow_file_upload(Documents.as_view({"get": "list", "post": "create"}))
