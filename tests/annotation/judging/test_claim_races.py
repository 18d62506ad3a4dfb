"""Many raters at the same moment, on real connections: n raters mean n."""

from datetime import timedelta

import pytest
from django.db.models import Count
from django.utils import timezone

from annotation.adjudication import cases
from annotation.judging.claims import NoTask, claim_next
from annotation.models import Assignment, Campaign, Item
from rarrweb.accounts.models import User
from tests.support.campaigns import (
    judge_everything,
    make_assignment,
    make_campaign,
    make_judgeable_run,
    save_judgment,
)
from tests.support.factories import make_user
from tests.support.races import all_at_once, slots_of
from tests.support.reference_answers import claim

pytestmark = pytest.mark.django_db(transaction=True)


def judge_until_empty(rater: User, campaign: Campaign, count: list[int]) -> None:
    while isinstance(claimed := claim_next(rater, campaign=campaign), Assignment):
        judge_everything(claimed)
        count.append(claimed.pk)


def test_twenty_raters_fill_every_slot_exactly_once() -> None:
    raters = tuple(make_user() for _ in range(20))
    campaign = make_campaign(passages=6, raters_per_item=3, raters=raters)
    done: list[int] = []
    all_at_once(*(lambda rater=rater: judge_until_empty(rater, campaign, done) for rater in raters))
    assert all(sorted(slots) == [1, 2, 3] for slots in slots_of(campaign).values())
    assert len(done) == len(set(done)) == 18
    assert not Assignment.objects.filter(is_late=True).exists()
    pairs = Assignment.objects.values("item", "rater").annotate(n=Count("pk"))
    assert all(pair["n"] == 1 for pair in pairs)


def test_one_rater_in_ten_tabs_gets_one_item() -> None:
    rater = make_user()
    campaign = make_campaign(passages=5, raters=(rater,), raters_per_item=2)
    got: list[object] = []
    all_at_once(*(lambda: got.append(claim_next(rater, campaign=campaign)) for _ in range(10)))
    assert len(set(got)) == 1
    assert Assignment.objects.count() == 1


@pytest.mark.parametrize("first_state", ["production", "closed"])
def test_one_rater_in_ten_tabs_gets_one_item_of_campaigns_in_succession(first_state: str) -> None:
    rater = make_user()
    run = make_judgeable_run(passages=5)
    first = make_campaign(run=run, raters=(rater,))
    second = make_campaign(run=run, questionnaire="intent", sides="pair", raters=(rater,))
    Campaign.objects.filter(pk=second.pk).update(follows=first, state="closed")
    for _ in range(3):
        judge_everything(claim(rater))
    Campaign.objects.filter(pk=first.pk).update(state=first_state)
    Campaign.objects.filter(pk=second.pk).update(state="production")
    got: list[object] = []
    all_at_once(*(lambda: got.append(claim_next(rater)) for _ in range(10)))
    assert len(set(got)) == 1
    assert Assignment.objects.in_progress().get().campaign == second


def test_who_opens_an_item_as_adjudicator_at_the_moment_of_a_claim_does_not_hold_it() -> None:
    rater = make_user(role="researcher")
    campaign = make_campaign(passages=1, raters=(rater,))
    item = campaign.items.get()
    for _ in range(5):
        Assignment.objects.all().delete()
        item.openings.all().delete()
        all_at_once(lambda: cases.admit(item, rater), lambda: claim_next(rater, campaign=campaign))
        assert item.openings.get().user == rater
        assert not Assignment.objects.filter(slot__isnull=False).exists()
        assert isinstance(claim_next(rater, campaign=campaign), NoTask)


def test_of_two_who_want_an_expired_slot_one_gets_it() -> None:
    slow, *quick = (make_user() for _ in range(5))
    campaign = make_campaign(passages=1, raters=(slow, *quick))
    claim_next(slow, campaign=campaign)
    Assignment.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    all_at_once(*(lambda rater=rater: claim_next(rater, campaign=campaign) for rater in quick))
    assert [sorted(slots) for slots in slots_of(campaign).values()] == [[1]]
    assert Assignment.objects.exclude(rater=slow).count() == 1


def test_a_save_and_a_claim_of_its_expired_slot_agree_on_who_has_it() -> None:
    slow, quick = make_user(), make_user()
    campaign = make_campaign(passages=1, raters=(slow, quick))
    for _ in range(5):
        Assignment.objects.all().delete()
        held = claim(slow, campaign=campaign)
        Assignment.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
        all_at_once(
            lambda held=held: save_judgment(
                held, criterion="attributable", target=0, value=True, sequence=1
            ),
            lambda: claim_next(quick, campaign=campaign),
        )
        late = Assignment.objects.get(rater=slow)
        assert late.judgments.count() == 1
        others = Assignment.objects.filter(rater=quick, slot=1).count()
        # Either the save came first and renewed the lease, or it is late, and marked so.
        assert (late.slot, late.is_late, others) in {(1, False, 0), (None, True, 1)}


def test_the_same_answer_from_many_requests_is_one_row() -> None:
    rater = make_user()
    assignment = make_assignment(rater, passages=1)
    all_at_once(
        *(
            lambda sequence=sequence: save_judgment(
                Assignment.objects.get(pk=assignment.pk),
                criterion="attributable",
                target=0,
                value=sequence % 2 == 0,
                sequence=sequence,
            )
            for sequence in range(1, 11)
        )
    )
    row = assignment.judgments.get()
    assert (row.value, row.sequence) == (True, 10)
    assert Item.objects.get().assignments.get().slot == 1
