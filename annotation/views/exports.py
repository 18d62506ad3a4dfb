"""A campaign's labels as files to download."""

from django.http import Http404, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import get_object_or_404
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotation.exporting import Export, UnknownFormat, UnsuitableFormat, load_format
from annotation.exporting.export import SCHEMA_SUFFIX
from annotation.items.run_groups import with_runs
from annotation.models import Campaign
from annotation.views.export_jobs import export_page
from rarrweb.accounts import audit
from rarrweb.http import UserRequest
from rarrweb.streamed import MANIFEST_SUFFIX, download_headers


@require_safe
@never_cache
def export(request: UserRequest, slug: str) -> HttpResponseBase:
    """The page of downloads. `?format=` gives the file, `&features` its schema, `&manifest` its
    manifest."""
    campaign = get_object_or_404(with_runs(Campaign.objects.led_by(request.user)), slug=slug)
    if "format" not in request.GET:
        return export_page(request, campaign)
    try:
        made = Export(campaign=campaign, format=load_format(request.GET["format"]))
    except (UnknownFormat, UnsuitableFormat) as error:
        raise Http404(str(error)) from None
    if "manifest" in request.GET:
        for _ in made.chunks():  # the manifest has the checksum and the counts of the whole file
            pass
        return json_file(made.manifest_text().encode(), name=made.file_name + MANIFEST_SUFFIX)
    if "features" in request.GET:
        if not (schema := made.schema()):
            raise Http404(f"{made.format.name} has no schema.")
        return json_file(schema, name=made.file_name + SCHEMA_SUFFIX)
    audit.record("exported", campaign, what=made.format.name)
    return StreamingHttpResponse(
        made.chunks(),
        content_type=made.format.content_type,
        headers=download_headers(made.file_name),
    )


def json_file(data: bytes, *, name: str) -> HttpResponse:
    return HttpResponse(data, content_type="application/json", headers=download_headers(name))
