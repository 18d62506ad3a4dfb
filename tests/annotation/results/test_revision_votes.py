"""What raters said of revisions, beside auto-AIS; and the passages where the two differ."""

import pytest

from annotation.results import cached_figures
from annotation.results.cached_figures import FigureCache
from annotation.results.labels import TargetAnswers
from annotation.results.revision_votes import (
    FlaggedPassages,
    flagged_passages,
    labels_differ,
    revision_votes,
)
from pipeline.models import Revision, Run
from tests.support.compared import (
    compare_intent,
    make_compared_runs,
    make_kind,
    revise_alike,
    say,
)
from tests.support.exports import adjudicate, judge
from tests.support.factories import make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def runs() -> list[Run]:
    return make_compared_runs()


def disagreeing(runs: list[Run]) -> frozenset[int]:
    flagged = flagged_passages(runs, FigureCache())
    assert flagged is not None
    return flagged.disagreeing


@pytest.mark.parametrize(
    ("mark", "levels", "settled", "expected"),
    [
        ("a", [0, 0], None, True),
        ("a", [1, 1], None, False),
        ("d", [0], None, True),
        ("n", [1, 1, 0], None, True),
        ("c", [0, 0, 0], None, False),
        ("a", [1, 0], None, False),  # a tie
        ("a", [1, 1], 0, True),
        ("-", [0, 0], None, False),  # not scored
        ("", [0, 0], None, False),
    ],
)
def test_raters_and_auto_ais_differ_where_their_labels_do(
    mark: str, levels: list[int], settled: int | None, expected: bool
) -> None:
    assert labels_differ(mark, TargetAnswers(levels, adjudicated=settled)) is expected


def test_votes_are_counted_by_sentence_over_all_campaigns(runs: list[Run]) -> None:
    passage = revise_alike(runs)
    revision = Revision.objects.get(run=runs[0], passage=passage)
    campaign = make_kind(runs, "attribution")
    say(campaign, revision, (True, True, True, False), (True, False, True, False))
    result = revision_votes(runs, passage=passage.pk)
    assert list(result.sentences) == [revision.pk]
    assert {
        sentence: (each.yes, each.n) for sentence, each in result.sentences[revision.pk].items()
    } == {0: (2, 2), 1: (1, 2), 2: (2, 2), 3: (0, 2)}
    assert disagreeing(runs) == frozenset()


def test_only_work_that_counts_is_counted(runs: list[Run]) -> None:
    passage = revise_alike(runs)
    revision = Revision.objects.get(run=runs[0], passage=passage)
    campaign = make_kind(runs, "attribution")
    say(campaign, revision, (True, True, True, False))
    item = campaign.items.get()
    judge(item, make_user(), False, False, False, False, slot=None)  # late
    judge(item, make_user(), False, False, False, False, slot=2, submitted=False)
    result = revision_votes(runs, passage=passage.pk)
    of_sentences = result.sentences[revision.pk].values()
    assert {(each.yes, each.n) for each in of_sentences} == {(1, 1), (0, 1)}


def test_a_passage_is_found_where_raters_and_auto_ais_disagree(runs: list[Run]) -> None:
    alike, other, unjudged = (revise_alike(runs) for _ in range(3))
    campaign = make_kind(runs, "attribution")
    for passage, message in (
        (alike, (True, True, True, False)),
        (other, (True, True, False, False)),
    ):
        say(campaign, Revision.objects.get(run=runs[1], passage=passage), message, message)
    assert disagreeing(runs) == {other.pk}
    assert unjudged.pk not in disagreeing(runs)
    assert disagreeing(runs[:1]) == frozenset()


def test_what_was_settled_goes_before_the_raters(runs: list[Run]) -> None:
    passage = revise_alike(runs)
    revision = Revision.objects.get(run=runs[0], passage=passage)
    campaign = make_kind(runs, "attribution")
    say(campaign, revision, (True, True, True, False), (True, True, True, False))
    adjudicate(campaign.items.get(), 0, 0)
    result = revision_votes(runs, passage=passage.pk)
    first = result.sentences[revision.pk][0]
    assert (first.yes, first.n, first.adjudicated) == (2, 2, 0)
    assert disagreeing(runs) == {passage.pk}


def test_intent_is_lost_where_most_raters_say_so(runs: list[Run]) -> None:
    lost, stored, tied, settled = (revise_alike(runs) for _ in range(4))
    campaign = make_kind(runs, "intent")
    message = {lost: (1, 0, 2), stored: (2, 2, 0), tied: (2, 1), settled: (2, 2)}
    for passage, levels in message.items():
        revision = Revision.objects.get(run=runs[0], passage=passage)
        compare_intent(campaign, revision, *levels, settled=1 if passage == settled else None)
    flagged = flagged_passages(runs, FigureCache())
    assert flagged is not None
    assert flagged.intent_lost == {lost.pk, settled.pk}
    stored_one = Revision.objects.get(run=runs[0], passage=stored)
    result = revision_votes(runs, passage=stored.pk)
    assert set(result.intent) == {stored_one.pk}
    assert (result.intent[stored_one.pk].yes, result.intent[stored_one.pk].n) == (2, 3)


def test_of_large_runs_the_passages_are_cached(
    runs: list[Run], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cached_figures, "SMALL", 0)
    Run.objects.update(passage_count=4)
    runs = list(Run.objects.filter(pk__in=[run.pk for run in runs]))
    passage = revise_alike(runs)
    campaign = make_kind(runs, "attribution")
    message = (True, True, False, False)
    say(campaign, Revision.objects.get(run=runs[1], passage=passage), message, message)
    cached = FigureCache(computes=False)
    assert flagged_passages(runs, cached) is None
    flagged = flagged_passages(runs, FigureCache())
    assert flagged == FlaggedPassages(disagreeing=frozenset({passage.pk}))
    assert flagged_passages(runs[::-1], cached) == flagged, "in whatever order"
    assert flagged_passages(runs[:1], cached) is None, "of other runs there is another"
