"""Training: first items, feedback, share to pass, further attempts."""

import pytest

from annotation.judging.answers import Comment, TrainingSubmitted, save_judgments
from annotation.judging.claims import Reason, claim_next
from annotation.judging.releases import release
from annotation.models import Assignment, Campaign, Judgment, TrainingAttempt
from annotation.quality_control import training
from annotation.quality_control.reference_answers import withdraw
from annotation.quality_control.training import TrainingStatus
from annotation.raters.memberships import add_member
from rarrweb.accounts.models import User
from tests.support.campaigns import make_campaign, save_judgment
from tests.support.factories import make_user
from tests.support.reference_answers import RIGHT, claim, judge, judge_next, put_in_use, set_checks

pytestmark = pytest.mark.django_db

WRONG = (0, 0, 1)


@pytest.fixture
def campaign(annotator: User) -> Campaign:
    """Five items, of which 2 and 4 train; three right answers each."""
    made = make_campaign(passages=5, raters=(annotator,))
    put_in_use(made, 2, "training")
    put_in_use(made, 4, "training")
    set_checks(made, attempts=1)
    return made


def status(campaign: Campaign, rater: User) -> TrainingStatus:
    return training.training_of(campaign, rater).status


def test_training_items_come_first_in_their_order_and_then_the_others(
    campaign: Campaign, annotator: User
) -> None:
    first, second = judge_next(annotator, campaign), judge_next(annotator, campaign)
    assert [first.item.position, second.item.position] == [2, 4]
    assert {first.purpose, second.purpose} == {"training"}
    rest = {judge_next(annotator, campaign).item.position for _ in range(3)}
    assert rest == {1, 3, 5}
    assert claim_next(annotator, campaign=campaign).reason == Reason.ALL_DONE
    assert TrainingAttempt.objects.count() == 1
    first.refresh_from_db()
    first.item.refresh_from_db()
    assert (first.slot, first.is_late, first.item.done, first.item.wanted) == (None, False, 0, 0)


@pytest.mark.parametrize(
    ("mark", "second", "passes"),
    [(80, (1, 1, 1), True), (84, (1, 1, 1), False), (50, WRONG, True), (51, WRONG, False)],
)
def test_the_pass_mark_is_a_share_of_all_right_answers(
    campaign: Campaign, annotator: User, mark: int, second: tuple[int, ...], passes: bool
) -> None:
    set_checks(campaign, pass_percent=mark)
    judge_next(annotator, campaign, RIGHT)
    judge_next(annotator, campaign, second)
    last = TrainingAttempt.objects.get()
    assert last.has_passed is passes
    assert (last.right, last.judged) == (sum(map(int.__eq__, second, RIGHT)) + 3, 6)
    expected = TrainingStatus.PASSED if passes else TrainingStatus.STOPPED
    assert status(campaign, annotator) == expected


def judge_attempt(rater: User, campaign: Campaign) -> list[Assignment]:
    return [judge_next(rater, campaign, WRONG) for _ in range(training.MIN_ITEMS)]


def test_another_try_has_other_items_and_a_third_begins_with_empty_pages(annotator: User) -> None:
    campaign = make_campaign(passages=7, raters=(annotator,))
    for position in range(1, 7):
        put_in_use(campaign, position, "training")
    set_checks(campaign, attempts=3)
    done = judge_attempt(annotator, campaign)
    assert claim_next(annotator, campaign=campaign).reason == Reason.RETRAIN
    training.try_again(campaign, annotator)
    done += judge_attempt(annotator, campaign)
    positions = [each.item.position for each in done]
    assert positions == [1, 2, 3, 4, 5, 6], "the answers to the first three were just explained"
    assert training.has_feedback(Assignment.objects.get(pk=done[0].pk))
    sequence = Judgment.objects.first().sequence
    no_task = claim_next(annotator, campaign=campaign)
    assert (no_task.reason, no_task.campaign) == (Reason.RETRAIN, campaign)
    training.try_again(campaign, annotator)
    with pytest.raises(training.NoAttemptLeft):  # a second fast click
        training.try_again(campaign, annotator)
    again = claim(annotator, campaign)
    assert again.pk == done[0].pk
    assert set(again.judgments.values_list("value", flat=True)) == {None}
    assert training.attempt_of(again) == {"number": 3, "item_count": 6}
    # A page that is still open from the first try brings its answers once more.
    save_judgment(again, criterion="attributable", target=0, value=0, sequence=sequence)
    assert set(again.judgments.values_list("value", flat=True)) == {None}
    first, _, third = TrainingAttempt.objects.order_by("number")
    assert [each["answer"] for each in first.answers] == [*WRONG] * 3
    assert third.finished_at is None
    for _ in range(3):
        judge_next(annotator, campaign, RIGHT)
    assert status(campaign, annotator) == TrainingStatus.PASSED
    assert claim(annotator, campaign).purpose == ""


def test_tries_run_out_and_the_researcher_may_give_one_or_let_the_rater_go_on(
    campaign: Campaign, annotator: User, researcher: User
) -> None:
    set_checks(campaign, attempts=1)
    for _ in range(2):
        judge_next(annotator, campaign, WRONG)
    assert status(campaign, annotator) == TrainingStatus.STOPPED
    assert claim_next(annotator, campaign=campaign).reason == Reason.OUT_OF_ATTEMPTS
    with pytest.raises(training.NoAttemptLeft):
        training.try_again(campaign, annotator)
    with pytest.raises(training.NoAttemptLeft, match="just explained"):
        training.try_again(campaign, annotator, by=researcher)
    put_in_use(campaign, 5, "training")
    training.try_again(campaign, annotator, by=researcher)
    assert judge_next(annotator, campaign, WRONG).item.position == 5
    assert training.waive_training(campaign, annotator, by=researcher)
    assert not training.waive_training(campaign, annotator, by=researcher)
    assert claim(annotator, campaign).purpose == ""
    last = TrainingAttempt.objects.get(number=2)
    assert (last.has_passed, last.waived_by) == (False, researcher)


def test_what_was_submitted_is_fixed_once_the_rater_knows_what_is_right(
    campaign: Campaign, annotator: User
) -> None:
    done = judge_next(annotator, campaign, WRONG)
    with pytest.raises(TrainingSubmitted, match="seen the right answers"):
        save_judgment(done, criterion="attributable", target=0, value=1, sequence=99)
    with pytest.raises(TrainingSubmitted):
        save_judgments(done, [], comment=Comment(text="oh", sequence=99))
    done.refresh_from_db()
    assert done.submitted_at is not None


def test_a_rater_who_has_judged_here_is_not_sent_to_training_that_comes_later(
    annotator: User,
) -> None:
    campaign = make_campaign(passages=4, raters=(annotator,))
    judge_next(annotator, campaign)
    put_in_use(campaign, 4, "training")
    assert claim(annotator, campaign).purpose == ""
    new = make_user("nora")
    add_member(campaign, user=new)
    assert claim(new, campaign).purpose == "training"


def test_a_training_item_that_was_released_counts_as_without_an_answer(
    campaign: Campaign, annotator: User, researcher: User
) -> None:
    judge_next(annotator, campaign, RIGHT)
    release(claim(annotator, campaign), by=researcher)
    no_task = claim_next(annotator, campaign=campaign)
    last = TrainingAttempt.objects.get()
    assert (no_task.reason, last.right, last.judged) == (Reason.OUT_OF_ATTEMPTS, 3, 6)


def test_only_the_campaign_that_trains_stops_the_rater_while_it_has_training_items(
    campaign: Campaign, annotator: User
) -> None:
    other = make_campaign(passages=1, raters=(annotator,), name="Rivers")
    for _ in range(2):
        judge_next(annotator, campaign, WRONG)
    assert judge_next(annotator).item.campaign == other
    nothing = claim_next(annotator)  # nothing is left in the other one, but something here
    assert (nothing.reason, nothing.campaign) == (Reason.OUT_OF_ATTEMPTS, campaign)
    for item in campaign.items.exclude(use=""):
        withdraw(item)
    assert claim(annotator, campaign).purpose == ""


def test_a_training_item_in_hand_is_resumed_whatever_its_lease(
    campaign: Campaign, annotator: User
) -> None:
    first = claim(annotator, campaign)
    Assignment.objects.update(lease_until=first.claimed_at)
    again = claim(annotator, campaign)
    assert (again.pk, TrainingAttempt.objects.count()) == (first.pk, 1)
    assert again.lease_until > first.claimed_at
    judge(again, RIGHT)
    assert again.is_late is False
