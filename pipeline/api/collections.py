"""Resources of datasets and corpora, and of their rows."""

import json
from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar, TypeVar

from django.core.files.uploadedfile import SimpleUploadedFile
from django.db.models import Model, ProtectedError
from django.http import FileResponse
from django.shortcuts import get_object_or_404
from django_filters import FilterSet
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.exceptions import ValidationError
from rest_framework.mixins import ListModelMixin, RetrieveModelMixin
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from pipeline.data import stored_files, uploads
from pipeline.data.slugs import NameTaken
from pipeline.data.stored_files import UploadRefused
from pipeline.data.upload_jobs import READING
from pipeline.importing.columns import DOCUMENT_FIELDS, IGNORED, METADATA, PASSAGE_FIELDS
from pipeline.metrics.inference import Estimate
from pipeline.models import Corpus, Dataset, Upload
from pipeline.rarr.errors import BadConfig
from rarrweb.accounts import audit
from rarrweb.api.resources import Resource, Row
from rarrweb.web.api_lists import ArchivedFilters, Conflict, OldestFirst, WordsFilter
from rarrweb.web.deletion import DeletionRefused
from rarrweb.web.json_parser import ShallowJSONParser
from rarrweb.web.names import check_name

BATCH = 500
"""Rows in a request of JSON; files may have more."""
CHARACTERS = 1_000_000
NAMED = ("slug", "name", "description")
CREATED = ("created_by", "created_at", "archived_at")
WORKED = ("started_at", "finished_at")
"""Fields of several serializers."""


def config_error(refusal: BadConfig, *, field: str = "") -> ValidationError:
    """Return the refusal as an error of `field`, by default its own."""
    return ValidationError({field or refusal.field or "non_field_errors": [str(refusal)]})


class VisibleSlugField(serializers.SlugRelatedField[Any]):
    """The slug of a visible row that is not archived."""

    def __init__(self, rows: Any, **options: Any) -> None:
        super().__init__(slug_field="slug", queryset=rows, **options)

    def get_queryset(self) -> Any:
        rows: Any = super().get_queryset()
        return rows.visible_to(self.context["request"].user).current()

    def to_internal_value(self, data: Any) -> Any:
        if "\0" in str(data):  # PostgreSQL accepts no such text in a query
            self.fail("does_not_exist", slug_name="slug", value=str(data).replace("\0", ""))
        return super().to_internal_value(data)


class CreatedBySerializer(serializers.ModelSerializer[Any]):
    """A row with its creator's user name; null if the account was deleted."""

    created_by = serializers.CharField(
        source="created_by.username", default=None, allow_null=True, read_only=True
    )


class EstimateSerializer(serializers.Serializer[Estimate]):
    """A figure with its n and 95 % interval; null ends if there is none."""

    value = serializers.FloatField()
    n = serializers.IntegerField()
    low = serializers.FloatField(allow_null=True)
    high = serializers.FloatField(allow_null=True)
    note = serializers.CharField(help_text="Why there is no interval; else empty.")


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
        read = ("reading", "columns", "mapping")
        rows = ("new_count", "same_count", "changed_count", "repeated_count", "error_count")
        fields = [
            *file,
            *read,
            "rows_done",
            *rows,
            "errors",
            "failure",
            "created_at",
            "finished_at",
        ]
        read_only_fields = fields


class UploadFilters(FilterSet):
    class Meta:
        model = Upload
        fields = ["kind", "state"]


class ImportSerializer(serializers.Serializer[Any]):
    """How rows are imported."""

    skip_invalid = serializers.BooleanField(
        default=False, help_text="Import the valid rows of a file that has invalid ones."
    )


class ReadingSerializer(serializers.Serializer[Any]):
    """How a file is read, where it is not detected."""

    encoding = serializers.CharField(default="", help_text="Such as utf-16 or cp1252.")
    delimiter = serializers.CharField(default="", max_length=1, trim_whitespace=False)
    has_header = serializers.BooleanField(
        allow_null=True, default=None, help_text="Whether the first row names the columns."
    )


class NewRowsSerializer(ImportSerializer):
    preview = serializers.BooleanField(
        default=False, help_text="Only check: `POST …/import/` imports, `DELETE` discards."
    )
    update = serializers.BooleanField(  # type: ignore[assignment]  # a serializer's own attribute
        default=False, help_text="Replace what is stored under the id of a row with other content."
    )


class NewFileSerializer(ReadingSerializer, NewRowsSerializer):
    mapping = serializers.JSONField(
        default=dict,
        help_text='What columns become, such as `{"reply": "text"}`: a field, metadata or ignored.',
    )

    def validate_mapping(self, given: Any) -> dict[str, str]:
        known = [*PASSAGE_FIELDS, *DOCUMENT_FIELDS, METADATA, IGNORED]
        if not isinstance(given, dict) or not all(role in known for role in given.values()):
            raise ValidationError(
                f"Write an object of columns, each with one of {', '.join(known)}."
            )
        return given


class NewRowsField(serializers.ListField):
    """At most `BATCH` rows, each validated unless the import skips invalid ones."""

    def __init__(self, **options: Any) -> None:
        super().__init__(min_length=1, max_length=BATCH, **options)

    def run_child_validation(self, data: Any) -> Any:
        skips = self.root.initial_data.get("skip_invalid") is True
        return data if skips else super().run_child_validation(data)


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

    @extend_schema(request=ImportSerializer, responses={200: UploadSerializer})
    def import_rows(self, request: Request, pk: int) -> Response:
        """Import a checked file; with errors in it, only with `skip_invalid`."""
        options = ImportSerializer(data=request.data)
        options.is_valid(raise_exception=True)
        return self._changed(partial(uploads.agree_to_import, **options.validated_data))

    @extend_schema(responses={(200, "text/csv"): OpenApiTypes.STR})
    def errors(self, request: Request, pk: int) -> FileResponse:
        """List every invalid row as CSV: file, line, field, value, problem, fix."""
        return stored_files.errors_response(self.get_object())

    @extend_schema(request=None, responses={200: UploadSerializer})
    def retry(self, request: Request, pk: int) -> Response:
        """Retry the import of the checked rows, or else the check."""
        return self._changed(uploads.retry_upload)

    def _changed(self, change: Callable[[Upload], None]) -> Response:
        upload = self.get_object()
        change(upload)
        return Response(self.get_serializer(upload).data)


Made = TypeVar("Made", Dataset, Corpus)


class NewSerializer(serializers.Serializer[Any]):
    """Name and description of a dataset or corpus."""

    name = serializers.CharField(max_length=200, validators=[check_name])
    description = serializers.CharField(max_length=5_000, allow_blank=True, default="")


class CollectionFilters(ArchivedFilters):
    q = WordsFilter("name", "description", help_text="Words in the name or the description.")


class CollectionResource(ListModelMixin, RetrieveModelMixin, Resource[Made]):
    """Datasets, or corpora."""

    model: ClassVar[type[Dataset] | type[Corpus]]
    create_row: ClassVar[Callable[..., Any]]
    delete_row: ClassVar[Callable[..., None]]
    lookup_field = "slug"
    filterset_class = CollectionFilters
    conflicts = (NameTaken, DeletionRefused)

    def get_queryset(self) -> Any:
        return self.model.objects.visible_to(self.user).select_related("created_by")

    @extend_schema(request=NewSerializer)
    def create(self, request: Request) -> Response:
        """Make an empty dataset or corpus."""
        given = NewSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        made = type(self).create_row(created_by=self.user, **given.validated_data)
        return Response(self.get_serializer(made).data, status=status.HTTP_201_CREATED)

    def destroy(self, request: Request, slug: str) -> Response:
        """Delete it for good, unless runs need it."""
        return delete_unless_needed(type(self).delete_row, self.get_object())


def delete_unless_needed(delete: Callable[..., None], row: Model) -> Response:
    try:
        delete(row)
    except ProtectedError:
        raise Conflict("It is needed.") from None
    return Response(status=status.HTTP_204_NO_CONTENT)


class CollectionRows(ListModelMixin, Resource[Row]):
    """The passages of a dataset, or the documents of a corpus."""

    kind: ClassVar[Upload.Kind]
    batch: ClassVar[type[serializers.Serializer[Any]]]
    """Of a JSON body: a list of rows named like the kind."""
    form: ClassVar[type[serializers.Serializer[Any]]]
    """Of a multipart body: `file` or `files`, and perhaps `format`."""
    json_format = "auto"
    parser_classes = [ShallowJSONParser, MultiPartParser]
    pagination_class = OldestFirst
    conflicts = (UploadRefused,)

    def get_target(self) -> dict[str, Any]:
        """Return the dataset or corpus by its noun; raises `Http404`."""
        is_passages = self.kind == Upload.Kind.PASSAGES
        noun, model = ("dataset", Dataset) if is_passages else ("corpus", Corpus)
        rows = model.objects.visible_to(self.user)
        return {noun: get_object_or_404(rows, slug=self.kwargs["slug"])}

    def get_queryset(self) -> Any:
        return super().get_queryset().filter(**self.get_target())

    def list(self, request: Request, *args: Any, **values: Any) -> Response:
        audit.record("exported", *self.get_target().values(), what=str(self.kind))
        return super().list(request, *args, **values)

    def create(self, request: Request, slug: str) -> Response:
        """Check the rows and import all or, with `skip_invalid`, the valid ones.

        Returns 201 for new rows, 200 for none, 202 if a worker reads a large file.
        """
        target = self.get_target()
        is_json = request._request.content_type == "application/json"
        form = (self.batch if is_json else self.form)(data=request.data)
        form.is_valid(raise_exception=True)
        given = form.validated_data
        if is_json:
            # Unknown keys are imported, too.
            lines = "".join(json.dumps(row) + "\n" for row in form.initial_data[self.kind])
            files = [SimpleUploadedFile(f"{self.kind}.jsonl", lines.encode())]
            format_ = self.json_format
        else:
            files = given["files"] if "files" in given else [given["file"]]
            format_ = given.get("format", "auto")
        upload = uploads.receive_upload(
            kind=self.kind,
            files=files,
            created_by=self.user,
            format=format_,
            mapping=given.get("mapping") or ({"id": "id"} if is_json else {}),
            reading={name: given[name] for name in READING if given.get(name) not in (None, "")},
            **target,
        )
        if upload.state == Upload.State.FAILED:
            uploads.discard_upload(upload)
            raise ValidationError(upload.failure)
        if upload.state != Upload.State.CHECKED:
            return Response(UploadSerializer(upload).data, status=status.HTTP_202_ACCEPTED)
        if given["preview"]:
            return Response(UploadSerializer(upload).data)
        if not upload.reading.get("is_sure", True):
            refuse_guess(upload)
        if upload.error_count and not (given["skip_invalid"] and upload.valid_count):
            refuse_lines(upload)
        if not upload.import_count:
            uploads.discard_upload(upload)
            upload.pk, upload.state = None, Upload.State.DONE
            return Response(UploadSerializer(upload).data)
        uploads.agree_to_import(upload, skip_invalid=given["skip_invalid"])
        is_done = upload.state == Upload.State.DONE
        code = status.HTTP_201_CREATED if is_done else status.HTTP_202_ACCEPTED
        return Response(UploadSerializer(upload).data, status=code)


def refuse_guess(upload: Upload) -> None:
    """Discard the upload and ask for what is only a guess."""
    uploads.discard_upload(upload)
    if upload.reading.get("has_header") is False:
        problem = "The first row seems to be data: send has_header=true or has_header=false."
        raise ValidationError({"has_header": [problem]})
    if upload.format == "questions":
        problem = (
            "Long texts beside the questions are not used: send a mapping, or format=questions."
        )
        raise ValidationError({"format": [problem]})
    mapping = {name: role for name, role in upload.mapping.items() if role != METADATA}
    problem = "No column has a usual name for the text. Send a mapping; this is a guess: "
    raise ValidationError({"mapping": [problem + json.dumps(mapping, ensure_ascii=False)]})


def refuse_lines(upload: Upload) -> None:
    """Discard the upload and raise its first errors."""
    uploads.discard_upload(upload)
    noun = "line is" if upload.error_count == 1 else "lines are"
    message = f"{upload.error_count:,} {noun} wrong; nothing was written."
    if upload.valid_count:
        message += f" Send skip_invalid=true to import the valid rows ({upload.valid_count:,})."
    errors = {"non_field_errors": [message]}
    for each in upload.errors:
        where = f"{each['file']}, line {each['line']}" if each["line"] else each["file"]
        sentence = f"{where}: {each['problem']} ({each['value']}): {each['fix']}"
        errors.setdefault(each["field"] or "non_field_errors", []).append(sentence)
    raise ValidationError(errors)
