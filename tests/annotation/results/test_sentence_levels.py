"""What raters said of each sentence, level by level."""

import pytest

from annotation.models import Adjudication
from annotation.results.sentence_levels import Levels, sentence_levels
from pipeline.models import Revision
from tests.support.compared import make_compared_runs, make_kind, revise_alike, say
from tests.support.exports import NOW, judge
from tests.support.factories import make_user


@pytest.mark.django_db
def test_answers_are_counted_level_by_level_and_late_ones_are_not() -> None:
    runs = make_compared_runs()
    revision = Revision.objects.get(run=runs[0], passage=revise_alike(runs))
    campaign = make_kind(runs, "attribution")
    say(campaign, revision, (1, 2, 0, 1), (1, 1, 0, 0))
    item = campaign.items.get()
    judge(item, make_user(), False, False, False, False, slot=None)
    unclear = judge(item, make_user(), slot=3)
    unclear.judgments.create(criterion="interpretable", target=0, value=0, updated_at=NOW)
    unclear.judgments.create(criterion="interpretable", target=1, value=1, updated_at=NOW)
    unclear.judgments.create(criterion="attributable", target=1, value=2, updated_at=NOW)
    Adjudication.objects.create(
        item=item, criterion="attributable", target=3, value=2, reason="-", updated_at=NOW
    )
    found = sentence_levels(revision)
    assert found == {
        0: Levels(full=2, part=0, none=1),
        1: Levels(full=1, part=2, none=0),
        2: Levels(full=0, part=0, none=2),
        3: Levels(full=1, part=0, none=1, settled="part"),
    }
    assert [each.said for each in found.values()] == ["full", "part", "none", "part"]
    for target, value in ((0, 1), (2, 0)):  # settled: can be understood, cannot
        Adjudication.objects.create(
            item=item, criterion="interpretable", target=target, value=value, updated_at=NOW
        )
    found = sentence_levels(revision)
    assert found[0] == Levels(full=2, part=0, none=0)
    assert found[2] == Levels(full=0, part=0, none=2, settled="none")
