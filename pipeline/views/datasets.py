"""The pages of datasets: the list, one with its passages, a passage, bringing passages in."""

from django.db.models import Count, OuterRef, Q, Subquery
from django.db.models.functions import Coalesce, Substr
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from pipeline.forms.uploads import AddPassagesForm, NewDatasetForm
from pipeline.models import Dataset, Passage, Revision, Run, Upload
from pipeline.pages.paging import search_of
from pipeline.views.lists import page_of, researchers_only, worker_state
from pipeline.views.uploads import open_uploads, take_in
from rarrweb.body_limits import takes_files
from rarrweb.http import UserRequest

PASSAGES_A_PAGE = 50
DATASETS_SHOWN = 200
CLIP = 300


@require_safe
def dataset_list(request: UserRequest) -> HttpResponse:
    researchers_only(request)
    runs = Run.objects.filter(dataset=OuterRef("pk")).order_by().values("dataset")
    shown = (
        Dataset.objects.visible_to(request.user)
        .select_related("created_by")
        .annotate(run_count=Coalesce(Subquery(runs.annotate(n=Count("pk")).values("n")), 0))
    )
    return render(
        request,
        "pipeline/datasets.html",
        {
            "datasets": shown[:DATASETS_SHOWN],
            "uploads": open_uploads(request, Upload.Kind.PASSAGES, dataset=None),
        },
    )


@takes_files
@require_http_methods(["GET", "HEAD", "POST"])
def add_passages(request: UserRequest, slug: str = "") -> HttpResponse:
    """Bring a file into a dataset or, without `slug`, into a new one."""
    researchers_only(request)
    dataset = _dataset(request, slug) if slug else None
    form = (AddPassagesForm if dataset else NewDatasetForm)(
        request.POST or None, request.FILES or None
    )
    if upload := take_in(request, form, Upload.Kind.PASSAGES, dataset=dataset):
        return redirect(upload)
    context = {"form": form, "dataset": dataset, **worker_state()}
    return render(request, "pipeline/new_dataset.html", context)


@require_safe
def dataset_detail(request: UserRequest, slug: str) -> HttpResponse:
    dataset = _dataset(request, slug)
    search = search_of(request.GET)
    passages = Passage.objects.filter(dataset=dataset)
    if search:
        passages = passages.filter(
            Q(text__icontains=search)
            | Q(context__icontains=search)
            | Q(external_id__icontains=search)
        )
    # 50 passages may have ten million characters: the list shows their beginnings.
    passages = passages.defer("text", "context", "source").annotate(
        beginning=Substr("text", 1, CLIP), context_beginning=Substr("context", 1, CLIP)
    )
    return render(
        request,
        "pipeline/dataset.html",
        {
            "dataset": dataset,
            "page": page_of(passages, request.GET, size=PASSAGES_A_PAGE, search=search),
            "search": search,
            "runs": Run.objects.filter(dataset=dataset).select_related("corpus")[:5],
            "run_count": Run.objects.filter(dataset=dataset).count(),
            "uploads": open_uploads(request, Upload.Kind.PASSAGES, dataset=dataset),
        },
    )


@require_safe
def passage_detail(request: UserRequest, slug: str, passage_id: int) -> HttpResponse:
    dataset = _dataset(request, slug)
    passage = get_object_or_404(Passage, dataset=dataset, pk=passage_id)
    revisions = Revision.objects.visible_to(request.user).filter(passage=passage)
    return render(
        request,
        "pipeline/passage.html",
        {
            "dataset": dataset,
            "passage": passage,
            "revisions": revisions.select_related("run").defer("result").order_by("-pk")[:20],
        },
    )


def _dataset(request: UserRequest, slug: str) -> Dataset:
    visible = Dataset.objects.visible_to(request.user).select_related("created_by")
    return get_object_or_404(visible, slug=slug)
