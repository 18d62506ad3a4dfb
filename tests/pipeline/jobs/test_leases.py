"""A row is claimed by one, kept while renewed, and lost without harm."""

from datetime import timedelta
from functools import partial

import pytest
from django.utils import timezone
from pytest_django import Settings

from pipeline.jobs import leases
from pipeline.models import Revision, Run
from pipeline.runs.execution import Revising
from tests.support.factories import make_revision, make_run
from tests.support.races import all_at_once
from tests.support.worker_process import wait_until


def claim(revision: Revision) -> str:
    claimable = Revision.objects.claimable()
    return leases.claim(claimable, revision.pk, **Revising().claimed())


def lease_of(revision: Revision, token: str) -> leases.Lease:
    return leases.Lease(model=Revision, pk=revision.pk, token=token)


@pytest.mark.django_db
def test_a_row_whose_lease_ran_out_can_be_claimed_again() -> None:
    revision = make_revision()
    first = claim(revision)
    Revision.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    assert claim(revision) == "", "it is not brought back yet"
    Revising().free_expired()
    second = claim(revision)
    assert second
    assert second != first
    assert not lease_of(revision, first).mine.exists()


@pytest.mark.django_db
def test_a_row_is_claimed_in_a_running_run_when_its_hour_is_over() -> None:
    for state in (Run.State.PAUSED, Run.State.CANCELLED, Run.State.FINISHED):
        assert claim(make_revision(make_run(state=state))) == ""
    assert claim(make_revision(not_before=timezone.now() + timedelta(minutes=1))) == ""
    assert claim(make_revision(not_before=timezone.now() - timedelta(minutes=1)))


@pytest.mark.django_db
def test_a_claim_by_a_join_is_refused() -> None:
    joined = Revision.objects.filter(run__state=Run.State.RUNNING)
    with pytest.raises(ValueError, match="join"):
        leases.claim(joined, make_revision().pk)


@pytest.mark.django_db(transaction=True)
def test_of_eight_rivals_one_gets_the_row() -> None:
    def rival(revision: Revision, tokens: list[str]) -> None:
        tokens.append(claim(revision))

    for _ in range(5):
        tokens: list[str] = []
        all_at_once(*[partial(rival, make_revision(), tokens)] * 8)
        assert sorted(map(bool, tokens)) == [False] * 7 + [True]


@pytest.mark.django_db(transaction=True)
def test_a_lease_is_renewed_while_the_work_goes_on(settings: Settings) -> None:
    settings.LEASE_SECONDS = 8  # renewed every two seconds
    revision = make_revision()
    token = claim(revision)
    first = Revision.objects.get().lease_until
    with leases.renewed(lease_of(revision, token)):
        renewed = Revision.objects.exclude(lease_until=first)
        wait_until(renewed.exists, because="the lease is not renewed")
        assert claim(revision) == ""
    Revision.objects.update(lease_until=timezone.now())
    Revising().free_expired()
    assert claim(revision)
