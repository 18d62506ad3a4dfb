"""The pages of datasets and passages, and statistics of labelled answers."""

from typing import Any, NamedTuple, cast

from django.core.cache import cache
from django.db.models import Exists, F, OuterRef, Q
from django.db.models.functions import Lower, Substr
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from pipeline.charts.chart import Chart
from pipeline.data import deletion
from pipeline.data.labelled_answers import answers_of, has_quotes, state_of
from pipeline.forms.uploads import AddPassagesForm, NewDatasetForm
from pipeline.metrics.answer_statistics import LabelledAnswer
from pipeline.models import Dataset, Passage, Revision, Run, Upload
from pipeline.pages.answer_charts import CHARTS
from pipeline.pages.statistics_tables import CSV_HEAD, Tables, tables_of
from pipeline.runs.imported import can_be_judged
from pipeline.views.charts import CACHE_SECONDS, chart_response, table_response
from pipeline.views.lists import collection_list, researchers_only
from pipeline.views.run_lists import listed_runs
from pipeline.views.uploads import add_page, open_uploads
from rarrweb.accounts.http import UserRequest
from rarrweb.accounts.request_checks import allow_file_upload
from rarrweb.web.csv import table_text
from rarrweb.web.deletion import deletion_page
from rarrweb.web.listing import ARCHIVED, Filter, ListColumn, Listing, count_of
from rarrweb.web.tabs import Tab, tabs_of

CLIP = 300

DATASETS = Listing(
    columns=(
        ListColumn("name", "Dataset", order=Lower("name")),
        ListColumn("passages", "Passages", order=F("passage_count"), is_number=True),
        ListColumn("runs", "Runs", is_number=True),
        ListColumn("by", "Created by"),
        ListColumn("created", "Created", order=F("created_at"), falls=True),
    ),
    filters=(ARCHIVED,),
    search=("name", "description", "slug"),
    search_label="Search names and descriptions",
    sort="-created",
)
IN_A_RUN = Exists(Revision.objects.filter(passage=OuterRef("pk")))
PASSAGES = Listing(
    columns=(
        ListColumn("id", "Id", order=F("external_id")),
        ListColumn("passage", "Passage"),
        ListColumn("context", "Context"),
    ),
    filters=(
        Filter(
            "revised",
            "Runs",
            {
                "": ("All passages", Q()),
                "yes": ("Revised", IN_A_RUN),
                "no": ("Not in a run yet", ~IN_A_RUN),
            },
        ),
    ),
    search=("text", "context", "external_id"),
    search_label="Search passages, contexts and ids",
)


@require_http_methods(["GET", "HEAD", "POST"])
def dataset_list(request: UserRequest) -> HttpResponse:
    """Render the list; POST archives rows."""
    researchers_only(request)
    run_count = count_of(Run.objects.comparable().of_lab(), "dataset")
    visible = Dataset.objects.visible_to(request.user).annotate(run_count=run_count)
    uploads = open_uploads(request, Upload.Kind.PASSAGES, dataset=None)
    return collection_list(request, DATASETS, visible, uploads)


@allow_file_upload
@require_http_methods(["GET", "HEAD", "POST"])
def add_passages(request: UserRequest, slug: str = "") -> HttpResponse:
    researchers_only(request)
    dataset = visible_dataset(request, slug) if slug else None
    form_class = AddPassagesForm if dataset else NewDatasetForm
    return add_page(request, form_class, Upload.Kind.PASSAGES, dataset=dataset)


@require_safe
def dataset_detail(request: UserRequest, slug: str) -> HttpResponse:
    dataset = visible_dataset(request, slug)
    # Fifty passages may have ten million characters.
    passages = (
        Passage.objects.filter(dataset=dataset)
        .defer("text", "context", "source")
        .annotate(beginning=Substr("text", 1, CLIP), context_beginning=Substr("context", 1, CLIP))
    )
    context = {
        **_head(dataset, "dataset"),
        "list": PASSAGES.read(passages, request.GET),
        "uploads": open_uploads(request, Upload.Kind.PASSAGES, dataset=dataset),
    }
    return render(request, "pipeline/dataset.html", context)


@require_safe
def dataset_runs(request: UserRequest, slug: str) -> HttpResponse:
    dataset = visible_dataset(request, slug)
    visible = Run.objects.comparable().visible_to(request.user).filter(dataset=dataset)
    context = {**_head(dataset, "dataset-runs"), **listed_runs(request, visible)}
    return render(request, "pipeline/dataset_runs.html", context)


def _head(dataset: Dataset, tab: str) -> dict[str, Any]:
    with_figures = Q(system=Run.UNREVISED, config__has_key="entailment") | Q(config__has_key="file")
    is_scored = dataset.runs.current().filter(with_figures).exists()
    return {
        "dataset": dataset,
        "tabs": dataset_tabs(dataset, tab),
        "can_be_scored": dataset.is_complete and not is_scored and can_be_judged(dataset),
    }


@require_http_methods(["GET", "HEAD", "POST"])
def delete_dataset(request: UserRequest, slug: str) -> HttpResponse:
    dataset = visible_dataset(request, slug)
    return deletion_page(
        request, dataset, deletion.dataset_deletion_preview, deletion.delete_dataset
    )


@require_safe
def passage_detail(request: UserRequest, slug: str, passage_id: int) -> HttpResponse:
    dataset = visible_dataset(request, slug)
    passage = get_object_or_404(Passage, dataset=dataset, pk=passage_id)
    revisions = Revision.objects.visible_to(request.user).filter(passage=passage)
    context = {
        "dataset": dataset,
        "passage": passage,
        "revisions": revisions.select_related("run").defer("result").order_by("-pk")[:20],
        "notes": passage.notes.select_related("author"),
        "tags": passage.tags.values_list("name", flat=True),
    }
    return render(request, "pipeline/passage.html", context)


def dataset_tabs(dataset: Dataset, current: str) -> list[Tab]:
    counts = {
        "pipeline:dataset": dataset.passage_count,
        "pipeline:dataset-runs": dataset.runs.current().comparable().count(),
    }
    pages = {"pipeline:dataset": "Passages", "pipeline:dataset-runs": "Runs"}
    if current == "dataset-statistics" or has_quotes(dataset):
        pages["pipeline:dataset-statistics"] = "Statistics"
    return tabs_of(pages, dataset.slug, current=f"pipeline:{current}", counts=counts)


def visible_dataset(request: UserRequest, slug: str) -> Dataset:
    visible = Dataset.objects.visible_to(request.user).select_related("created_by")
    return get_object_or_404(visible, slug=slug)


TABLES = "tables"
"""Name of the tables' file."""


class Statistics(NamedTuple):
    tables: Tables | None
    charts: dict[str, Chart | None]
    """By name; None if the answers lack its values."""

    @classmethod
    def of(cls, answers: list[LabelledAnswer]) -> "Statistics":
        return cls(tables_of(answers), {plan.name: plan.make(answers) for plan in CHARTS})

    def context(self, address: str) -> dict[str, Any]:
        """Return the context of `_statistics.html`."""
        return {
            "tables": self.tables,
            "tables_file": f"{address}{TABLES}.csv",
            "charts": [plan.on_page(self.charts.get(plan.name), folder=address) for plan in CHARTS],
        }

    def file(self, request: UserRequest, slug: str, name: str, form: str) -> HttpResponse:
        """Return the file of the tables or a chart; raises `Http404`."""
        if name == TABLES and self.tables:
            files = {"csv": table_text(CSV_HEAD, self.tables.csv_rows())}
            return table_response(files, f"{slug}-statistics", form)
        return chart_response(request, self.charts.get(name), f"{slug}-{name}", form)


@require_safe
@never_cache
def dataset_statistics(request: UserRequest, slug: str) -> HttpResponse:
    dataset = visible_dataset(request, slug)
    context = {
        "dataset": dataset,
        "tabs": dataset_tabs(dataset, "dataset-statistics"),
        **_statistics(dataset).context(reverse("pipeline:dataset-statistics", args=[slug])),
    }
    return render(request, "pipeline/dataset_statistics.html", context)


@require_safe
@never_cache
def dataset_statistic(request: UserRequest, slug: str, name: str, form: str) -> HttpResponse:
    return _statistics(visible_dataset(request, slug)).file(request, slug, name, form)


def _statistics(dataset: Dataset) -> Statistics:
    key = f"pipeline.statistics.{dataset.pk}.{state_of(dataset)}"
    result = cache.get_or_set(key, lambda: Statistics.of(answers_of(dataset)), CACHE_SECONDS)
    return cast("Statistics", result)
