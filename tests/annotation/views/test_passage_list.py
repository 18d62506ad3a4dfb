"""The passages of several runs, narrowed and sorted."""

import pytest
from django.http import QueryDict

from annotation.results.revision_votes import FlaggedPassages
from annotation.views.passage_comparison import PassageFilter, list_passages
from pipeline.data.notes import NotedPassages
from pipeline.runs.passage_facts import PassageFacts

NOBODY = FlaggedPassages()
RATERS = FlaggedPassages(disagreeing=frozenset({2}), intent_lost=frozenset({3}))
NOTES = NotedPassages(
    noted=frozenset({4}), tagged={"dates": frozenset({1, 2}), "odd": frozenset({3, 77})}
)
FACTS = [
    PassageFacts(1, True, False, False, 0.1, -0.5),
    PassageFacts(2, False, True, False, 0.4, 0.2),
    PassageFacts(3, False, False, True, None, None),
    PassageFacts(4, False, False, False, 0.2, -0.1),
]


def filter_of(query: str = "") -> PassageFilter:
    return PassageFilter.of(QueryDict(query), [7, 9])


@pytest.mark.parametrize(
    ("show", "stored"),
    [
        ("all", (1, 2, 3, 4)),
        ("differ", (1,)),
        ("disagree", (2,)),
        ("rejected", (2,)),
        ("intent", (3,)),
        ("conflict", (3,)),
        ("noted", (4,)),
    ],
)
def test_a_filter_keeps_some_and_drops_the_others(show: str, stored: tuple[int, ...]) -> None:
    listed = list_passages(FACTS, RATERS, NOTES, filter_of(f"show={show}"))
    assert listed.passages == stored
    counts = {choice.name: choice.count for choice in listed.filters}
    assert counts[show] == len(stored)
    assert [choice.name for choice in listed.filters if choice.is_selected] == [show]


@pytest.mark.parametrize(
    ("sort", "order"), [("", (1, 2, 3, 4)), ("gain", (2, 4, 1, 3)), ("loss", (1, 4, 2, 3))]
)
def test_passages_are_sorted_by_gain_or_loss_and_the_unscored_come_last(
    sort: str, order: tuple[int, ...]
) -> None:
    assert list_passages(FACTS, NOBODY, NOTES, filter_of(f"sort={sort}")).passages == order


def test_what_there_is_not_is_not_asked() -> None:
    assert filter_of("show=nonsense&sort=by-magic") == filter_of()
    assert filter_of("show=differ&sort=gain").query == "?run=7&run=9&show=differ&sort=gain"


def test_a_passage_knows_its_place_and_its_neighbours() -> None:
    listed = list_passages(FACTS, NOBODY, NOTES, filter_of("sort=gain"))
    assert (listed.position(4), listed.neighbours(4)) == (2, (2, 1))
    assert listed.neighbours(2) == (None, 4)
    assert listed.neighbours(3) == (1, None)
    assert (listed.position(99), listed.neighbours(99)) == (0, (None, 2))


def test_a_tag_keeps_its_passages_and_filters_count_within_it() -> None:
    result = list_passages(FACTS, RATERS, NOTES, filter_of("tag=Dates"))
    assert result.passages == (1, 2)
    counts = {choice.name: choice.count for choice in result.filters}
    assert (counts["all"], counts["differ"]) == (2, 1)
    assert "intent" not in counts
    assert {choice.name: choice.count for choice in result.tags} == {"dates": 2, "odd": 1}
    [made] = [choice for choice in result.tags if choice.is_selected]
    assert made.query == "?run=7&run=9"  # leads back
    narrowed = list_passages(FACTS, RATERS, NOTES, filter_of("show=intent"))
    assert {choice.name: choice.count for choice in narrowed.tags} == {"odd": 1}
    assert list_passages(FACTS, RATERS, NOTES, filter_of("tag=nowhere")).passages == ()
