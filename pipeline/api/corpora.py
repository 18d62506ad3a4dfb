"""Resources of corpora and documents."""

from typing import Any

from django_filters import FilterSet
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from pipeline.api.collections import (
    BATCH,
    CHARACTERS,
    CollectionFilters,
    CollectionResource,
    CollectionRows,
)
from pipeline.api.fields import CREATED, NAMED, CreatedBySerializer
from pipeline.api.uploads import UploadSerializer
from pipeline.data import corpora, deletion
from pipeline.models import Corpus, Document, Upload
from rarrweb.accounts.request_checks import allow_file_upload
from rarrweb.web.api_lists import TrueOrFalse, WordsFilter

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


class DocumentBatchSerializer(serializers.Serializer[Any]):
    """Documents to add."""

    documents = serializers.ListField(child=NewDocumentSerializer(), min_length=1, max_length=BATCH)


class DocumentFilesSerializer(serializers.Serializer[Any]):
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
