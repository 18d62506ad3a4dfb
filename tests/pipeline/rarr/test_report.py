"""The attribution report covers at least as much as any other of its size."""

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from pipeline.rarr.configuration import ReportFill
from pipeline.rarr.errors import UnreadableReply
from pipeline.rarr.report import best_cover, select_report
from pipeline.rarr.types import Evidence, Query, Report
from tests.support.rarr_fakes import SharedWords, evidence

Scores = NDArray[np.float64]


def cover(scores: Scores, rows: tuple[int, ...]) -> Fraction:
    return sum(map(Fraction, scores[list(rows)].max(axis=0).tolist()), Fraction(0))


def by_trying_all(scores: Scores, size: int, preferred: Sequence[int] = ()) -> tuple[int, ...]:
    """The best set by enumeration: most coverage, most preferred, then fewest, then first."""
    counts = range(1, size + 1)
    sets = (itertools.combinations(range(len(scores)), count) for count in counts)

    def rank(rows: tuple[int, ...]) -> tuple[Fraction, int]:
        return cover(scores, rows), len({*rows} & {*preferred})

    return max(itertools.chain(*sets), key=rank)  # the first of equals


def tables(values: st.SearchStrategy[float]) -> st.SearchStrategy[list[list[float]]]:
    """A row per candidate, 1 to 7, of the scores of 1 to 6 queries."""
    sizes = st.integers(1, 6)
    rows = sizes.map(lambda queries: st.lists(values, min_size=queries, max_size=queries))
    return rows.flatmap(lambda row: st.lists(row, min_size=1, max_size=7))


@settings(max_examples=300, deadline=None)
@given(
    # Differences of the second kind of floats are rounded, which must not break ties.
    tables(st.integers(-12, 12).map(lambda n: n / 8))
    | tables(st.sampled_from([0.1, 0.2, 0.3, 0.7])),
    st.integers(1, 5),
    st.sets(st.integers(0, 6)),
)
def test_the_best_set_is_that_of_trying_all(
    table: list[list[float]], size: int, some: set[int]
) -> None:
    scores = np.array(table)
    preferred = sorted(row for row in some if row < len(table))
    expected = by_trying_all(scores, size, preferred)
    assert best_cover(scores, size=size, preferred=preferred) == (expected, True)


@settings(max_examples=200, deadline=None)
@given(tables(st.integers(-3, 3).map(float)), st.integers(1, 5))
def test_a_full_set_is_the_first_best_of_its_size(table: list[list[float]], size: int) -> None:
    scores = np.array(table)
    sets = itertools.combinations(range(len(table)), min(size, len(table)))
    expected = max(sets, key=lambda rows: cover(scores, rows))
    assert best_cover(scores, size=size, fewest=size) == (expected, True)
    greedy, is_exact = best_cover(scores, size=size, fewest=size, exhaustive_limit=0)
    assert (len({*greedy}), is_exact) == (len(expected), False)


@settings(max_examples=40, deadline=None)
@given(tables(st.floats(-1e6, 1e6)), st.integers(1, 4))
def test_no_set_covers_more_for_any_scores(table: list[list[float]], size: int) -> None:
    scores = np.array(table)
    chosen, is_exact = best_cover(scores, size=size)
    best = cover(scores, by_trying_all(scores, size))
    assert is_exact
    assert float(cover(scores, chosen)) == pytest.approx(float(best), rel=1e-12, abs=1e-8)


@pytest.mark.parametrize(
    ("name", "scores"),
    [
        ("equal", np.full((40, 40), 0.3)),
        ("uniform", np.random.default_rng(1).random((40, 40))),
        ("nearly equal", 0.5 + np.random.default_rng(2).random((40, 40)) * 1e-9),
        ("negative", -np.random.default_rng(3).random((40, 40)) * 8),
        ("each its own", np.eye(40)),
        ("all but its own", 1 - np.eye(40)),
        ("yes or no", (np.random.default_rng(4).random((40, 40)) < 0.1).astype(float)),
        ("few values", np.random.default_rng(5).integers(0, 3, (40, 40)).astype(float)),
    ],
)
def test_forty_snippets_and_forty_queries_are_searched_exhaustively(
    name: str, scores: Scores
) -> None:
    chosen, is_exact = best_cover(scores, size=5)
    assert is_exact
    # Necessary for the maximum: no exchange of one snippet covers more.
    best = float(cover(scores, chosen))
    for out, new in itertools.product(chosen, range(40)):
        other = tuple({*chosen, new} - ({out} if len(chosen) == 5 and new != out else set()))
        assert float(cover(scores, other)) <= best + 1e-9


def test_above_the_limit_the_set_is_a_good_approximation() -> None:
    scores = np.random.default_rng(6).random((60, 60))
    chosen, is_exact = best_cover(scores, size=5, exhaustive_limit=1)
    best, _ = best_cover(scores, size=5)
    assert not is_exact
    assert float(cover(scores, chosen)) >= (1 - 1 / math.e) * float(cover(scores, best))


def report(
    scores: dict[tuple[str, str], float],
    *results: tuple[str, list[str]],
    size: int = 5,
    fill: ReportFill = "smallest",
    edited_from: Sequence[Evidence] = (),
) -> Report:
    """`scores`: S(q, e), by default 0; `results`: queries and their snippets."""
    return select_report(
        [Query(text=query) for query, _ in results],
        [[evidence(text, query=query) for text in texts] for query, texts in results],
        relevance=SharedWords(lambda query, text: scores.get((query, text), 0.0)),
        size=size,
        fill=fill,
        edited_from=edited_from,
    )


def test_each_snippet_has_the_queries_that_it_covers_best() -> None:
    scores = {("q1", "a"): 2.0, ("q2", "a"): 3.0, ("q2", "b"): 1.0, ("q3", "c"): 4.0}
    best = report(scores, ("q1", ["a"]), ("q2", ["b"]), ("q3", ["c"]))
    assert [snippet.text for snippet in best.evidence] == ["a", "c"]
    assert best.covers == (("q1", "q2"), ("q3",))
    assert (best.coverage, best.is_exact) == (9.0, True)


def test_a_snippet_of_two_queries_counts_once_and_two_of_one_document_are_two() -> None:
    once = report({("q1", "a"): 1.0, ("q2", "a"): 1.0}, ("q1", ["a"]), ("q2", ["a"]))
    assert [(snippet.text, snippet.query) for snippet in once.evidence] == [("a", "q1")]
    two = report({("q1", "a"): 2.0, ("q2", "b"): 3.0}, ("q1", ["a", "b"]), ("q2", []))
    assert [snippet.text for snippet in two.evidence] == ["a", "b"]


@pytest.mark.parametrize(("score", "size", "expected"), [(2.0, 5, ["a", "b"]), (2.1, 1, ["b"])])
def test_evidence_of_an_edit_wins_a_tie_and_never_costs_coverage(
    score: float, size: int, expected: list[str]
) -> None:
    scores = {("q1", "a"): 2.0, ("q1", "b"): score, ("q2", "b"): 2.0}
    queries = [("q1", ["a"]), ("q2", ["b"])]
    edited = report(scores, *queries, size=size, edited_from=[evidence("a", query="q1")])
    plain = report(scores, *queries, size=size)
    assert [snippet.text for snippet in plain.evidence] == ["b"]
    assert [snippet.text for snippet in edited.evidence] == expected
    assert edited.coverage == plain.coverage


def test_a_full_report_has_other_texts_in_alphabetical_order() -> None:
    scores = {("q1", "d"): 2.0, ("q2", "b"): 1.0}
    results = ("q1", ["d", "c"]), ("q2", ["b", "a", "d"])
    edited = [evidence("c", query="q1")]
    full = report(scores, *results, size=3, fill="full", edited_from=edited)
    assert [snippet.text for snippet in full.evidence] == ["a", "b", "d"]
    assert full.coverage == report(scores, *results).coverage
    assert len(report(scores, *results, size=9, fill="full").evidence) == 4


def test_a_query_without_evidence_counts_too() -> None:
    scores = {("q1", "a"): 1.0, ("q2", "b"): 1.0, ("q3", "b"): 2.0}
    [snippet] = report(scores, ("q1", ["a"]), ("q2", ["b"]), ("q3", []), size=1).evidence
    assert snippet.text == "b"


def test_no_evidence_is_an_empty_report_and_an_infinite_score_an_error() -> None:
    assert report({}) == report({}, ("q1", [])) == Report()
    with pytest.raises(UnreadableReply):
        report({("q1", "a"): math.nan}, ("q1", ["a"]))
