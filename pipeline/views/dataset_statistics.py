"""Statistics of a dataset of labelled answers."""

from typing import Any, NamedTuple, cast

from django.core.cache import cache
from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from pipeline.charts.chart import Chart
from pipeline.data.labelled_answers import answers_of, state_of
from pipeline.metrics.answer_statistics import LabelledAnswer
from pipeline.models import Dataset
from pipeline.pages.answer_charts import CHARTS
from pipeline.pages.statistics_tables import CSV_HEAD, Tables, tables_of
from pipeline.views.charts import CACHE_SECONDS, chart_response
from pipeline.views.datasets import dataset_tabs, visible_dataset
from rarrweb.accounts import audit
from rarrweb.accounts.http import UserRequest
from rarrweb.web.csv import table_text
from rarrweb.web.streaming import download_headers

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
        if name == TABLES and form == "csv" and self.tables:
            text = table_text(CSV_HEAD, self.tables.csv_rows())
            headers = download_headers(f"{slug}-statistics.csv")
            audit.record("exported", what="table, csv")
            return HttpResponse(text, content_type="text/csv; charset=utf-8", headers=headers)
        if name not in self.charts:
            raise Http404
        return chart_response(request, self.charts[name], f"{slug}-{name}", form)


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
