"""A dataset, or a run's revisions, as a file to download; `?manifest` gives its manifest."""

from django.http import HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import get_object_or_404
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from pipeline.models import Dataset, Run
from pipeline.runs.line_files import LineFile, dataset_file, run_file
from rarrweb.http import UserRequest
from rarrweb.streamed import JSON_LINES, MANIFEST_SUFFIX, download_headers


@require_safe
@never_cache
def download_dataset(request: UserRequest, slug: str) -> HttpResponseBase:
    visible = Dataset.objects.visible_to(request.user)
    return _download(request, dataset_file(get_object_or_404(visible, slug=slug)))


@require_safe
@never_cache
def download_run(request: UserRequest, run_id: int) -> HttpResponseBase:
    visible = Run.objects.visible_to(request.user).select_related("dataset", "corpus")
    return _download(request, run_file(get_object_or_404(visible, pk=run_id)))


def _download(request: UserRequest, file: LineFile) -> HttpResponseBase:
    if "manifest" not in request.GET:
        return StreamingHttpResponse(
            file.chunks(), content_type=JSON_LINES, headers=download_headers(file.file_name)
        )
    for _ in file.chunks():  # the manifest has the checksum and the counts of the whole file
        pass
    return HttpResponse(
        file.manifest_text(),
        content_type="application/json",
        headers=download_headers(file.file_name + MANIFEST_SUFFIX),
    )
