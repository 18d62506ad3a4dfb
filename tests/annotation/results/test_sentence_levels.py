"""What raters said of each sentence, level by level."""

import pytest

from annotation.views.shared_revision import Levels, sentence_levels
from pipeline.models import Revision
from tests.support.compared import make_compared_runs, make_kind, revise_alike, say
from tests.support.exports import adjudicate, judge
from tests.support.factories import make_user


@pytest.mark.django_db
def test_answers_are_counted_level_by_level_and_late_ones_are_not() -> None:
    runs = make_compared_runs()
    revision = Revision.objects.get(run=runs[0], passage=revise_alike(runs))
    campaign = make_kind(runs, "attribution")
    say(campaign, revision, (1, 2, 0, 1), (1, 1, 0, 0))
    item = campaign.items.get()
    judge(item, make_user(), False, False, False, False, slot=None)
    judge(item, make_user(), None, 2, slot=3, interpretable=(0, 1))
    adjudicate(item, 3, 2)
    result = sentence_levels(revision)
    # The levels, of three raters at most, and what was settled: 2 is "partly".
    assert {target: known(each) for target, each in result.items()} == {
        0: ([0, 1, 1], None),
        1: ([1, 2, 2], None),
        2: ([0, 0], None),
        3: ([0, 1], 2),
    }
    assert [each.label for each in result.values()] == ["full", "part", "none", "part"]
    for target, value in ((0, 1), (2, 0)):  # settled: can be understood, cannot
        adjudicate(item, target, value, "interpretable")
    result = sentence_levels(revision)
    assert known(result[0]) == ([1, 1], None)
    assert known(result[2]) == ([0, 0], 0)
    assert result[2].label == "none"


def known(levels: Levels) -> tuple[list[int], int | None]:
    return sorted(levels.answers.levels), levels.answers.adjudicated
