"""The page of an upload."""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Any

from django import forms
from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from pipeline.data import stored_files, uploads
from pipeline.data.staging import staged_rows
from pipeline.data.stored_files import UploadRefused
from pipeline.data.upload_jobs import FIELDS
from pipeline.forms.uploads import (
    FIELD_LABELS,
    FORMAT_LABELS,
    AddDocumentsForm,
    AddPassagesForm,
    NewNameForm,
    ReadingForm,
)
from pipeline.importing.passage import PassageSource
from pipeline.models import Upload
from pipeline.pages.document_text import without_headings
from pipeline.runs.imported import can_be_judged
from pipeline.views.lists import worker_state
from rarrweb.accounts.http import UserRequest
from rarrweb.accounts.request_checks import allow_file_upload

PREVIEW_ROWS = 5
PREVIEW_CHARACTERS = 300
NOUNS = {"questions": "question"}


def add_page(
    request: UserRequest, form_class: type[forms.Form], kind: Upload.Kind, **target: Any
) -> HttpResponse:
    """Upload files into `dataset` or `corpus` of `target`; None makes a new one."""
    form = form_class(request.POST or None, request.FILES or None)
    if form.is_valid():
        given = dict(form.cleaned_data)
        field = "file" if "file" in given else "files"
        files = given.pop(field)
        try:
            upload = uploads.receive_upload(
                kind=kind,
                files=files if isinstance(files, list) else [files],
                created_by=request.user,
                **target,
                **given,
            )
            return redirect(upload)
        except UploadRefused as refusal:
            form.add_error(field, str(refusal))
    (noun,) = target
    return render(request, f"pipeline/new_{noun}.html", {"form": form, **target, **worker_state()})


def open_uploads(request: UserRequest, kind: Upload.Kind, **target: Any) -> QuerySet[Upload]:
    unfinished = Upload.objects.filter(kind=kind).exclude(state=Upload.State.DONE)
    visible = unfinished.visible_to(request.user)
    return visible.filter(**target).select_related("created_by")


@require_safe
def upload_detail(request: UserRequest, upload_id: int) -> HttpResponse:
    return render(request, "pipeline/upload.html", _context(_upload(request, upload_id)))


@allow_file_upload
@require_http_methods(["GET", "HEAD", "POST"])
def replace_file(request: UserRequest, upload_id: int) -> HttpResponse:
    """Check another file instead."""
    upload = _upload(request, upload_id)
    if request.method != "POST":  # a reload of the form with errors
        return redirect(upload)
    form = _file_form(upload)(request.POST, request.FILES)
    if form.is_valid():
        (files,) = form.cleaned_data.values()
        try:
            uploads.replace_file(upload, files if isinstance(files, list) else [files])
        except UploadRefused as refusal:
            form.add_error(next(iter(form.fields)), str(refusal))
        else:
            return redirect(upload)
    return render(request, "pipeline/upload.html", _context(upload) | {"form": form})


@require_http_methods(["GET", "HEAD", "POST"])
def choose_columns(request: UserRequest, upload_id: int) -> HttpResponse:
    upload = _upload(request, upload_id)
    if request.method != "POST":
        return redirect(upload)
    form = ReadingForm(request.POST, upload=upload)
    if not form.is_valid():
        return render(request, "pipeline/upload.html", _context(upload) | {"columns": form})
    with _show_refusals(request):
        uploads.choose_columns(
            upload,
            mapping=form.mapping,
            format=form.cleaned_data.get("format", upload.format),
            reading=form.reading,
        )
    return redirect(upload)


@require_safe
def upload_status(request: UserRequest, upload_id: int) -> HttpResponse:
    return render(request, "pipeline/_upload.html", _context(_upload(request, upload_id)))


@require_POST
def import_upload(request: UserRequest, upload_id: int) -> HttpResponse:
    upload = _upload(request, upload_id)
    form = ReadingForm(request.POST, upload=upload)
    if form.fields.keys() & request.POST.keys() and form.has_changed():
        if form.is_valid():
            messages.info(request, "You chose other columns: check the rows again, then import.")
        return choose_columns(request, upload_id)
    with _show_refusals(request):
        uploads.agree_to_import(upload, skip_invalid=request.POST.get("skip_invalid") == "1")
        target = upload.dataset or upload.corpus
        if target and upload.state == Upload.State.DONE and not upload.error_count:
            if _next_actions(upload):
                return redirect(upload)
            messages.success(request, f"{upload.file_name} was imported: {_counted(upload)}.")
            return redirect(target)
    return redirect(upload)


@require_POST
def retry_upload(request: UserRequest, upload_id: int) -> HttpResponse:
    upload = _upload(request, upload_id)
    with _show_refusals(request):
        name = request.POST.get("name")
        uploads.retry_upload(
            upload, name="" if name is None else NewNameForm.base_fields["name"].clean(name)
        )
    return redirect(upload)


@require_POST
def discard_upload(request: UserRequest, upload_id: int) -> HttpResponse:
    upload = _upload(request, upload_id)
    target = upload.dataset or upload.corpus
    with _show_refusals(request):
        uploads.discard_upload(upload)
        messages.success(request, f"{upload.file_name} was discarded.")
        is_passages = upload.kind == Upload.Kind.PASSAGES
        return redirect(target or ("pipeline:datasets" if is_passages else "pipeline:corpora"))
    return redirect(upload)


@require_safe
def upload_errors(request: UserRequest, upload_id: int) -> HttpResponseBase:
    return stored_files.errors_response(_upload(request, upload_id))


@contextmanager
def _show_refusals(request: UserRequest) -> Iterator[None]:
    try:
        yield
    except UploadRefused as refusal:
        messages.error(request, str(refusal))
    except forms.ValidationError as error:
        messages.error(request, " ".join(error.messages))


def _upload(request: UserRequest, upload_id: int) -> Upload:
    visible = Upload.objects.visible_to(request.user).select_related(
        "dataset", "corpus", "created_by"
    )
    return get_object_or_404(visible, pk=upload_id)


def _counted(upload: Upload) -> str:
    counts = (upload.new_count, upload.changed_count, upload.same_count, upload.repeated_count)
    words = ("new", "changed", "unchanged", "equal to another row")
    return ", ".join(
        f"{count:,} {word}" for count, word in zip(counts, words, strict=True) if count
    )


def _file_form(upload: Upload) -> type[forms.Form]:
    return AddPassagesForm if upload.kind == Upload.Kind.PASSAGES else AddDocumentsForm


def _fields(upload: Upload) -> list[str]:
    return [field for field in FIELDS[Upload.Kind(upload.kind)] if field in FIELD_LABELS]


def _preview(upload: Upload) -> list[list[tuple[str, str]]]:
    """Return label and value of the fields of the first rows, and of a passage's sources."""
    path = stored_files.rows_path(upload)
    if upload.state != Upload.State.CHECKED or not upload.valid_count or not path.exists():
        return []
    columns = {field: "external_id" if field == "id" else field for field in _fields(upload)}
    preview = []
    for row in islice(staged_rows(path), PREVIEW_ROWS):
        values = row.columns()
        cells = [(FIELD_LABELS[field], values[name]) for field, name in columns.items()]
        if upload.kind == Upload.Kind.PASSAGES:
            sources = PassageSource.from_json(values["source"]).sources
            texts = (f"[{each.number}] {each.text or each.url}" for each in sources)
            cells.insert(2, ("Sources", " ".join(texts)))
        else:
            cells = [
                (label, without_headings(cell) if label == FIELD_LABELS["text"] else cell)
                for label, cell in cells
            ]
        preview.append([(label, value[:PREVIEW_CHARACTERS]) for label, value in cells])
    return preview


def _next_actions(upload: Upload) -> dict[str, Any]:
    """Return what the import makes possible: judging answers, a run of revisions."""
    dataset = upload.dataset
    if dataset is None or upload.is_working:
        return {}
    has_text = dataset.passages.exclude(text="").exists()
    has_sources = has_text and can_be_judged(dataset)
    first = dataset.passages.exclude(text="").values_list("source", flat=True).first()
    names_sources = upload.format == "contexts" or bool(first and first.addresses)
    runs = dataset.runs.current().filter(config__file__name=upload.file_name)
    actions = {
        "can_be_judged": has_sources,
        "lacks_sources": has_text and not has_sources and names_sources,
        "next_run": runs.first(),
    }
    return {name: action for name, action in actions.items() if action}


def _context(upload: Upload) -> dict[str, Any]:
    is_passages = upload.kind == Upload.Kind.PASSAGES
    is_checked = upload.state == Upload.State.CHECKED
    has_begun_import = uploads.has_begun_import(upload)
    fields = _fields(upload)
    return {
        "upload": upload,
        "target": upload.dataset or upload.corpus,
        "noun": NOUNS.get(upload.format, "passage") if is_passages else "document",
        "target_noun": "dataset" if is_passages else "corpus",
        "format": FORMAT_LABELS.get(upload.format, ""),
        "has_begun_import": has_begun_import,
        **_next_actions(upload),
        "can_replace_file": is_checked
        or (upload.state == Upload.State.FAILED and not has_begun_import),
        "form": _file_form(upload)(),
        "columns": ReadingForm(upload=upload) if is_checked else None,
        "fields": [FIELD_LABELS[field] for field in fields],
        "preview": _preview(upload),
        "errors": [
            {
                **error,
                "cells": [(FIELD_LABELS[field], error["row"].get(field, "")) for field in fields],
            }
            for error in upload.errors
        ],
        "counted": _counted(upload),
        "has_errors_file": stored_files.errors_path(upload).exists(),
        **worker_state(),
    }
