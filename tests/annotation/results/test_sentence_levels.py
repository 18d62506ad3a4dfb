"""What raters said of each sentence, level by level."""

import pytest

from annotation.results.sentence_levels import Levels, sentence_levels
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
    found = sentence_levels(revision)
    assert found == {
        0: Levels(full=2, part=0, none=1),
        1: Levels(full=1, part=2, none=0),
        2: Levels(full=0, part=0, none=2),
        3: Levels(full=1, part=0, none=1, settled="part"),
    }
    assert [each.said for each in found.values()] == ["full", "part", "none", "part"]
    for target, value in ((0, 1), (2, 0)):  # settled: can be understood, cannot
        adjudicate(item, target, value, "interpretable")
    found = sentence_levels(revision)
    assert found[0] == Levels(full=2, part=0, none=0)
    assert found[2] == Levels(full=0, part=0, none=2, settled="none")
