"""Runs side by side: over the same passages, with their intervals."""

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from pipeline.models import Dataset, Passage, Revision, Run
from pipeline.runs import comparison
from pipeline.runs.comparison import compare
from pipeline.runs.results import run_results
from tests.support.factories import make_dataset, make_passage, make_revision, make_run
from tests.support.queries import captured_queries

pytestmark = pytest.mark.django_db


@pytest.fixture
def dataset() -> Dataset:
    return make_dataset()


def run_over(passages: list[Passage], *figures: Any, system: str = "rarr", **values: Any) -> Run:
    """A run with (before, after, preservation) of each passage; None for one that failed."""
    run = make_run(dataset=passages[0].dataset, system=system, **values)
    for passage, row in zip(passages, figures, strict=True):
        if row is None:
            make_revision(run, passage=passage, state=Revision.State.FAILED)
            continue
        before, after, preservation = row
        make_revision(
            run,
            passage=passage,
            state=Revision.State.DONE,
            text=f"{system} {passage.pk}",
            attribution_before=before,
            attribution_after=after,
            preservation=preservation,
            usage={"seconds": 2.0, "model_calls": 4, "cost": None},
        )
    return run


def test_figures_are_over_the_passages_that_all_runs_have(dataset: Dataset) -> None:
    passages = [make_passage(dataset) for _ in range(4)]
    one = run_over(passages, (0.2, 0.4, 1.0), (0.4, 0.8, 0.8), (0.0, 1.0, 1.0), (None, None, None))
    two = run_over(passages, (0.2, 0.2, 1.0), (0.4, 0.6, 1.0), None, (None, None, None))
    found = compare([one, two])
    assert (found.n, found.left_out) == (2, 2)
    first, second = found.columns
    assert first.before is not None
    assert first.after is not None
    assert (first.before.value, first.after.value) == (pytest.approx(0.3), pytest.approx(0.6))
    assert (first.finished, first.failed, second.failed) == (4, 0, 1)
    assert first.f1_ap is not None
    assert second.f1_ap is not None
    assert first.f1_ap.value == pytest.approx(2 * 0.6 * 0.9 / 1.5)
    assert second.f1_ap.value == pytest.approx(2 * 0.4 * 1.0 / 1.4)
    assert first.f1_ap_lead is None
    assert second.f1_ap_lead is not None
    assert second.f1_ap_lead.value == pytest.approx(second.f1_ap.value - first.f1_ap.value)
    assert second.f1_ap_lead.n == 2
    assert second.gain is not None
    assert second.gain.note() == "no interval: fewer than 5 passages"


def test_a_figure_has_the_same_interval_as_on_the_page_of_its_run(dataset: Dataset) -> None:
    passages = [make_passage(dataset) for _ in range(3)]
    run = run_over(passages, (0.2, 0.4, 1.0), (0.4, 0.8, 0.8), (0.1, 0.9, 0.7))
    [found] = compare([run]).columns
    alone = run_results(run)
    assert alone is not None
    assert found.before == alone.attribution_before
    assert found.after == alone.attribution_after
    assert found.gain == alone.attribution_gain
    assert found.preservation == alone.preservation
    assert found.f1_ap == alone.f1_ap


def test_a_comparison_is_read_anew_when_something_of_its_runs_has_changed(
    dataset: Dataset,
) -> None:
    passages = [make_passage(dataset) for _ in range(3)]
    runs = [run_over(passages, (0.2, 0.4, 1.0), (0.4, 0.8, 0.8), (0.1, 0.9, 0.7)) for _ in "ab"]
    compare(runs)
    with CaptureQueriesContext(connection) as queries:
        assert compare(runs).n == 3
    assert not any("usage" in query["sql"] for query in queries.captured_queries)
    last = Revision.objects.filter(run=runs[1]).latest("pk")
    for change, figure in (
        ({"attribution_after": 0.5}, lambda found: found.columns[1].after.value),
        ({"state": Revision.State.FAILED}, lambda found: found.columns[1].failed),
        ({"finished_at": timezone.now(), "usage": {"seconds": 5}, "state": Revision.State.DONE},
         lambda found: found.columns[1].seconds),
    ):  # fmt: skip
        before = figure(compare(runs))
        Revision.objects.filter(pk=last.pk).update(**change)
        assert figure(compare(runs)) != before


def test_the_best_are_those_that_cannot_be_told_from_the_highest(dataset: Dataset) -> None:
    passages = [make_passage(dataset) for _ in range(6)]
    high = run_over(passages, *((0.2, after, 1.0) for after in (0.8, 0.9, 0.85) * 2))
    like = run_over(passages, *((0.2, after, 1.0) for after in (0.9, 0.8, 0.85, 0.8, 0.9, 0.84)))
    low = run_over(passages, *((0.2, after, 1.0) for after in (0.6, 0.7, 0.65, 0.7, 0.6, 0.6)))
    found = compare([low, high, like])
    assert found.best_after == found.best_f1_ap == {high.pk, like.pk}


def test_p_of_a_lead_is_paired_and_adjusted_for_all_runs_on_the_page(dataset: Dataset) -> None:
    passages = [make_passage(dataset) for _ in range(6)]
    first = run_over(passages, *((0.2, after, 1.0) for after in (0.6, 0.7, 0.65, 0.7, 0.6, 0.6)))
    higher = run_over(passages, *((0.2, after, 1.0) for after in (0.7, 0.8, 0.85, 0.72, 0.6, 0.6)))
    like = run_over(passages, *((0.2, after, 1.0) for after in (0.5, 0.7, 0.7, 0.76, 0.6, 0.6)))
    alone = compare([first, higher]).columns[1].f1_ap_p
    assert alone is not None
    assert alone < 0.1
    found = [column.f1_ap_p for column in compare([first, higher, like]).columns]
    assert found[:2] == [None, pytest.approx(2 * alone)]
    assert found[2] is not None
    assert found[2] > 0.5


def test_time_calls_and_cost_are_a_passage_and_unknown_cost_is_none(dataset: Dataset) -> None:
    passages = [make_passage(dataset) for _ in range(2)]
    run = run_over(passages, (0.2, 0.4, 1.0), (0.4, 0.8, 0.8))
    [only] = compare([run]).columns
    assert only.seconds is not None
    assert only.calls is not None
    assert (only.seconds.value, only.seconds.n, only.calls.value) == (2.0, 2, 4.0)
    assert only.cost is None
    Revision.objects.filter(run=run).update(
        usage={"seconds": 1.0, "cost": 0.002}, finished_at=timezone.now()
    )
    [only] = compare([run]).columns
    assert only.cost is not None
    assert only.cost.value == pytest.approx(0.002)


def test_restrictive_attribution_is_shown_where_it_is_known(dataset: Dataset) -> None:
    passages = [make_passage(dataset) for _ in range(2)]
    run = run_over(passages, (0.2, 0.4, 1.0), (0.4, 0.8, 0.8))
    [only] = compare([run]).columns
    assert only.restrictive is None
    first = Revision.objects.filter(run=run).order_by("pk")[:1]
    Revision.objects.filter(pk__in=list(first.values_list("pk", flat=True))).update(
        attribution_restrictive=0.3
    )
    [only] = compare([run]).columns
    assert only.restrictive is not None
    assert (only.restrictive.value, only.restrictive.n) == (0.3, 1)


def test_runs_that_share_no_passage_have_no_figure(dataset: Dataset) -> None:
    passages = [make_passage(dataset) for _ in range(2)]
    found = compare(
        [run_over(passages, (0.2, 0.4, 1.0), None), run_over(passages, None, (1, 1, 1))]
    )
    assert (found.n, found.left_out) == (0, 2)
    assert found.columns[1].f1_ap is found.columns[0].after is None


def test_the_settings_that_differ_are_named(dataset: Dataset) -> None:
    passages = [make_passage(dataset)]
    config = {"system": "rarr", "llm": "compact", "rarr": {"report_size": 5, "query_samples": 3}}
    other = {"system": "none", "llm": "compact", "rarr": {"report_size": 3, "query_samples": 3}}
    runs = [run_over(passages, (1, 1, 1), config=each) for each in (config, other)]
    assert [column.differs for column in compare(runs).columns] == [
        (("report_size", "5"),), (("report_size", "3"),),
    ]  # fmt: skip


def test_runs_scored_by_different_models_are_told_apart(dataset: Dataset) -> None:
    passages = [make_passage(dataset)]
    one = run_over(passages, (1, 1, 1), config={"entailment": "hf:a"})
    two = run_over(passages, (1, 1, 1), config={"entailment": "hf:b"})
    assert compare([one, two]).scorers_differ
    assert not compare([one, one]).scorers_differ


def test_many_passages_take_few_questions_to_the_database(
    dataset: Dataset,
) -> None:
    passages = [make_passage(dataset) for _ in range(6)]
    runs = [run_over(passages, *[(0.1, 0.2, 0.9)] * 6, system=name) for name in ("rarr", "efec")]
    with captured_queries() as asked:
        comparison.compare(runs)
    assert len(asked) <= 3
