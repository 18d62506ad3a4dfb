"""The page that imports judgments."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from annotation.judging import imports
from annotation.judging.forms import JudgmentFileForm
from annotation.judging.judgment_files import FIELDS, MAX_REPORTED, JudgmentFile
from annotation.questionnaires import questionnaire_of
from annotation.views.campaign_head import led_campaign
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
        columns = {name: request.POST[name] for name in FIELDS if name in request.POST}
        if request.POST.get("columns_of") != upload.name:
            columns = {}
        skips = "skip_invalid" in request.POST
        by = request.user if skips or "import" in request.POST else None
        try:
            file = imports.read_upload(
                campaign, upload, use=use, by=by, skip_invalid=skips, columns=columns
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
        "errors": file.errors[:MAX_REPORTED] if file else [],
        "fields": [
            {"name": name, "about": about, "column": file.columns.get(name, "") if file else ""}
            for name, about in FIELDS.items()
        ],
    }
    return render(request, "annotation/import_judgments.html", context)
