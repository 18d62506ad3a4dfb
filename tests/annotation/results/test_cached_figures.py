"""Figures of large campaigns are computed once for the same work, one at a time."""

from collections.abc import Callable
from itertools import count

import pytest
from django.core.cache import cache

from annotation.models import Assignment, Campaign
from annotation.results import cached_figures
from annotation.results.cached_figures import LOCK, FigureCache
from annotation.results.joined import UNREVISED, cached_joined_rows, joined_rows
from pipeline.models import Run, ScoringJob
from rarrweb.accounts.models import User
from tests.support.adjudication import make_differing, settle_first
from tests.support.campaigns import save_judgment
from tests.support.study import make_study

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("large")]


@pytest.fixture
def number() -> Callable[..., str]:
    """A figure that tells how often it was computed."""
    times = count(1)

    def computed(campaign: Campaign, part: str = "") -> str:
        return f"{part}{next(times)}"

    return computed


def test_the_same_work_is_computed_once(number: Callable[..., str]) -> None:
    campaign = make_differing()
    cached = FigureCache(computes=False)
    assert cached.get(number, campaign, "") is None
    assert cached.is_missing
    cache = FigureCache()
    result = [cache.get(number, campaign, part) for part in ("", "", "a", "")]
    assert result == ["1", "1", "a2", "1"]
    assert not cache.is_missing
    assert FigureCache(computes=False).get(number, campaign, "") == "1"
    assert cache.get(number, make_differing()) == "3", "another campaign"


def test_a_small_campaign_is_computed_each_time(
    number: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cached_figures, "SMALL", 3_000)
    campaign = make_differing()
    assert [FigureCache(computes=False).get(number, campaign) for _ in range(2)] == ["1", "2"]


def save(campaign: Campaign, by: User) -> None:
    assignment = Assignment.objects.filter(item__campaign=campaign)[0]
    save_judgment(assignment, criterion="attributable", target=0, value=1, sequence=9)


def settle(campaign: Campaign, by: User) -> None:
    settle_first(campaign.items.all()[0], by)


def settle_otherwise(campaign: Campaign, by: User) -> None:
    settle_first(campaign.items.all()[0], by, value=0)


def erase(campaign: Campaign, by: User) -> None:
    Assignment.objects.filter(item__campaign=campaign)[0].delete()


def rename(campaign: Campaign, by: User) -> None:
    campaign.runs.get().dataset.__class__.objects.update(name="Renamed")


def score(campaign: Campaign, by: User) -> None:
    run = campaign.runs.get()
    ScoringJob.objects.create(run=run, finished_at=run.created_at)


def test_everything_that_changes_a_figure_changes_its_fingerprint(
    number: Callable[..., str], researcher: User
) -> None:
    campaign = make_differing()
    result = [FigureCache().get(number, campaign)]
    for change in (save, settle, settle_otherwise, rename, score, erase):
        change(campaign, researcher)
        result.append(FigureCache().get(number, Campaign.objects.get(pk=campaign.pk)))
    assert result == list("1234567")


def test_while_one_is_computed_no_other_is(number: Callable[..., str]) -> None:
    campaign = make_differing()
    inside = FigureCache()

    def slow(_campaign: Campaign) -> str:
        assert inside.get(number, campaign) is None
        return "computed"

    assert FigureCache().get(slow, campaign) == "computed"
    assert inside.is_missing
    assert inside.is_locked
    assert FigureCache().get(number, campaign) == "1", "the lock is free again"


def test_a_failure_frees_the_lock_and_is_tried_again(
    number: Callable[..., str], caplog: pytest.LogCaptureFixture
) -> None:
    campaign = make_differing()
    failing = FigureCache()
    assert failing.get(lambda _campaign: 1 // 0, campaign) is None
    assert failing.has_failed
    assert not failing.is_locked
    assert "ZeroDivisionError" in caplog.text
    assert cache.get(LOCK) is None
    assert FigureCache().get(number, campaign) == "1"


def test_a_lock_that_expired_meanwhile_is_left_to_who_holds_it_now(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(cached_figures, "LOCK_SECONDS", 0)  # expired as soon as it is taken

    def slow(_campaign: Campaign) -> str:
        cache.add(LOCK, "another request")
        return "computed"

    assert FigureCache().get(slow, make_differing()) == "computed"
    assert cache.get(LOCK) == "another request"


def test_none_is_a_figure() -> None:
    campaign = make_differing()
    cache = FigureCache()
    assert cache.get(lambda _campaign: None, campaign) is None
    assert not cache.is_missing


def test_another_version_of_the_program_computes_for_itself(
    number: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    campaign = make_differing()
    FigureCache().get(number, campaign)
    monkeypatch.setattr(cached_figures, "code_digest", lambda: "another")
    assert FigureCache().get(number, campaign) == "2"


def test_a_cached_table_is_the_computed_one_with_the_runs_of_now() -> None:
    make_study("rarr", "efec")
    campaigns = list(Campaign.objects.all())
    options = {"against": UNREVISED}
    runs = list(Run.objects.select_related("dataset", "corpus").order_by("pk"))
    cached = FigureCache(computes=False)
    assert cached_joined_rows(campaigns, runs, cached, **options) is None
    expected = joined_rows(campaigns, runs=runs, **options)
    assert len(expected) > 1
    assert cached_joined_rows(campaigns, runs, FigureCache(), **options) == expected
    result = cached_joined_rows(campaigns, runs, cached, **options)
    assert result == expected
    assert {id(run) for row in result for run in row.runs} <= set(map(id, runs))
    assert cached_joined_rows(campaigns, runs, cached, against="") is None, "of another, another"
