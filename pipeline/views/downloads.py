"""A dataset, or a run's revisions, as a file to download; `?manifest` gives its manifest,
`?format=` another format."""

from collections.abc import Sequence

from django.http import Http404, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from pipeline.models import Dataset, Run
from pipeline.runs.line_files import (
    DATASET_FORMATS,
    RUN_FORMATS,
    LineFile,
    answers_file,
    dataset_file,
    run_file,
)
from pipeline.views.datasets import visible_dataset
from pipeline.views.lists import visible_run
from rarrweb.accounts import audit
from rarrweb.http import UserRequest
from rarrweb.streamed import JSON_LINES, MANIFEST_SUFFIX, download_headers


@require_safe
@never_cache
def download_dataset(request: UserRequest, slug: str) -> HttpResponseBase:
    dataset = visible_dataset(request, slug)
    file = dataset_file(dataset, format=_format(request, DATASET_FORMATS))
    return _download(request, file, of=dataset)


@require_safe
@never_cache
def download_run(request: UserRequest, run_id: int) -> HttpResponseBase:
    run = visible_run(request, run_id)
    if request.GET.get("format") == "alce" and not run.is_imported and not run.has_revised_texts:
        return _download(request, answers_file(run), of=run, content_type="application/json")
    return _download(request, run_file(run, format=_format(request, RUN_FORMATS)), of=run)


def _format(request: UserRequest, known: Sequence[str]) -> str:
    name = request.GET.get("format", known[0])
    if name not in known:
        raise Http404(f"{name!r} is no format: choose one of {', '.join(known)}.")
    return name


def _download(
    request: UserRequest, file: LineFile, *, of: Dataset | Run, content_type: str = JSON_LINES
) -> HttpResponseBase:
    if "manifest" not in request.GET:
        audit.record("exported", of)
        return StreamingHttpResponse(
            file.chunks(), content_type=content_type, headers=download_headers(file.file_name)
        )
    for _ in file.chunks():  # the manifest has the checksum and the counts of the whole file
        pass
    return HttpResponse(
        file.manifest_text(),
        content_type="application/json",
        headers=download_headers(file.file_name + MANIFEST_SUFFIX),
    )
