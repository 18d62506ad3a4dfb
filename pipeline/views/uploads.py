"""One upload on its way: what its check found, the yes or no to it, and its errors."""

from typing import Any

from django import forms
from django.contrib import messages
from django.http import FileResponse, Http404, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST, require_safe

from pipeline import uploads
from pipeline.models import Upload
from pipeline.views.lists import worker_state
from rarrweb.http import UserRequest


def take_in(form: forms.Form, *, field: str, **values: Any) -> Upload | None:
    """The upload that a form's files become; None where the form has, or now has, an error.

    `field` is the form's field of files; its other fields go, with `values`, to
    `uploads.receive_upload`.
    """
    if not form.is_valid():
        return None
    given = dict(form.cleaned_data)
    files = given.pop(field)
    try:
        return uploads.receive_upload(
            files=files if isinstance(files, list) else [files], **given, **values
        )
    except uploads.UploadRefused as refusal:
        form.add_error(field, str(refusal))
        return None


@require_safe
def upload_detail(request: UserRequest, upload_id: int) -> HttpResponse:
    return render(request, "pipeline/upload.html", _context(_upload(request, upload_id)))


@require_safe
def upload_status(request: UserRequest, upload_id: int) -> HttpResponse:
    return render(request, "pipeline/_upload.html", _context(_upload(request, upload_id)))


@require_POST
def import_upload(request: UserRequest, upload_id: int) -> HttpResponse:
    upload = _upload(request, upload_id)
    try:
        uploads.agree_to_import(upload, valid_rows_only=request.POST.get("valid_rows_only") == "1")
    except uploads.UploadRefused as refusal:
        messages.error(request, str(refusal))
    return redirect(upload)


@require_POST
def discard_upload(request: UserRequest, upload_id: int) -> HttpResponse:
    upload = _upload(request, upload_id)
    target = upload.dataset or upload.corpus
    try:
        uploads.discard_upload(upload)
    except uploads.UploadRefused as refusal:
        messages.error(request, str(refusal))
        return redirect(upload)
    messages.success(request, f"{upload.file_name} is forgotten.")
    if target:
        return redirect(target)
    is_passages = upload.kind == Upload.Kind.PASSAGES
    return redirect("pipeline:datasets" if is_passages else "pipeline:corpora")


@require_safe
def upload_errors(request: UserRequest, upload_id: int) -> HttpResponseBase:
    upload = _upload(request, upload_id)
    try:
        file = uploads.errors_path(upload).open("rb")
    except FileNotFoundError:
        raise Http404 from None
    return FileResponse(
        file,
        as_attachment=True,
        filename=f"errors-of-upload-{upload.pk}.csv",
        content_type="text/csv; charset=utf-8",
    )


def _upload(request: UserRequest, upload_id: int) -> Upload:
    visible = Upload.objects.visible_to(request.user).select_related(
        "dataset", "corpus", "created_by"
    )
    return get_object_or_404(visible, pk=upload_id)


def _context(upload: Upload) -> dict[str, Any]:
    """What `_upload.html` needs."""
    is_passages = upload.kind == Upload.Kind.PASSAGES
    return {
        "upload": upload,
        "target": upload.dataset or upload.corpus,
        "noun": "passage" if is_passages else "document",
        "target_noun": "dataset" if is_passages else "corpus",
        "can_try_again": uploads.can_try_again(upload),
        "has_errors_file": uploads.errors_path(upload).exists(),
        **worker_state(),
    }
