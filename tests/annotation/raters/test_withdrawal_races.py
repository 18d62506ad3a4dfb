"""Somebody withdraws or declines at the moment of their own claim or submission."""

import threading
from collections.abc import Callable
from contextlib import suppress

import pytest
from django.db import connection, transaction
from django.http import Http404

from annotation.judging.answers import NotAgreed, submit
from annotation.judging.claims import claim_next
from annotation.models import Assignment, Campaign, ConsentText, Item, Membership
from annotation.raters import consent
from annotation.raters.memberships import leave
from rarrweb.accounts.models import User
from tests.support.campaigns import make_campaign
from tests.support.factories import make_user
from tests.support.races import all_at_once, failures_collected
from tests.support.reference_answers import claim, save_values
from tests.support.skips import on_postgresql

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def rater() -> User:
    return make_user()


@pytest.fixture
def campaign(rater: User) -> Campaign:
    return campaign_that("delete", rater)


def campaign_that(withdrawal: str, rater: User) -> Campaign:
    campaign = make_campaign(raters=(rater,), passages=2)
    text = consent.publish(campaign, text="Agree.", withdrawal=withdrawal, by=campaign.created_by)
    consent.answer(text, user=rater, answer="agreed")
    return campaign


def answered(rater: User, campaign: Campaign) -> Assignment:
    """An item in hand with every answer, not submitted."""
    item = claim(rater, campaign)
    save_values(item, (1, 1, 1))
    return item


def decline(rater: User, campaign: Campaign) -> None:
    consent.answer(
        ConsentText.objects.get(campaign=campaign), user=rater, answer=consent.Answer.DECLINED
    )


def run_during(first: Callable[[], object], then: Callable[[], object]) -> None:
    """Run `then` before the transaction of `first`, in another thread, commits."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        mine = cursor.fetchone()[0]
    done_first, is_over = threading.Event(), threading.Event()

    def is_blocked() -> bool:
        with connection.cursor() as cursor:
            cursor.execute("SELECT cardinality(pg_blocking_pids(%s)) > 0", [mine])
            return bool(cursor.fetchone()[0])

    with failures_collected() as failures:

        def run() -> None:
            try:
                with transaction.atomic():
                    first()
                    done_first.set()
                    while not is_blocked() and not is_over.wait(0.01):
                        pass
            except BaseException as error:  # noqa: BLE001  # raised again by the test
                failures.append(error)
            finally:
                done_first.set()
                connection.close()

        thread = threading.Thread(target=run)
        thread.start()
        try:
            done_first.wait()
            then()
        finally:
            is_over.set()
            thread.join()


@on_postgresql
def test_an_item_that_is_submitted_during_a_withdrawal_counts_for_nobody(
    rater: User, campaign: Campaign
) -> None:
    item = answered(rater, campaign)
    run_during(lambda: submit(item), lambda: consent.withdraw(rater, campaign))
    assert not Assignment.objects.exists()
    assert not Item.objects.filter(done__gt=0).exists()


@on_postgresql
def test_no_claim_outlives_a_withdrawal(rater: User, campaign: Campaign) -> None:
    run_during(
        lambda: claim_next(rater, campaign=campaign), lambda: consent.withdraw(rater, campaign)
    )
    assert not Assignment.objects.exists()
    assert not Membership.objects.filter(user=rater).exists()


@on_postgresql
@pytest.mark.parametrize("end", [consent.withdraw, leave, decline])
def test_who_leaves_during_a_claim_of_theirs_keeps_no_slot(
    rater: User, end: Callable[[User, Campaign], object]
) -> None:
    campaign = campaign_that("keep", rater)
    run_during(lambda: claim_next(rater, campaign=campaign), lambda: end(rater, campaign))
    assert Assignment.objects.get().slot is None


@on_postgresql
def test_a_submission_during_a_decline_is_refused(rater: User, campaign: Campaign) -> None:
    item = answered(rater, campaign)

    def submit_it() -> None:
        with pytest.raises(NotAgreed):
            submit(item)

    run_during(lambda: decline(rater, campaign), submit_it)
    assert Assignment.objects.get().submitted_at is None


def test_withdrawals_claims_and_submissions_at_once_leave_nothing(
    rater: User, campaign: Campaign
) -> None:
    item = answered(rater, campaign)

    def withdraw() -> None:
        with suppress(consent.NothingToWithdraw):  # the other thread was first
            consent.withdraw(rater, campaign)

    def submit_it() -> None:
        with suppress(NotAgreed, Http404):  # the withdrawal was first
            submit(Assignment(pk=item.pk, rater=rater))

    def claim_it() -> None:
        claim_next(rater, campaign=campaign)

    all_at_once(withdraw, submit_it, claim_it, submit_it, claim_it, withdraw)
    assert not Assignment.objects.exists()
    assert not Item.objects.filter(done__gt=0).exists()
