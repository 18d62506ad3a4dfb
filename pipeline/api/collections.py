"""Resources of datasets and corpora."""

import json
from collections.abc import Callable
from typing import Any, ClassVar, TypeVar

from django.core.files.uploadedfile import SimpleUploadedFile, UploadedFile
from django.db.models import Model, ProtectedError, Q, QuerySet
from django_filters import CharFilter
from rest_framework import serializers, status
from rest_framework.exceptions import ValidationError
from rest_framework.mixins import ListModelMixin, RetrieveModelMixin
from rest_framework.request import Request
from rest_framework.response import Response

from pipeline.api.uploads import UploadSerializer
from pipeline.data import uploads
from pipeline.data.slugs import NameTaken
from pipeline.data.stored_files import UploadRefused
from pipeline.models import Corpus, Dataset, Upload
from rarrweb.accounts.models import User
from rarrweb.api.resources import Resource
from rarrweb.web.api_errors import Conflict
from rarrweb.web.api_lists import ArchivedFilters
from rarrweb.web.deletion import DeletionRefused
from rarrweb.web.names import check_name

Made = TypeVar("Made", Dataset, Corpus)

BATCH = 500
"""Rows in a request of JSON; files may have more."""
CHARACTERS = 1_000_000


class NewSerializer(serializers.Serializer[Any]):
    """Name and description of a dataset or corpus."""

    name = serializers.CharField(max_length=200, validators=[check_name])
    description = serializers.CharField(max_length=5_000, allow_blank=True, default="")


class CollectionFilters(ArchivedFilters):
    q = CharFilter(
        method="search", max_length=200, help_text="Words in the name or the description."
    )

    def search(self, rows: QuerySet[Any], _: str, words: str) -> QuerySet[Any]:
        return rows.filter(Q(name__icontains=words) | Q(description__icontains=words))


class CollectionResource(ListModelMixin, RetrieveModelMixin, Resource[Made]):
    """Datasets, or corpora."""

    model: ClassVar[type[Dataset] | type[Corpus]]
    create_row: ClassVar[Callable[..., Any]]
    delete_row: ClassVar[Callable[..., None]]
    lookup_field = "slug"
    filterset_class = CollectionFilters

    def get_queryset(self) -> Any:
        return self.model.objects.visible_to(self.user).select_related("created_by")

    def create(self, request: Request) -> Response:
        """Make an empty one."""
        given = NewSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        try:
            made = type(self).create_row(created_by=self.user, **given.validated_data)
        except NameTaken as refusal:
            raise Conflict(str(refusal)) from None
        return Response(self.get_serializer(made).data, status=status.HTTP_201_CREATED)

    def destroy(self, request: Request, slug: str) -> Response:
        """Delete it for good, unless runs need it."""
        return delete_or_refuse(type(self).delete_row, self.get_object())


def delete_or_refuse(delete: Callable[..., None], row: Model) -> Response:
    """Delete the row; raises `Conflict` if something needs it."""
    try:
        delete(row)
    except DeletionRefused as refusal:
        raise Conflict(str(refusal)) from None
    except ProtectedError:
        raise Conflict("It is needed.") from None
    return Response(status=status.HTTP_204_NO_CONTENT)


def bring_in(
    kind: Upload.Kind,
    files: "list[UploadedFile[bytes]]",
    *,
    into: Dataset | Corpus,
    by: User,
    format: str = "auto",  # noqa: A002
) -> Response:
    """Check the files and import all or nothing; raises `ValidationError`.

    Returns 201 for new rows, 200 for none, 202 if a worker reads a large file.
    """
    target = {"dataset" if kind == Upload.Kind.PASSAGES else "corpus": into}
    try:
        upload = uploads.receive_upload(
            kind=kind,
            files=files,
            created_by=by,
            format=format,
            **target,  # type: ignore[arg-type]  # one of the two
        )
        if upload.state == Upload.State.FAILED:
            uploads.discard_upload(upload)
            raise ValidationError(upload.failure)
        if upload.state != Upload.State.CHECKED:
            return Response(UploadSerializer(upload).data, status=status.HTTP_202_ACCEPTED)
        if upload.error_count:
            refuse_lines(upload)
        if not upload.import_count:
            uploads.discard_upload(upload)
            upload.pk, upload.state = None, Upload.State.DONE
            return Response(UploadSerializer(upload).data)
        uploads.agree_to_import(upload)
    except UploadRefused as refusal:
        raise Conflict(str(refusal)) from None
    is_done = upload.state == Upload.State.DONE
    code = status.HTTP_201_CREATED if is_done else status.HTTP_202_ACCEPTED
    return Response(UploadSerializer(upload).data, status=code)


def refuse_lines(upload: Upload) -> None:
    """Discard the upload and raise its first errors."""
    uploads.discard_upload(upload)
    noun = "line is" if upload.error_count == 1 else "lines are"
    errors = {"non_field_errors": [f"{upload.error_count:,} {noun} wrong; nothing was written."]}
    for each in upload.errors:
        where = f"{each['file']}, line {each['line']}" if each["line"] else each["file"]
        sentence = f"{where}: {each['problem']} ({each['value']}): {each['fix']}"
        errors.setdefault(each["field"] or "non_field_errors", []).append(sentence)
    raise ValidationError(errors)


def is_json(request: Request) -> bool:
    return request._request.content_type == "application/json"


def as_file(rows: list[dict[str, Any]], *, name: str) -> "UploadedFile[bytes]":
    """Make a file of JSON lines."""
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    return SimpleUploadedFile(f"{name}.jsonl", lines.encode())
