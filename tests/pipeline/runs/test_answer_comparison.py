"""Strategies and systems over the same questions, worked by hand and by numpy."""

import csv
import io

import numpy as np
import pytest
from pytest_django import DjangoAssertNumQueries
from scipy.stats import norm, t, ttest_rel

from pipeline.figures import comparison
from pipeline.figures.comparison import ANSWERS, compare, shared_attribution
from pipeline.figures.results import answer_results
from pipeline.metrics.differences import holm
from pipeline.models import Revision, Run
from pipeline.pages.answer_charts import answer_chart
from pipeline.pages.run_table import columns_of
from pipeline.pages.table_files import files_of
from tests.support import answer_runs
from tests.support.answer_runs import QUESTIONS, figure, lead, make_answer_runs

pytestmark = pytest.mark.django_db

POSITIONS = {name: position for position, name in enumerate(ANSWERS.compared)}


def values(system: str, name: str) -> list[float]:
    known = [row[POSITIONS[name]] for row in answer_runs.FIGURES[system]]
    return [value for value in known if value is not None]


@pytest.fixture
def eight_questions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each question twice, as four have no interval."""
    twice = {system: [*rows, *rows] for system, rows in answer_runs.FIGURES.items()}
    monkeypatch.setattr(answer_runs, "FIGURES", twice)
    monkeypatch.setattr(answer_runs, "QUESTIONS", 2 * QUESTIONS)


@pytest.mark.usefixtures("eight_questions")
def test_each_figure_is_the_mean_of_those_that_have_it_with_its_interval() -> None:
    runs = make_answer_runs("vanilla", "extractive")
    result = compare(runs)
    assert (result.n, result.excluded, result.scorers_differ) == (2 * QUESTIONS, 0, False)
    for row in result.rows:
        for name in ANSWERS.compared:
            wanted = values(row.run.system, name)
            estimate = figure(row, name)
            assert estimate.value == pytest.approx(float(np.mean(wanted)))
            assert estimate.n == len(wanted)
            mean, variance = np.mean(wanted), np.var(wanted)
            half = t.ppf(0.975, len(wanted) - 1) * np.std(wanted, ddof=1) / len(wanted) ** 0.5
            ends = [mean - half, mean + half]
            if not variance or ends[0] < 0 or ends[1] > 1:  # the shares p that Wilson's test keeps
                n = len(wanted) * (mean * (1 - mean) / variance if variance else 1)
                z = norm.ppf(0.975) ** 2 / n
                ends = sorted(np.roots([1 + z, -(2 * mean + z), mean**2]))
            assert (estimate.low, estimate.high) == pytest.approx(tuple(ends))
    vanilla = result.rows[0]
    assert figure(vanilla, "strict_recall").value == pytest.approx(0.3125)
    ranks = {"recall_at_5": 0.5, "recall_at_100": 0.5}
    expected = {"problems": 0.25, "tokens": 120, "length": 10, **ranks}
    assert {name: figure(vanilla, name).value for name in expected} == expected


def test_recall_of_the_search_is_of_the_same_answers_at_each_rank_and_on_each_page() -> None:
    (run,) = make_answer_runs("vanilla")
    few = run.revisions.first()
    few.generation["recall_at"] = {"1": 0.0}  # nothing was found for one question
    few.save()
    results = answer_results(run)
    assert results is not None
    ranks = dict(results.recall_at)
    assert [(rank, each.n) for rank, each in ranks.items()] == [(1, QUESTIONS), (5, QUESTIONS)]
    assert ranks[5].value == pytest.approx(0.5 * (QUESTIONS - 1) / QUESTIONS)
    assert ranks[5] == figure(compare([run]).rows[0], "recall_at_5")


def test_a_system_that_revises_has_auto_ais_and_reasons_for_the_rest() -> None:
    _, revising = compare(make_answer_runs("vanilla", "rarr")).rows
    known = {name for name in ANSWERS.figures if revising.figures[name]}
    assert known == {"attribution", "length", "calls", "tokens", "cost", "seconds"}
    wanted = float(np.mean(values("vanilla", "attribution")))
    assert figure(revising, "attribution").value == pytest.approx(wanted)
    assert figure(revising, "length").value == 9
    assert revising.why("citation_recall") == comparison.CITES_NOTHING
    assert revising.why("correctness") == comparison.NO_ANSWERS


def test_what_an_answer_cannot_have_gives_the_reason_and_is_never_0() -> None:
    runs = make_answer_runs("closed-book", "vanilla")
    Revision.objects.filter(run=runs[1]).update(
        citation_scores={}, citation_recall=None, citation_precision=None, correctness=None
    )
    closed, vanilla = compare(runs).rows
    assert closed.figures["citation_precision"] is None
    assert closed.why("citation_precision") == comparison.NO_CITATION
    assert closed.figures["attribution"] is None
    assert vanilla.figures["citation_precision"] is None
    assert vanilla.why("citation_precision") == comparison.NOT_SCORED
    assert vanilla.why("correctness") == comparison.NO_RIGHT_ANSWER


@pytest.mark.usefixtures("eight_questions")
def test_differences_are_paired_by_question_and_adjusted_for_all_rows() -> None:
    runs = make_answer_runs("vanilla", "extractive", "closed-book", "rarr")
    result = compare(runs, against=runs[1].pk)
    assert [row.is_reference for row in result.rows] == [False, True, False, False]
    assert result.rows[1].leads == {}
    wanted = []
    for system in ("vanilla", "closed-book"):
        mine = [row[1] for row in answer_runs.FIGURES[system]]
        other = [row[1] for row in answer_runs.FIGURES["extractive"]]
        wanted.append(float(ttest_rel(mine, other).pvalue))
    vanilla, closed = (result.rows[position].leads["citation_recall"] for position in (0, 2))
    assert [vanilla.p, closed.p] == pytest.approx(holm(wanted))
    assert lead(result.rows[0], "citation_recall").value == pytest.approx(-0.25)
    assert result.rows[3].leads["citation_recall"].estimate is None
    # Over the questions of which both answers cite something: six of eight.
    precision = lead(result.rows[0], "citation_precision")
    assert precision.n == 6
    assert precision.value == pytest.approx(-1 / 3)


def test_four_questions_have_neither_an_interval_nor_p_and_distinguish_nothing() -> None:
    rows = compare(make_answer_runs("vanilla", "extractive", "closed-book")).rows
    assert figure(rows[0], "citation_recall").note() == "no interval: fewer than 5 passages"
    assert rows[1].leads["citation_recall"].p is None
    assert not any(row.best for row in rows)
    files = table_files()
    first, *_ = csv.DictReader(io.StringIO(files["csv"]))
    assert first["citation_recall_low"] == ""
    assert first["citation_recall_note"] == "no interval: fewer than 5 passages"
    assert " & 0.62 & " in files["latex"]
    assert "no interval: fewer than 5 passages" in files["latex"]
    assert r"\scriptsize" not in files["latex"]


def test_only_what_every_run_has_finished_counts() -> None:
    runs = make_answer_runs("vanilla", "extractive")
    one = runs[1].revisions.order_by("pk")[0]
    Revision.objects.filter(pk=one.pk).update(state=Revision.State.FAILED)
    result = compare(runs)
    assert (result.n, result.excluded) == (QUESTIONS - 1, 1)
    assert [tuple(row.counts.values()) for row in result.rows] == [(4, 0), (3, 1)]
    assert figure(result.rows[0], "citation_recall").value == pytest.approx(2 / 3)


@pytest.mark.usefixtures("eight_questions")
def test_the_best_and_those_not_different_from_it_are_named() -> None:
    rows = compare(make_answer_runs("vanilla", "extractive", "closed-book")).rows
    assert ["citation_recall" in row.best for row in rows] == [False, True, False]
    assert ["correctness" in row.best for row in rows] == [True, False, True]
    alone = compare(make_answer_runs("vanilla", "rarr", dataset=rows[0].run.dataset)).rows
    assert all("citation_recall" not in row.best for row in alone)


def test_two_queries_whatever_the_number_of_runs(
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    runs = make_answer_runs("vanilla", "extractive", "closed-book", "rarr", "efec")
    with django_assert_num_queries(2):
        compare(runs)


def test_while_runs_go_on_answers_have_their_own_attribution() -> None:
    runs = make_answer_runs("vanilla", "closed-book", "rarr")
    n, after = shared_attribution(runs)
    assert n == QUESTIONS
    vanilla, closed, rarr = after.values()
    assert closed is None  # nothing was cited, so nothing is scored
    assert vanilla is not None
    assert rarr is not None
    assert vanilla.value == rarr.value == pytest.approx(np.mean(values("vanilla", "attribution")))


def test_files_hold_the_figures_and_no_formula() -> None:
    runs = make_answer_runs("vanilla", "extractive", "rarr")
    runs[0].dataset.name = "=1+1"
    runs[0].dataset.save()
    files = table_files()
    table = list(csv.DictReader(io.StringIO(files["csv"])))
    assert [row["system"] for row in table] == ["vanilla", "extractive", "rarr"]
    assert table[0]["dataset"] == "'=1+1"
    assert float(table[1]["citation_recall"]) == pytest.approx(0.875)
    assert float(table[1]["citation_recall_lead"]) == pytest.approx(0.25)
    assert (table[2]["citation_recall"], table[2]["citation_recall_n"]) == ("", "0")
    assert " & 0.88 & " in files["latex"]
    assert " & -- & " in files["latex"]


def table_files() -> dict[str, str]:
    table = compare(list(Run.objects.select_related("dataset").order_by("pk")))
    figures, compared = table.kind.figures, table.kind.compared
    return files_of(table.rows, columns_of(table).latex, figures=figures, compared=compared)


@pytest.mark.parametrize("system", ["[evil]", "*x"])
def test_no_name_is_an_argument_of_the_command_that_ends_a_row_of_latex(system: str) -> None:
    (run,) = make_answer_runs("vanilla")
    Run.objects.filter(pk=run.pk).update(system=system)
    rows = table_files()["latex"].splitlines()
    [row] = [line for line in rows if system.strip("[]*") in line and line.endswith(r"\\")]
    assert row[0] not in "[*"


def test_a_point_for_each_run_that_has_both_figures() -> None:
    runs = make_answer_runs("vanilla", "extractive", "rarr")
    rows = compare(runs).rows
    chart = answer_chart(rows)
    assert chart is not None
    assert [point.name for point in chart.points] == ["vanilla", "extractive"]
    assert chart.points[1].across.value == figure(rows[1], "citation_recall").value
    assert chart.points[1].up.value == figure(rows[1], "correctness").value
    assert not chart.has_f1
    assert len(chart.head) == len(chart.cells[0]) == 8
    Revision.objects.update(correctness=None)
    other = answer_chart(compare(runs).rows)
    assert other is not None
    assert other.has_f1
    assert len(other.head) == len(other.cells[0]) == 11
    Revision.objects.update(citation_recall=None)
    assert answer_chart(compare(runs).rows) is None
