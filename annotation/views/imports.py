"""The page that imports judgments."""

from collections.abc import Mapping
from typing import Any, cast

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from annotation.judging import imports
from annotation.judging.forms import JudgmentFileForm
from annotation.judging.judgment_files import FIELDS, MAX_REPORTED, JudgmentFile
from annotation.questionnaires import questionnaire_of
from annotation.views.campaign_head import led_campaign
from pipeline.forms.uploads import READING_LABELS, WholeFileForm
from pipeline.importing.file_shape import Choices
from pipeline.importing.rows import UnreadableFile
from rarrweb.accounts.http import UserRequest
from rarrweb.accounts.request_checks import allow_file_upload


@allow_file_upload
@require_http_methods(["GET", "HEAD", "POST"])
def import_judgments(request: UserRequest, slug: str) -> HttpResponse:
    """Check a file and display its counts, or import it (`import`, `skip_invalid`)."""
    campaign = led_campaign(request, slug)
    form = JudgmentFileForm(request.POST or None, request.FILES or None)
    file: JudgmentFile | None = None
    if form.is_valid():
        use = form.cleaned_data["use"]
        upload = form.cleaned_data["file"]
        skips = "skip_invalid" in request.POST
        by = request.user if skips or "import" in request.POST else None
        try:
            file = imports.read_upload(
                campaign,
                upload,
                use=use,
                by=by,
                skip_invalid=skips,
                **_chosen(request, upload.name),
            )
        except UnreadableFile as error:
            form.add_error("file", str(error))
        if by and file and (not file.errors or (skips and file.has_valid_rows)):
            messages.success(request, f"Imported: {file}.")
            return redirect("annotation:checks" if use else "annotation:raters", slug)
    context = {
        "campaign": campaign,
        "questionnaire": questionnaire_of(campaign),
        "form": form,
        "file": file,
        "whole_file": WholeFileForm(reading=file.reading) if file else None,
        "columns_of": _columns_key(file.name, file.reading) if file else "",
        "header": _first_values(file) if file else [],
        "errors": file.errors[:MAX_REPORTED] if file else [],
        "fields": [
            {"name": name, "about": about, "column": file.columns.get(name, "") if file else ""}
            for name, about in FIELDS.items()
        ],
    }
    return render(request, "annotation/import_judgments.html", context)


def _chosen(request: UserRequest, name: str) -> Choices:
    """Return the choices that a check of this file displayed; columns only of the same reading."""
    given = request.POST
    form = WholeFileForm(given, reading=given if given.get("reading_of") == name else {})
    chosen = cast(Choices, form.reading if form.is_valid() else {})
    if given.get("columns_of") == _columns_key(name, chosen):
        chosen["columns"] = {field: given[field] for field in FIELDS if field in given}
    return chosen


def _first_values(file: JudgmentFile) -> list[tuple[str, str]]:
    """Return each column with its first value."""
    return [(name, (file.samples.get(name) or [""])[0]) for name in file.header]


def _columns_key(name: str, reading: Mapping[str, Any]) -> str:
    return " ".join([name, *(str(reading[each]) for each in READING_LABELS if each in reading)])
