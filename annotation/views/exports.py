"""A campaign's labels as files to download."""

import json

from django.http import Http404, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.http import content_disposition_header
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotation.exporting import FORMATS, Export, UnknownFormat, UnsuitableFormat, load_format
from annotation.models import Campaign
from annotation.strata import with_runs
from rarrweb.http import UserRequest


@require_safe
@never_cache
def export(request: UserRequest, slug: str) -> HttpResponseBase:
    """The page of downloads; with `?format=` the file itself, with `&manifest` its manifest."""
    campaign = get_object_or_404(with_runs(Campaign.objects.led_by(request.user)), slug=slug)
    if "format" not in request.GET:
        suited = [name for name in FORMATS if load_format(name).suits(campaign)]
        context = {"campaign": campaign, "suited": suited}
        return render(request, "annotation/export.html", context)
    try:
        made = Export(campaign=campaign, format=load_format(request.GET["format"]))
    except (UnknownFormat, UnsuitableFormat) as error:
        raise Http404(str(error)) from None
    if "manifest" in request.GET:
        return manifest(made)
    return StreamingHttpResponse(
        made.chunks(),
        content_type=made.format.content_type,
        headers=download_headers(made.file_name),
    )


def manifest(made: Export) -> HttpResponse:
    for _ in made.chunks():  # it holds the checksum and the counts of the whole file
        pass
    text = json.dumps(made.manifest(), ensure_ascii=False, indent=2) + "\n"
    return HttpResponse(
        text,
        content_type="application/json",
        headers=download_headers(f"{made.file_name}.manifest.json"),
    )


def download_headers(file_name: str) -> dict[str, str]:
    return {
        "Content-Disposition": content_disposition_header(True, file_name) or "attachment",
        # The security middleware sends it too; a file of strangers' words must never go without.
        "X-Content-Type-Options": "nosniff",
    }
