"""Who judges what next."""

from datetime import timedelta

import pytest
from django.utils import timezone

from annotation.campaigns.lifecycle import close_campaign, reopen_campaign
from annotation.items.slots import LEASE
from annotation.judging.answers import submit
from annotation.judging.claims import NoTask, Reason, claim_next
from annotation.models import Assignment, Campaign, Item
from rarrweb.accounts.models import User
from tests.support.campaigns import judge_everything, make_campaign, save_judgment
from tests.support.factories import make_user
from tests.support.reference_answers import claim

pytestmark = pytest.mark.django_db


def why_none(user: User, campaign: Campaign | None = None) -> NoTask:
    outcome = claim_next(user, campaign=campaign)
    assert isinstance(outcome, NoTask), outcome
    return outcome


def expire(assignment: Assignment) -> None:
    past = timezone.now() - timedelta(seconds=1)
    Assignment.objects.filter(pk=assignment.pk).update(lease_until=past)


def test_the_first_claim_takes_slot_1_for_half_an_hour_and_resuming_renews_it(
    annotator: User,
) -> None:
    campaign = make_campaign(raters=(annotator,), raters_per_item=2)
    assignment = claim(annotator, campaign)
    assert assignment.slot == 1
    left = assignment.lease_until - timezone.now()
    assert timedelta(minutes=29) < left <= LEASE == timedelta(minutes=30)
    expire(assignment)
    assert claim(annotator).lease_until > timezone.now() + timedelta(minutes=29)


def test_raters_share_an_item_up_to_its_slots() -> None:
    raters = (make_user(), make_user(), make_user())
    make_campaign(passages=2, raters=raters, raters_per_item=2)
    claimed = [claim(rater) for rater in raters]
    slots = {item.pk: {a.slot for a in claimed if a.item == item} for item in Item.objects.all()}
    assert sorted(map(len, slots.values())) == [1, 2]
    assert all(held == set(range(1, len(held) + 1)) for held in slots.values())


def test_an_expired_slot_is_the_next_raters_until_that_one_expires_too() -> None:
    slow, quick = make_user(), make_user()
    campaign = make_campaign(passages=1, raters=(slow, quick))
    lost = claim(slow)
    expire(lost)
    taken = claim(quick)
    assert taken.slot == 1
    lost.refresh_from_db()
    assert lost.slot is None
    assert why_none(slow, campaign).reason is Reason.YOURS_DONE
    expire(taken)
    assert claim(slow) == lost
    lost.refresh_from_db()
    assert lost.slot == 1


def test_a_submitted_assignment_keeps_its_slot_when_its_lease_is_over() -> None:
    done, other = make_user(), make_user()
    make_campaign(passages=1, raters=(done, other))
    assignment = claim(done)
    judge_everything(assignment)
    expire(assignment)
    assert why_none(other).reason is Reason.ALL_DONE
    assignment.refresh_from_db()
    assert assignment.slot == 1


def test_an_item_that_came_free_behind_the_rater_is_found_at_the_end() -> None:
    one, two = make_user(), make_user()
    make_campaign(passages=2, raters=(one, two))
    abandoned = claim(one)
    judge_everything(claim(two))
    expire(abandoned)
    assert claim(two).item == abandoned.item


def test_a_closed_campaign_gives_nothing_until_it_opens_again(annotator: User) -> None:
    campaign = make_campaign(raters=(annotator,))
    close_campaign(campaign)
    assert why_none(annotator, campaign).reason is Reason.CLOSED
    assert why_none(annotator).reason is Reason.CLOSED
    reopen_campaign(campaign)
    assert claim(annotator).item.campaign == campaign


def test_without_a_campaign_the_oldest_open_one_comes_first_after_what_is_in_progress(
    annotator: User,
) -> None:
    first = make_campaign(raters=(annotator,), passages=1)
    second = make_campaign(raters=(annotator,))
    in_second = claim(annotator, second)
    assert claim(annotator) == in_second
    judge_everything(in_second)
    in_first = claim(annotator)
    assert in_first.item.campaign == first
    judge_everything(in_first)
    assert claim(annotator).item.campaign == second


def test_a_save_keeps_an_expired_lease_that_nobody_wanted(annotator: User) -> None:
    make_campaign(raters=(annotator,))
    assignment = claim(annotator)
    expire(assignment)
    save_judgment(assignment, criterion="attributable", target=0, value=True, sequence=1)
    assignment.refresh_from_db()
    assert assignment.slot == 1
    assert not assignment.is_late
    assert assignment.lease_until > timezone.now()


def test_late_work_is_kept_and_marked_and_takes_no_slot() -> None:
    slow, quick = make_user(), make_user()
    campaign = make_campaign(passages=1, raters=(slow, quick))
    late = claim(slow)
    expire(late)
    claim(quick)
    judge_everything(late)
    late.refresh_from_db()
    assert late.submitted_at is not None
    assert late.is_late
    assert late.slot is None
    assert late.judgments.count() == 3
    assert campaign.items.get().assignments.filter(slot__isnull=False).count() == 1


def test_late_work_is_not_late_any_more_when_its_slot_is_free_again() -> None:
    slow, quick = make_user(), make_user()
    make_campaign(passages=1, raters=(slow, quick))
    late = claim(slow)
    expire(late)
    taken = claim(quick)
    save_judgment(late, criterion="attributable", target=0, value=True, sequence=1)
    expire(taken)
    judge_everything(late)
    late.refresh_from_db()
    assert (late.slot, late.is_late) == (1, False)
    assert submit(late) == []
