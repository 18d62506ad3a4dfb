"""Training and gold items under many claims at the same moment."""

import contextlib

import pytest
from django.db.models import Count

from annotation.judging.claims import NoTask, claim_next
from annotation.models import Assignment, Campaign, Pause, TrainingAttempt
from annotation.quality_control.training import NoAttemptLeft, try_again
from rarrweb.accounts.models import User
from tests.support.campaigns import make_campaign
from tests.support.factories import make_user
from tests.support.races import all_at_once, slots_of
from tests.support.reference_answers import RIGHT, judge, judge_next, put_in_use, set_checks

pytestmark = pytest.mark.django_db(transaction=True)


def judge_until_empty(rater: User, campaign: Campaign) -> None:
    while isinstance(claimed := claim_next(rater, campaign=campaign), Assignment):
        judge(claimed, RIGHT)


def test_raters_train_and_meet_gold_at_once_and_slots_are_filled_once() -> None:
    raters = tuple(make_user() for _ in range(6))
    campaign = make_campaign(passages=9, raters_per_item=2, raters=raters)
    put_in_use(campaign, 1, "training")
    for position in (2, 3, 4):
        put_in_use(campaign, position, "gold")
    set_checks(campaign, gold_every=2, pause_percent=50, pause_targets=3)
    all_at_once(*(lambda rater=rater: judge_until_empty(rater, campaign) for rater in raters))
    in_use = set(campaign.items.exclude(use="").values_list("pk", flat=True))
    for item, slots in slots_of(campaign).items():
        assert sorted(slots) == ([] if item in in_use else [1, 2])
    assert not Assignment.objects.filter(is_late=True).exists()
    assert set(TrainingAttempt.objects.values_list("number", "has_passed")) == {(1, True)}
    pairs = Assignment.objects.values("item", "rater").annotate(n=Count("pk"))
    assert all(pair["n"] == 1 for pair in pairs)


def test_a_new_rater_in_eight_tabs_begins_one_try_with_one_item() -> None:
    rater = make_user()
    campaign = make_campaign(passages=4, raters=(rater,))
    put_in_use(campaign, 1, "training")
    put_in_use(campaign, 2, "training")
    got: list[object] = []
    all_at_once(*(lambda: got.append(claim_next(rater, campaign=campaign)) for _ in range(8)))
    assert len(set(got)) == 1
    assert Assignment.objects.count() == TrainingAttempt.objects.count() == 1


def test_try_again_in_six_tabs_begins_one_try() -> None:
    rater = make_user()
    campaign = make_campaign(passages=4, raters=(rater,))
    for position in (1, 2, 3, 4):
        put_in_use(campaign, position, "training")
    for _ in range(3):
        judge_next(rater, campaign, (0, 0, 1))
    begun: list[TrainingAttempt] = []

    def again() -> None:
        with contextlib.suppress(NoAttemptLeft):
            begun.append(try_again(campaign, rater))

    all_at_once(*(again for _ in range(6)))
    assert len(begun) == 1
    assert TrainingAttempt.objects.count() == 2


def test_a_pause_that_six_tabs_find_due_begins_once() -> None:
    rater = make_user()
    campaign = make_campaign(passages=6, raters=(rater,))
    for position in (1, 2, 3):
        put_in_use(campaign, position, "gold")
    set_checks(campaign, gold_every=2, pause_percent=50, pause_targets=3)
    while not Assignment.objects.filter(purpose="gold").submitted().exists():
        judge_next(rater, campaign, (0, 0, 1))
    got: list[object] = []
    all_at_once(*(lambda: got.append(claim_next(rater, campaign=campaign)) for _ in range(6)))
    assert all(isinstance(each, NoTask) for each in got)
    assert Pause.objects.count() == 1
