"""The charts of a dataset of labelled answers, and their files."""

from django.core.cache import cache
from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import get_language
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from pipeline.charts.chart import Chart
from pipeline.models import Dataset
from pipeline.pages.charts import ShownChart
from pipeline.pages.dataset_charts import CHARTS, answers_of
from pipeline.views.charts import KEPT_SECONDS, chart_response
from pipeline.views.datasets import dataset_tabs, visible_dataset
from rarrweb.http import UserRequest


@require_safe
@never_cache
def dataset_charts(request: UserRequest, slug: str) -> HttpResponse:
    """All of them; each says what will stand there where the answers lack what it draws."""
    dataset = visible_dataset(request, slug)
    found = _charts(dataset)
    address = reverse("pipeline:dataset-charts", args=[slug])
    shown = [
        ShownChart(
            name=plan.name, title=plan.title, waits=plan.waits, chart=found[plan.name],
            address=f"{address}{plan.name}",
        )
        for plan in CHARTS
    ]  # fmt: skip
    context = {
        "dataset": dataset,
        "tabs": dataset_tabs(dataset, "dataset-charts"),
        "charts": shown,
    }
    return render(request, "pipeline/dataset_charts.html", context)


@require_safe
@never_cache
def dataset_chart(request: UserRequest, slug: str, name: str, form: str) -> HttpResponse:
    """One chart's file."""
    found = _charts(visible_dataset(request, slug))
    if name not in found:
        raise Http404
    return chart_response(request, found[name], f"{slug}-{name}", form)


def _charts(dataset: Dataset) -> dict[str, Chart | None]:
    """By name; kept while the dataset has as many passages, which are never edited."""
    key = f"pipeline.dataset-charts.{dataset.pk}.{dataset.passage_count}.{get_language()}"
    found: dict[str, Chart | None] | None = cache.get(key)
    if found is None:
        answers = answers_of(dataset)
        found = {plan.name: plan.make(answers) for plan in CHARTS}
        cache.set(key, found, KEPT_SECONDS)
    return found
