"""What raters said of revisions, beside auto-AIS; and the passages where the two differ."""

import pytest
from django.core.cache import cache
from pytest_django import DjangoAssertNumQueries

from annotation.models import Adjudication
from annotation.results import cache as figures
from annotation.results.revision_votes import Votes, differ, revision_votes
from pipeline.models import Revision, Run
from tests.support.compared import (
    compare_intent,
    make_compared_runs,
    make_kind,
    revise_alike,
    say,
)
from tests.support.exports import NOW, judge
from tests.support.factories import make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def runs() -> list[Run]:
    cache.clear()
    return make_compared_runs()


@pytest.mark.parametrize(
    ("mark", "votes", "expected"),
    [
        ("a", Votes(0, 2), True),
        ("a", Votes(2, 2), False),
        ("d", Votes(0, 1), True),
        ("n", Votes(2, 3), True),
        ("c", Votes(0, 3), False),
        ("a", Votes(1, 2), False),  # a tie
        ("a", Votes(2, 2, settled=False), True),
        ("-", Votes(0, 2), False),  # not scored
        ("", Votes(0, 2), False),
    ],
)
def test_raters_and_auto_ais_differ_where_their_labels_do(
    mark: str, votes: Votes, expected: bool
) -> None:
    assert differ(mark, votes) is expected


def test_votes_are_counted_by_sentence_over_all_campaigns(runs: list[Run]) -> None:
    passage = revise_alike(runs)
    revision = Revision.objects.get(run=runs[0], passage=passage)
    campaign = make_kind(runs, "attribution")
    say(campaign, revision, (True, True, True, False), (True, False, True, False))
    found = revision_votes(runs)
    assert found.sentences == {
        revision.pk: {0: Votes(2, 2), 1: Votes(1, 2), 2: Votes(2, 2), 3: Votes(0, 2)}
    }
    assert found.disagreeing == frozenset()


def test_only_work_that_counts_is_counted(runs: list[Run]) -> None:
    passage = revise_alike(runs)
    revision = Revision.objects.get(run=runs[0], passage=passage)
    campaign = make_kind(runs, "attribution")
    say(campaign, revision, (True, True, True, False))
    item = campaign.items.get()
    judge(item, make_user(), False, False, False, False, slot=None)  # late
    judge(item, make_user(), False, False, False, False, slot=2, submitted=False)
    assert set(revision_votes(runs).sentences[revision.pk].values()) == {Votes(1, 1), Votes(0, 1)}


def test_a_passage_is_found_where_raters_and_auto_ais_disagree(runs: list[Run]) -> None:
    alike, other, unjudged = (revise_alike(runs) for _ in range(3))
    campaign = make_kind(runs, "attribution")
    for passage, said in ((alike, (True, True, True, False)), (other, (True, True, False, False))):
        say(campaign, Revision.objects.get(run=runs[1], passage=passage), said, said)
    assert revision_votes(runs).disagreeing == {other.pk}
    assert unjudged.pk not in revision_votes(runs).disagreeing
    assert revision_votes(runs[:1]).disagreeing == frozenset()


def test_what_was_settled_goes_before_the_raters(runs: list[Run]) -> None:
    passage = revise_alike(runs)
    revision = Revision.objects.get(run=runs[0], passage=passage)
    campaign = make_kind(runs, "attribution")
    say(campaign, revision, (True, True, True, False), (True, True, True, False))
    Adjudication.objects.create(
        item=campaign.items.get(), criterion="attributable", target=0, value=0, reason="-",
        updated_at=NOW,
    )  # fmt: skip
    found = revision_votes(runs)
    assert found.sentences[revision.pk][0] == Votes(2, 2, settled=False)
    assert found.disagreeing == {passage.pk}


def test_intent_is_lost_where_most_raters_say_so(runs: list[Run]) -> None:
    lost, kept, tied, settled = (revise_alike(runs) for _ in range(4))
    campaign = make_kind(runs, "intent")
    said = {lost: (1, 0, 2), kept: (2, 2, 0), tied: (2, 1), settled: (2, 2)}
    for passage, levels in said.items():
        revision = Revision.objects.get(run=runs[0], passage=passage)
        compare_intent(campaign, revision, *levels, settled=1 if passage == settled else None)
    found = revision_votes(runs)
    assert found.intent_lost == {lost.pk, settled.pk}
    kept_one = Revision.objects.get(run=runs[0], passage=kept)
    assert found.intent[kept_one.pk] == Votes(2, 3)


def test_votes_are_counted_again_only_where_something_has_changed(
    runs: list[Run],
    django_assert_num_queries: DjangoAssertNumQueries,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # However slow the machine: what takes long to count stands for a while, changed or not.
    monkeypatch.setattr(figures, "SLOW_SECONDS", float("inf"))
    passage = revise_alike(runs)
    first, second = Revision.objects.filter(passage=passage).order_by("run_id")
    campaign = make_kind(runs, "attribution")
    say(campaign, first, (True,) * 4)
    assert set(revision_votes(runs).sentences) == {first.pk}
    with django_assert_num_queries(2):
        revision_votes(runs)
    say(campaign, second, (True,) * 4)
    assert set(revision_votes(runs).sentences) == {first.pk, second.pk}
    Adjudication.objects.create(
        item=campaign.items.first(), criterion="attributable", target=0, value=0, reason="-",
        updated_at=NOW,
    )  # fmt: skip
    assert revision_votes(runs).sentences[first.pk][0].settled is False
