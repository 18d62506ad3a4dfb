"""Runs side by side: over the same passages, with their intervals."""

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from pipeline.figures.comparison import compare
from pipeline.figures.results import run_results
from pipeline.models import Dataset, Passage, Revision, Run
from tests.support.answer_runs import figure, lead
from tests.support.estimates import known
from tests.support.factories import make_dataset, make_passage, make_revision, make_run

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
    comparison = compare([one, two])
    assert (comparison.n, comparison.excluded) == (2, 2)
    first, second = comparison.rows
    assert figure(first, "attribution_before").value == pytest.approx(0.3)
    assert figure(first, "attribution").value == pytest.approx(0.6)
    assert (first.counts, second.counts["failed"]) == ({"finished": 4, "failed": 0}, 1)
    f1 = [figure(row, "f1_ap").value for row in comparison.rows]
    assert f1 == pytest.approx([2 * 0.6 * 0.9 / 1.5, 2 * 0.4 * 1.0 / 1.4])
    assert first.leads == {}
    assert lead(second, "f1_ap").value == pytest.approx(f1[1] - f1[0])
    assert lead(second, "f1_ap").n == 2
    assert figure(second, "gain").note() == "no interval: fewer than 5 passages"


def test_a_figure_has_the_same_interval_as_on_the_page_of_its_run(dataset: Dataset) -> None:
    passages = [make_passage(dataset) for _ in range(3)]
    run = run_over(passages, (0.2, 0.4, 1.0), (0.4, 0.8, 0.8), (0.1, 0.9, 0.7))
    figures, alone = compare([run]).rows[0].figures, known(run_results(run))
    for name in ("attribution_before", "preservation", "f1_ap"):
        assert figures[name] == getattr(alone, name)
    assert figures["attribution"] == alone.attribution_after
    assert figures["gain"] == alone.attribution_gain


def test_a_comparison_is_read_again_when_its_runs_change(dataset: Dataset) -> None:
    passages = [make_passage(dataset) for _ in range(3)]
    runs = [run_over(passages, (0.2, 0.4, 1.0), (0.4, 0.8, 0.8), (0.1, 0.9, 0.7)) for _ in "ab"]
    compare(runs)
    with CaptureQueriesContext(connection) as queries:
        assert compare(runs).n == 3
    assert not any("usage" in query["sql"] for query in queries.captured_queries)
    last = Revision.objects.filter(run=runs[1]).latest("pk")
    slower = {"finished_at": timezone.now(), "usage": {"seconds": 5}, "state": Revision.State.DONE}
    for change, part in (
        ({"attribution_after": 0.5}, lambda row: row.figures["attribution"].value),
        ({"state": Revision.State.FAILED}, lambda row: row.counts["failed"]),
        (slower, lambda row: row.figures["seconds"]),
    ):
        before = part(compare(runs).rows[1])
        Revision.objects.filter(pk=last.pk).update(**change)
        assert part(compare(runs).rows[1]) != before


def test_the_best_do_not_differ_from_the_highest(dataset: Dataset) -> None:
    passages = [make_passage(dataset) for _ in range(6)]
    high = run_over(passages, *((0.2, after, 1.0) for after in (0.8, 0.9, 0.85) * 2))
    like = run_over(passages, *((0.2, after, 1.0) for after in (0.9, 0.8, 0.85, 0.8, 0.9, 0.84)))
    low = run_over(passages, *((0.2, after, 1.0) for after in (0.6, 0.7, 0.65, 0.7, 0.6, 0.6)))
    rows = compare([low, high, like]).rows
    for name in ("attribution", "f1_ap"):
        assert {row.run for row in rows if name in row.best} == {high, like}


def test_p_of_a_lead_is_paired_and_adjusted_for_all_runs_on_the_page(dataset: Dataset) -> None:
    passages = [make_passage(dataset) for _ in range(6)]
    first = run_over(passages, *((0.2, after, 1.0) for after in (0.6, 0.7, 0.65, 0.7, 0.6, 0.6)))
    higher = run_over(passages, *((0.2, after, 1.0) for after in (0.7, 0.8, 0.85, 0.72, 0.6, 0.6)))
    like = run_over(passages, *((0.2, after, 1.0) for after in (0.5, 0.7, 0.7, 0.76, 0.6, 0.6)))
    alone = known(compare([first, higher]).rows[1].leads["f1_ap"].p)
    assert alone < 0.1
    of_higher, of_like = (
        known(row.leads["f1_ap"].p) for row in compare([first, higher, like]).rows[1:]
    )
    assert of_higher == pytest.approx(2 * alone)
    assert of_like > 0.5


def test_time_calls_and_cost_are_means_and_unknown_figures_are_none(dataset: Dataset) -> None:
    passages = [make_passage(dataset) for _ in range(2)]
    run = run_over(passages, (0.2, 0.4, 1.0), (0.4, 0.8, 0.8))
    [only] = compare([run]).rows
    seconds = figure(only, "seconds")
    assert (seconds.value, seconds.n, figure(only, "calls").value) == (2.0, 2, 4.0)
    assert only.figures["cost"] is only.figures["restrictive"] is None
    Revision.objects.filter(run=run).update(
        usage={"seconds": 1.0, "cost": 0.002}, finished_at=timezone.now()
    )
    Revision.objects.filter(run=run, passage=passages[0]).update(attribution_restrictive=0.3)
    [only] = compare([run]).rows
    assert figure(only, "cost").value == pytest.approx(0.002)
    restrictive = figure(only, "restrictive")
    assert (restrictive.value, restrictive.n) == (0.3, 1)


def test_runs_that_share_no_passage_have_no_figure(dataset: Dataset) -> None:
    passages = [make_passage(dataset) for _ in range(2)]
    runs = [run_over(passages, (0.2, 0.4, 1.0), None), run_over(passages, None, (1, 1, 1))]
    comparison = compare(runs)
    assert (comparison.n, comparison.excluded) == (0, 2)
    one, two = (row.figures for row in comparison.rows)
    assert two["f1_ap"] is one["attribution"] is None


def test_settings_and_scorers_that_differ_are_reported(dataset: Dataset) -> None:
    passages = [make_passage(dataset)]
    config = {"system": "rarr", "llm": "compact", "rarr": {"report_size": 5, "query_samples": 3}}
    other = {"system": "none", "llm": "compact", "rarr": {"report_size": 3, "query_samples": 3}}
    runs = [run_over(passages, (1, 1, 1), config=each) for each in (config, other)]
    assert compare(runs).settings == {"report_size": ("5", "3")}
    one, two = (run_over(passages, (1, 1, 1), config={"entailment": each}) for each in "ab")
    assert compare([one, two]).scorers_differ
    assert not compare([one, one]).scorers_differ
