"""Gold items: rate, accuracy, pause below a threshold."""

import json
from collections.abc import Sequence

import pytest
from django.db import IntegrityError, connection
from django.test.utils import CaptureQueriesContext
from pytest_django import DjangoAssertNumQueries

from annotation.adjudication.cases import AdjudicatedAnswer, open_case, save_adjudication, waiting
from annotation.campaigns.progress import counts_by_rater, members, rater_progress
from annotation.items.run_groups import with_runs
from annotation.judging.claims import NoTask, Reason, claim_next, preview_next
from annotation.models import Assignment, Campaign, Item, Judgment, Pause
from annotation.quality_control import gold_items
from annotation.quality_control.reference_answers import (
    NoReferenceAnswer,
    Right,
    adjudicated,
    checkable,
    use_again,
    use_item,
    withdraw,
)
from annotation.questionnaires.types import InvalidAnswer
from annotation.results.tallies import valid_answers
from pipeline.metrics.inference import ratio_estimate
from rarrweb.accounts.models import User
from tests.support.adjudication import make_outvoted
from tests.support.campaigns import make_campaign
from tests.support.exports import text_of
from tests.support.factories import make_user
from tests.support.reference_answers import RIGHT, claim, judge_next, put_in_use, set_checks

pytestmark = pytest.mark.django_db

WRONG = (0, 0, 1)


def gold_campaign(
    *raters: User, passages: int, golds: int, every: int = 2, **values: int | None
) -> Campaign:
    """The first `golds` of its items are gold."""
    campaign = make_campaign(passages=passages, raters=raters)
    for position in range(1, golds + 1):
        put_in_use(campaign, position, "gold")
    set_checks(campaign, gold_every=every, **values)
    return campaign


def judge_gold(rater: User, campaign: Campaign, values: Sequence[int], *, times: int) -> None:
    """Go on until so many gold items are answered by `values`; others are answered rightly."""
    while times:
        assignment = claim(rater, campaign)
        is_gold = assignment.purpose == "gold"
        judge_next(rater, campaign, values if is_gold else RIGHT)
        times -= is_gold


# So many turns that chance gives three raters the same places once in a million times.
@pytest.mark.parametrize(("every", "turns"), [(2, 10), (5, 5)])
def test_one_in_every_so_many_is_gold_at_no_fixed_place(every: int, turns: int) -> None:
    orders = set()
    for name in ("anna", "ben", "cem"):
        rater = make_user(name)
        campaign = gold_campaign(rater, passages=turns * every + 1, golds=turns, every=every)
        purposes = [judge_next(rater, campaign).purpose for _ in range(turns * every)]
        by_turn = [purposes[at : at + every] for at in range(0, len(purposes), every)]
        assert [turn.count("gold") for turn in by_turn] == [1] * turns
        orders.add(tuple(purposes))
    assert len(orders) > 1


def test_gold_takes_no_place_of_the_item_and_every_rater_may_get_it() -> None:
    raters = [make_user(name) for name in ("anna", "ben", "cem")]
    campaign = gold_campaign(*raters, passages=5, golds=1)
    for rater in raters:
        judge_gold(rater, campaign, RIGHT, times=1)
    item = campaign.items.get(use="gold")
    assert item.assignments.count() == 3
    assert (item.done, item.wanted) == (0, 0)
    assert set(item.assignments.values_list("slot", "is_late")) == {(None, False)}


def test_gold_comes_in_place_of_an_item_and_not_when_nothing_else_is_left(annotator: User) -> None:
    campaign = gold_campaign(annotator, passages=3, golds=2)
    while not isinstance(outcome := claim_next(annotator, campaign=campaign), NoTask):
        judge_next(annotator, campaign)
    assert outcome.reason == Reason.ALL_DONE
    assert Assignment.objects.filter(purpose="").count() == 1


def test_gold_counts_in_no_result_and_no_other_export(annotator: User) -> None:
    campaign = gold_campaign(annotator, passages=4, golds=2)
    judge_gold(annotator, campaign, WRONG, times=1)
    plain = Assignment.objects.filter(purpose="").submitted().count()
    assert valid_answers(campaign, checkable(campaign)).count() == 3 * plain
    assert list(waiting(campaign)) == []
    assert rater_progress(members(campaign), counts_by_rater(campaign))[0].submitted == plain
    rows = text_of(campaign, "csv").splitlines()
    assert len(rows) == 1 + 3 * plain
    assert "gold" not in text_of(campaign, "hagrid")
    checks = text_of(campaign, "checks").splitlines()
    assert len(checks) == 1 + 3
    assert all(row.split(",")[10] == "0" for row in checks[1:])


def test_the_right_answers_of_items_in_use_are_a_file_of_their_own() -> None:
    campaign = make_campaign(passages=3)
    item = put_in_use(campaign, 1, "training")
    line = json.loads(text_of(campaign, "reference_answers"))
    answers = [
        {"criterion": "attributable", "target": at, "value": value, "why": f"Why {at + 1}."}
        for at, value in enumerate(RIGHT)
    ]
    about = {"passage": item.revision.passage.external_id, "side": "after", "use": "training"}
    assert line == about | {"answers": answers}


@pytest.mark.parametrize("name", ["checks", "reference_answers"])
def test_the_exports_ask_as_little_for_many_items_as_for_few(name: str) -> None:
    rater = make_user()
    requests = []
    for items in (3, 9):
        campaign = make_campaign(passages=items + 2, raters=(rater,))
        for position in range(1, items + 1):
            put_in_use(campaign, position, "training")
        set_checks(campaign, attempts=1)
        for _ in range(items):
            judge_next(rater, campaign)
        # As the page and the command find it.
        campaign = with_runs(Campaign.objects.all()).get(pk=campaign.pk)
        with CaptureQueriesContext(connection) as queries:
            text = text_of(campaign, name)
        requests.append(len(queries))
        assert len(text.splitlines()) == {"checks": 1 + 3 * items, "reference_answers": items}[name]
    assert requests[0] == requests[1] <= 2


def test_accuracy_is_the_share_of_right_answers_over_passages(annotator: User) -> None:
    campaign = gold_campaign(annotator, passages=12, golds=4, pause_targets=3)
    judge_gold(annotator, campaign, RIGHT, times=2)
    judge_gold(annotator, campaign, (1, 0, 1), times=1)
    accuracy = gold_items.accuracies(campaign)[annotator.pk]
    assert accuracy.overall == ratio_estimate([3, 3, 1], [3, 3, 3], lowest=0, highest=1)
    assert accuracy.recent == ratio_estimate([1], [3], lowest=0, highest=1)
    assert accuracy.line == (1.0, 1.0, 1 / 3)


def test_accuracy_follows_a_right_answer_that_is_mended_and_drops_what_is_withdrawn(
    annotator: User,
) -> None:
    campaign = gold_campaign(annotator, passages=6, golds=1)
    judge_gold(annotator, campaign, (1, 1, 1), times=1)
    two_of_three = ratio_estimate([2], [3], lowest=0, highest=1)
    assert gold_items.accuracies(campaign)[annotator.pk].overall == two_of_three
    item = campaign.items.get(use="gold")
    use_item(item, use="gold", answers={("attributable", 2): Right(value=1)}, by=None)
    one_of_one = ratio_estimate([1], [1], lowest=0, highest=1)
    assert gold_items.accuracies(campaign)[annotator.pk].overall == one_of_one
    assert gold_items.item_shares(campaign) == {item.pk: (1, 1)}
    withdraw(item)
    assert gold_items.accuracies(campaign) == {}


def test_below_the_threshold_the_rater_is_paused_and_let_on_begins_afresh(
    annotator: User, researcher: User
) -> None:
    campaign = gold_campaign(annotator, passages=16, golds=6, pause_percent=60, pause_targets=6)
    judge_gold(annotator, campaign, WRONG, times=1)
    assert isinstance(claim_next(annotator, campaign=campaign), Assignment)  # three are too few
    judge_gold(annotator, campaign, RIGHT, times=1)
    judged = Judgment.objects.count()
    assert preview_next(annotator, campaign=campaign) is None  # a look begins no pause
    assert not Pause.objects.exists()
    no_task = claim_next(annotator, campaign=campaign)
    assert preview_next(annotator, campaign=campaign) == no_task
    assert (no_task.reason, no_task.campaign) == (Reason.PAUSED, campaign)
    pause = Pause.objects.get()
    assert (pause.rater, pause.right, pause.judged) == (annotator, 3, 6)
    assert Judgment.objects.count() == judged
    assert gold_items.resume_rater(campaign, annotator, by=researcher)
    judge_gold(annotator, campaign, RIGHT, times=1)
    assert isinstance(claim_next(annotator, campaign=campaign), Assignment)
    pause.refresh_from_db()
    assert pause.ended_by == researcher


def test_without_a_threshold_nobody_is_paused(annotator: User) -> None:
    campaign = gold_campaign(annotator, passages=8, golds=3, pause_targets=3)
    judge_gold(annotator, campaign, WRONG, times=2)
    assert isinstance(claim_next(annotator, campaign=campaign), Assignment)


def test_a_rater_does_not_meet_the_other_side_of_a_passage_as_gold(annotator: User) -> None:
    campaign = make_campaign(
        passages=2, sides="both", raters=(annotator,), may_repeat_passages=False
    )
    first = judge_next(annotator, campaign).item
    other = campaign.items.exclude(pk=first.pk).get(revision=first.revision_id)
    put_in_use(campaign, other.position, "gold")
    set_checks(campaign, gold_every=2)
    assert all(gold_items.item_due(campaign, annotator) is None for _ in range(2))
    assert claim(annotator, campaign).item.revision_id != first.revision_id


def test_out_of_use_an_item_waits_for_raters_again(annotator: User) -> None:
    campaign = make_campaign(passages=1, raters=(annotator,), raters_per_item=2)
    item = put_in_use(campaign, 1, "gold")
    assert isinstance(claim_next(annotator, campaign=campaign), NoTask)
    withdraw(item)
    item.refresh_from_db()
    assert (item.wanted, item.done) == (2, 0)
    assert claim(annotator, campaign).slot == 1
    use_again(item, use="training")
    assert item.reference_answers.count() == 3


def test_the_answer_before_an_item_came_into_use_goes_on_counting() -> None:
    raters = (make_user(), make_user())
    campaign = make_campaign(passages=1, raters=raters, raters_per_item=2)
    judge_next(raters[0], campaign)
    item = put_in_use(campaign, 1, "gold")
    item.refresh_from_db()
    assert (item.done, item.wanted) == (1, 1)
    assert valid_answers(campaign, checkable(campaign)).count() == 3
    assert isinstance(claim_next(raters[1], campaign=campaign), NoTask)


def test_adjudicated_answers_are_right_and_those_that_raters_share(researcher: User) -> None:
    item = make_outvoted((1, 1, 0), (1, 0, 1), passages=1).items.get()
    answers = {("attributable", 1): AdjudicatedAnswer(value=0, reason="Nothing says so.")}
    save_adjudication(item, by=researcher, answers=answers, seen=open_case(item).seen)
    assert adjudicated(item) == {
        ("attributable", 0): Right(value=1),
        ("attributable", 1): Right(value=0, why="Nothing says so."),
    }


def test_an_item_needs_a_right_answer_and_one_that_can_be_right(researcher: User) -> None:
    item = make_campaign(passages=1).items.get()
    with pytest.raises(NoReferenceAnswer):
        use_item(item, use="gold", answers={}, by=researcher)
    with pytest.raises(NoReferenceAnswer):
        use_again(item, use="gold")
    with pytest.raises(InvalidAnswer, match="choose one of attributable"):
        use_item(item, use="gold", answers={("useful", 0): Right(value=1)}, by=researcher)
    item.refresh_from_db()
    assert item.use == ""


def test_a_claim_asks_little_more_where_there_is_gold(
    annotator: User, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    campaign = gold_campaign(annotator, passages=30, golds=5, pause_percent=50, pause_targets=3)
    judge_gold(annotator, campaign, RIGHT, times=2)
    with django_assert_max_num_queries(24):
        claim_next(annotator, campaign=campaign)


def test_the_database_lets_no_check_hold_a_slot(annotator: User) -> None:
    campaign = make_campaign(passages=1, raters=(annotator,))
    held = claim(annotator, campaign)
    with pytest.raises(IntegrityError):
        Assignment.objects.filter(pk=held.pk).update(purpose=Item.Use.GOLD)
