from django.http import Http404, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from annotation.exporting import Export, UnknownFormat, UnsuitableFormat, load_format, offers_for
from annotation.exporting.export import SCHEMA_SUFFIX, record_export
from annotation.exporting.forms import PackageForm
from annotation.exporting.package import contents_of, package_chunks, revising_runs
from annotation.items.run_groups import with_runs
from annotation.models import Campaign
from pipeline.models import Revision
from pipeline.rarr.errors import BadConfig
from rarrweb.accounts.http import UserRequest
from rarrweb.web.streaming import (
    MANIFEST_SUFFIX,
    HashedStream,
    download_headers,
    manifest_text,
    stream_download,
)


@require_safe
def export(request: UserRequest, slug: str) -> HttpResponseBase:
    """Display downloads; `?format=` returns the file.

    With `&features` its schema, with `&manifest` its manifest.
    """
    campaign = _campaign(request, slug)
    if "format" not in request.GET:
        return _page(request, campaign, PackageForm(campaign=campaign))
    try:
        made = Export(campaign=campaign, format=load_format(request.GET["format"]))
    except (UnknownFormat, UnsuitableFormat) as error:
        raise Http404(str(error)) from None
    if "manifest" in request.GET:
        for _ in made.chunks():  # to count
            pass
        return json_file(
            manifest_text(made.manifest()).encode(), name=made.file_name + MANIFEST_SUFFIX
        )
    if "features" in request.GET:
        if not (schema := made.schema()):
            raise Http404(f"{made.format.name} has no schema.")
        return json_file(schema, name=made.file_name + SCHEMA_SUFFIX)
    record_export(campaign, what=made.format.name)
    return stream_download(
        made.chunks(), file_name=made.file_name, content_type=made.format.content_type
    )


@require_safe
def package(request: UserRequest, slug: str) -> HttpResponseBase:
    campaign = _campaign(request, slug)
    form = PackageForm(request.GET, campaign=campaign)
    if not form.is_valid():
        return _page(request, campaign, form, status=400)
    try:
        contents = contents_of(campaign, **form.chosen())
    except BadConfig as refusal:
        form.add_error(None, str(refusal))
        return _page(request, campaign, form, status=400)
    record_export(campaign, what="package")
    return stream_download(
        HashedStream().pieces(package_chunks(campaign, contents)),
        file_name=f"{campaign.slug}.zip",
        content_type="application/zip",
    )


def json_file(data: bytes, *, name: str) -> HttpResponse:
    return HttpResponse(data, content_type="application/json", headers=download_headers(name))


def _campaign(request: UserRequest, slug: str) -> Campaign:
    return get_object_or_404(with_runs(Campaign.objects.led_by(request.user)), slug=slug)


def _page(
    request: UserRequest, campaign: Campaign, form: PackageForm, *, status: int = 200
) -> HttpResponse:
    offers, runs = offers_for(campaign), revising_runs(campaign)
    revisions = Revision.objects.filter(run__in=runs, state=Revision.State.DONE)
    context = {
        "campaign": campaign,
        "form": form,
        "offers": [each for each in offers if each.rows],
        "empty": [each.title for each in offers if not each.rows],
        "runs": runs,
        "revisions": revisions.count(),
    }
    return render(request, "annotation/export.html", context, status=status)
