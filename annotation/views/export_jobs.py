"""Dataset packages of a campaign: asked for, watched, downloaded, cancelled, deleted."""

from django.contrib import messages
from django.http import FileResponse, Http404, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from annotation.exporting import formats_for
from annotation.exporting.forms import PackageForm
from annotation.exporting.jobs import (
    cancel_export,
    delete_export,
    start_export,
)
from annotation.items.run_groups import with_runs
from annotation.models import Campaign, ExportJob
from annotation.models.exports import KEPT_DAYS
from annotation.views.lookups import led_campaign
from pipeline.views.lists import worker_state
from rarrweb.accounts import audit
from rarrweb.http import UserRequest
from rarrweb.streamed import download_headers

SHOWN = 20


def export_page(
    request: UserRequest, campaign: Campaign, form: PackageForm | None = None
) -> HttpResponse:
    """The page of downloads, with the form of a package and the packages there are."""
    context = {
        "formats": formats_for(campaign),
        "form": form or PackageForm(campaign=campaign),
        **_jobs(campaign),
    }
    return render(request, "annotation/export.html", context, status=400 if form else 200)


@require_POST
def start(request: UserRequest, slug: str) -> HttpResponse:
    campaign = get_object_or_404(with_runs(Campaign.objects.led_by(request.user)), slug=slug)
    form = PackageForm(request.POST, campaign=campaign)
    if not form.is_valid():
        return export_page(request, campaign, form)
    start_export(campaign, by=request.user, **form.cleaned_data)
    return redirect(_packages(campaign))


@require_safe
@never_cache
def status(request: UserRequest, slug: str) -> HttpResponse:
    """The list of packages, which asks again while one is in work."""
    context = _jobs(led_campaign(request, slug))
    return render(request, "annotation/_exports.html", context)


@require_safe
@never_cache
def download(request: UserRequest, job_id: int) -> HttpResponseBase:
    return package_file(_job(request, job_id))


def package_file(job: ExportJob) -> FileResponse:
    """The package of a job that is done; raises `Http404`."""
    if job.state != ExportJob.State.DONE:
        raise Http404
    try:
        file = job.path.open("rb")
    except FileNotFoundError:
        raise Http404 from None
    audit.record("exported", job, what="package")
    response = FileResponse(file, content_type="application/zip")
    for name, value in download_headers(job.file_name).items():
        response[name] = value  # over its own, which would show the file's name on the disk
    return response


@require_POST
def cancel(request: UserRequest, job_id: int) -> HttpResponse:
    job = _job(request, job_id)
    if not cancel_export(job):
        messages.info(request, "The package was at its end already.")
    return redirect(_packages(job.campaign))


@require_POST
def delete(request: UserRequest, job_id: int) -> HttpResponse:
    job = _job(request, job_id)
    delete_export(job)
    messages.success(request, "The package was deleted.")
    return redirect(_packages(job.campaign))


def _job(request: UserRequest, job_id: int) -> ExportJob:
    visible = ExportJob.objects.led_by(request.user).select_related("campaign")
    return get_object_or_404(visible, pk=job_id)


def _jobs(campaign: Campaign) -> dict[str, object]:
    """What `_exports.html` needs."""
    of_campaign = ExportJob.objects.filter(campaign=campaign)
    jobs = list(of_campaign.select_related("created_by")[:SHOWN])
    for job in jobs:
        job.campaign = campaign
    is_working = any(job.is_open for job in jobs)
    worker = worker_state() if is_working else {}
    return {
        "campaign": campaign,
        "jobs": jobs,
        "is_working": is_working,
        "kept_days": KEPT_DAYS,
        **worker,
    }


def _packages(campaign: Campaign) -> str:
    return reverse("annotation:export", args=[campaign.slug]) + "#packages"
