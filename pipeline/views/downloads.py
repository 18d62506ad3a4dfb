"""Files of datasets and runs with `?manifest`, and the pages of model cards."""

from django.http import Http404, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from pipeline.backends import model_cards
from pipeline.engine.scorer_info import scorer
from pipeline.models import Dataset, Run
from pipeline.runs.line_files import LineFile, answers_file, dataset_file, run_file
from pipeline.views.datasets import visible_dataset
from pipeline.views.lists import visible_run
from rarrweb.accounts import audit
from rarrweb.accounts.http import UserRequest
from rarrweb.web.streaming import (
    JSON_LINES,
    MANIFEST_SUFFIX,
    download_headers,
    manifest_text,
    stream_download,
)


@require_safe
@never_cache
def download_dataset(request: UserRequest, slug: str) -> HttpResponseBase:
    dataset = visible_dataset(request, slug)
    _check_format(request, "hagrid")
    return _download(request, dataset_file(dataset), of=dataset)


@require_safe
@never_cache
def download_run(request: UserRequest, run_id: int) -> HttpResponseBase:
    run = visible_run(request, run_id)
    if request.GET.get("format") == "alce" and not run.is_imported and not run.has_revised_texts:
        return _download(request, answers_file(run), of=run, content_type="application/json")
    _check_format(request, "rarr")
    return _download(request, run_file(run), of=run)


def _check_format(request: UserRequest, known: str) -> None:
    name = request.GET.get("format", known)
    if name != known:
        raise Http404(f"{name!r} is no format: choose {known}.")


def _download(
    request: UserRequest, file: LineFile, *, of: Dataset | Run, content_type: str = JSON_LINES
) -> HttpResponseBase:
    if "manifest" not in request.GET:
        audit.record("exported", of)
        return stream_download(file.chunks(), file_name=file.file_name, content_type=content_type)
    for _ in file.chunks():  # the manifest has the checksum and counts of the whole file
        pass
    return HttpResponse(
        manifest_text(file.manifest()),
        content_type="application/json",
        headers=download_headers(file.file_name + MANIFEST_SUFFIX),
    )


@require_safe
def model_detail(request: UserRequest, name: str) -> HttpResponse:
    if name != "compact":
        raise Http404("There is no model card of this name.")
    context = {"card": model_cards.shipped_card(), "now": scorer(name)}
    return render(request, "pipeline/model.html", context)
