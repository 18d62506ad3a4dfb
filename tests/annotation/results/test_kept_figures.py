"""Small campaigns are counted in the request; of large ones a worker keeps the figures."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from itertools import count
from typing import Any

import pytest
from django.core.cache import cache
from django.db import IntegrityError, OperationalError
from django.db.models import QuerySet
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from annotation import tasks
from annotation.campaigns.deletion import delete_campaign
from annotation.models import Campaign, Item, KeptFigure
from annotation.raters.consent import erase_work
from annotation.results import kept_figures
from annotation.results.kept_figures import (
    PLANS,
    FigurePlan,
    code_digest,
    forget_old_figures,
    plan_figure,
    process_figure,
    shown_figure,
    shown_figure_of_each,
    waiting_figures,
)
from pipeline.jobs import leases, queue
from pipeline.workers import recovery
from rarrweb.accounts.models import User
from rarrweb.celery import EXPORTS
from tests.support.campaigns import make_campaign
from tests.support.factories import make_user
from tests.support.study import make_study

pytestmark = pytest.mark.django_db
State = KeptFigure.State
Numbers = FigurePlan[tuple[int, str]]


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_figures, "LIVE_SUBMISSIONS", -1)


@pytest.fixture
def campaign(large: None) -> Campaign:
    return make_campaign()


@pytest.fixture
def work() -> list[str]:
    """The state of the work that is counted."""
    return ["begun"]


@pytest.fixture
def numbers(work: list[str]) -> Iterator[Numbers]:
    """A figure that says how often it was counted."""
    counted = count(1)
    yield plan_figure(
        "numbers",
        lambda campaign, part: (next(counted), part),
        work_of=lambda campaign, part: work[0],
    )
    del PLANS["numbers"]


def look(campaign: Campaign, plan: FigurePlan[Any], part: str = "a") -> Any:
    """As another request does."""
    return shown_figure(plan, Campaign.objects.get(pk=campaign.pk), part=part)


def age(**by: float) -> None:
    """As if it had been asked for and counted earlier."""
    for row in KeptFigure.objects.all():
        row.asked_at -= timedelta(**by)
        row.counted_at = row.counted_at and row.counted_at - timedelta(**by)
        row.save()


def test_a_small_campaign_is_counted_each_time(numbers: Numbers) -> None:
    campaign = make_campaign()
    found = [look(campaign, numbers) for _ in range(2)]
    assert [(each.value, each.counted_at, each.of_when) for each in found] == [
        ((1, "a"), None, ""),
        ((2, "a"), None, ""),
    ]
    assert not KeptFigure.objects.exists()


def test_a_dear_figure_of_a_small_campaign_is_counted_once_for_the_same_work(
    numbers: Numbers, work: list[str]
) -> None:
    dear = replace(numbers, is_dear=True)
    campaign, other = make_campaign(), make_campaign()
    assert [look(campaign, dear).value for _ in range(2)] == [(1, "a"), (1, "a")]
    assert look(campaign, dear, part="b").value == (2, "b")
    assert look(other, dear).value == (3, "a")
    work[0] = "judged-on"
    found = look(campaign, dear)
    assert (found.value, found.counted_at) == ((4, "a"), None)
    assert not KeptFigure.objects.exists()


def test_a_large_one_is_shown_once_a_worker_has_counted_it(
    campaign: Campaign, numbers: Numbers
) -> None:
    first = look(campaign, numbers)
    assert (first.value, first.is_counting) == (None, True)
    row = KeptFigure.objects.get()
    assert first.waits_for == row.key
    assert process_figure(row.pk)
    row.refresh_from_db()
    assert (row.state, row.claim, row.failure) == (State.DONE, "", "")
    found = look(campaign, numbers)
    assert (found.value, found.is_counting, found.counted_at) == ((1, "a"), False, row.counted_at)
    assert found.of_when.startswith("-as-of-2")
    assert not process_figure(row.pk), "it is counted"


def test_however_many_look_it_is_asked_for_once(
    campaign: Campaign,
    numbers: Numbers,
    django_capture_on_commit_callbacks: Callable[..., Any],
) -> None:
    waiting = queue.queue_length(EXPORTS) or 0
    with django_capture_on_commit_callbacks(execute=True):
        for _ in range(3):
            look(campaign, numbers)
    assert queue.queue_length(EXPORTS) == waiting + 1
    process_figure(KeptFigure.objects.get().pk)
    age(hours=1)
    with django_capture_on_commit_callbacks(execute=True):
        found = [look(campaign, numbers) for _ in range(3)]
    assert queue.queue_length(EXPORTS) == waiting + 2
    assert [each.value for each in found] == [(1, "a")] * 3, "the last one stays meanwhile"


def test_two_who_look_for_the_first_time_make_one_row(campaign: Campaign, numbers: Numbers) -> None:
    kept_figures.read_kept([campaign])  # and somebody else asks now
    look(campaign, numbers)
    assert shown_figure(numbers, campaign, part="a").is_counting
    assert KeptFigure.objects.count() == 1


def test_one_page_asks_for_a_figure_once(
    campaign: Campaign, numbers: Numbers, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    first = shown_figure(numbers, campaign, part="a")
    with django_assert_num_queries(0):
        assert shown_figure(numbers, campaign, part="a") == first


def test_a_row_that_cannot_be_made_is_no_error(
    campaign: Campaign, numbers: Numbers, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_args: Any, **_named: Any) -> None:
        raise IntegrityError("the campaign is gone")

    monkeypatch.setattr(KeptFigure, "save", refuse)
    assert look(campaign, numbers).is_counting


def test_a_full_database_still_shows_what_is_kept(
    campaign: Campaign, numbers: Numbers, monkeypatch: pytest.MonkeyPatch
) -> None:
    look(campaign, numbers)
    process_figure(KeptFigure.objects.get().pk)
    age(minutes=1)

    def refuse(*_args: Any, **_named: Any) -> None:
        raise OperationalError("database or disk is full")

    with monkeypatch.context() as full:
        full.setattr(KeptFigure, "save", refuse)
        full.setattr(QuerySet, "update", refuse)
        assert look(campaign, numbers).value == (1, "a")
        assert not look(campaign, numbers).is_counted_anew
        assert look(campaign, numbers, "b").is_counting
    assert look(campaign, numbers).is_counted_anew
    assert look(campaign, numbers).is_counted_anew  # whoever looks next


def test_of_several_campaigns_only_the_figure_that_is_asked_for_is_read(
    large: None, django_assert_num_queries: Any
) -> None:
    plan = plan_figure("one", lambda campaign: campaign.pk, work_of=lambda campaign: "")
    other = plan_figure("other", lambda campaign: "much", work_of=lambda campaign: "")
    campaigns = [make_campaign(), make_campaign()]
    for each in campaigns:
        shown_figure(other, each)
    shown_figure_of_each(plan, campaigns)
    for row in KeptFigure.objects.all():
        process_figure(row.pk)
    with django_assert_num_queries(1) as read:
        found = shown_figure_of_each(plan, campaigns)
    values = {pk: shown.value for pk, shown in found.items()}
    assert values == {each.pk: each.pk for each in campaigns}
    assert KeptFigure.objects.filter(name="other")[0].key not in read.captured_queries[0]["sql"]
    del PLANS["one"], PLANS["other"]


def test_a_page_waits_for_a_silent_queue_once(
    campaign: Campaign,
    numbers: Numbers,
    monkeypatch: pytest.MonkeyPatch,
    django_capture_on_commit_callbacks: Callable[..., Any],
) -> None:
    tried: list[object] = []
    monkeypatch.setattr(queue, "send", lambda *message: tried.append(message))
    with django_capture_on_commit_callbacks(execute=True):
        for part in "abc":
            look(campaign, numbers, part)
    cache.clear()
    assert len(tried) == 1
    assert waiting_figures().count() == 3, "the sweep sends them"


def test_it_is_counted_again_only_when_the_work_has_changed(
    campaign: Campaign, numbers: Numbers, work: list[str]
) -> None:
    look(campaign, numbers)
    pk = KeptFigure.objects.get().pk
    process_figure(pk)
    for state, expected in (("begun", 1), ("more", 2)):
        work[0] = state
        age(hours=1)
        old = look(campaign, numbers).counted_at
        assert process_figure(pk)
        found = look(campaign, numbers)
        assert found.value == (expected, "a")
        assert found.counted_at > old, "it is known to be right now"


def test_it_stands_for_twenty_times_as_long_as_counting_took(
    campaign: Campaign, numbers: Numbers
) -> None:
    look(campaign, numbers)
    process_figure(KeptFigure.objects.get().pk)
    KeptFigure.objects.update(seconds=5.0)
    age(seconds=99)
    look(campaign, numbers)
    assert not waiting_figures().exists()
    age(seconds=2)
    look(campaign, numbers)
    assert waiting_figures().exists()


def test_arguments_and_campaigns_are_kept_apart(campaign: Campaign, numbers: Numbers) -> None:
    other = make_campaign(name="Another")
    for part in ("a", "b"):
        look(campaign, numbers, part)
    look(other, numbers)
    rows = KeptFigure.objects.order_by("pk").values_list("campaign", "name", "arguments")
    assert [(of, name, arguments["part"]) for of, name, arguments in rows] == [
        (campaign.pk, "numbers", "a"),
        (campaign.pk, "numbers", "b"),
        (other.pk, "numbers", "a"),
    ]


def test_a_page_reads_all_figures_by_one_query(
    campaign: Campaign, numbers: Numbers, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for part in ("a", "b"):
        look(campaign, numbers, part)
    for row in KeptFigure.objects.all():
        process_figure(row.pk)
    again = Campaign.objects.get(pk=campaign.pk)
    with django_assert_num_queries(1):
        for part in ("a", "b"):
            assert shown_figure(numbers, again, part=part).value[1] == part  # type: ignore[index]


def test_another_version_of_the_program_counts_for_itself(
    campaign: Campaign, numbers: Numbers, monkeypatch: pytest.MonkeyPatch
) -> None:
    look(campaign, numbers)
    KeptFigure.objects.update(code="an earlier one", key="an earlier one")
    old = KeptFigure.objects.get()
    assert not process_figure(old.pk), "it may not know this figure"
    assert not waiting_figures().exists()
    assert look(campaign, numbers).waits_for != old.key
    assert KeptFigure.objects.count() == 2


def test_the_version_changes_with_the_program_that_counts(tmp_path: Any, settings: Any) -> None:
    before = code_digest()
    folder = tmp_path / "annotation"
    folder.mkdir()
    settings.BASE_DIR = tmp_path
    found = []
    for text in ("a = 1", "a = 2"):
        (folder / "results.py").write_text(text)
        code_digest.cache_clear()
        found.append(code_digest())
    code_digest.cache_clear()
    assert len({before, *found}) == 3


def test_what_cannot_be_read_is_counted_again(campaign: Campaign, numbers: Numbers) -> None:
    look(campaign, numbers)
    pk = KeptFigure.objects.get().pk
    process_figure(pk)
    KeptFigure.objects.update(value={"os.system": ["true"]})
    assert look(campaign, numbers).is_counting
    assert process_figure(pk)
    assert look(campaign, numbers).value == (2, "a")


def test_why_it_could_not_be_counted_is_said_and_tried_again_later(campaign: Campaign) -> None:
    plan = plan_figure("broken", lambda campaign: 1 // 0, work_of=lambda campaign: "")
    shown_figure(plan, campaign)
    pk = KeptFigure.objects.get().pk
    assert process_figure(pk)
    found = shown_figure(plan, Campaign.objects.get(pk=campaign.pk))
    assert "ZeroDivisionError" in found.failure
    assert not waiting_figures().exists()
    age(minutes=11)
    shown_figure(plan, Campaign.objects.get(pk=campaign.pk))
    assert waiting_figures().exists()
    del PLANS["broken"]


def test_one_that_kills_its_workers_is_set_aside(campaign: Campaign, numbers: Numbers) -> None:
    look(campaign, numbers)
    KeptFigure.objects.update(
        claim="dead", lease_until=timezone.now() - timedelta(hours=1),
        lost_leases=leases.MOST_LOST - 1, state=State.COUNTING,
    )  # fmt: skip
    assert process_figure(KeptFigure.objects.get().pk)
    assert "Set aside" in look(campaign, numbers).failure
    age(minutes=11)
    look(campaign, numbers)
    assert not waiting_figures().exists()
    age(hours=6)
    look(campaign, numbers)
    assert waiting_figures().exists()


def test_two_workers_never_count_one(campaign: Campaign, numbers: Numbers) -> None:
    look(campaign, numbers)
    KeptFigure.objects.update(
        claim="alive", lease_until=timezone.now() + timedelta(seconds=30), state=State.COUNTING
    )
    assert not process_figure(KeptFigure.objects.get().pk)


def test_the_sweep_finds_what_a_dead_worker_left(
    campaign: Campaign, numbers: Numbers, monkeypatch: pytest.MonkeyPatch
) -> None:
    look(campaign, numbers)
    pk = KeptFigure.objects.get().pk
    KeptFigure.objects.update(
        claim="dead", lease_until=timezone.now() - timedelta(seconds=1), state=State.COUNTING
    )
    sent: list[Any] = []
    monkeypatch.setattr(queue, "queue_length", lambda name: 0)
    monkeypatch.setattr(queue, "send", lambda task, ids: sent.append((task, list(ids))))
    recovery.send_lost_jobs()
    assert sent == [(kept_figures.COUNT_FIGURE, [pk])]
    tasks.count_figure(pk)
    assert look(campaign, numbers).value == (1, "a")


def test_the_figures_of_a_deleted_campaign_go_with_it(campaign: Campaign, numbers: Numbers) -> None:
    look(campaign, numbers)
    kept_figures.shown_figure_of_many(numbers, part="of several")
    Campaign.objects.update(state=Campaign.State.CLOSED)
    delete_campaign(campaign)
    assert not KeptFigure.objects.exists()


def test_what_was_counted_with_a_persons_work_goes_with_it(
    campaign: Campaign, numbers: Numbers
) -> None:
    other = make_campaign(name="Another")
    for each in (campaign, other):
        look(each, numbers)
    erase_work(make_user(), campaign)
    assert [row.campaign for row in KeptFigure.objects.all()] == [other]


def test_what_nobody_looks_at_is_forgotten(campaign: Campaign, numbers: Numbers) -> None:
    look(campaign, numbers)
    age(days=29)
    forget_old_figures()
    assert KeptFigure.objects.count() == 1
    age(days=2)
    forget_old_figures()
    assert not KeptFigure.objects.exists()


def test_every_figure_of_a_judged_campaign_can_be_kept(
    large: None, researcher: User, client: Client
) -> None:
    """All that pages show of it while workers count, and then."""
    campaign = make_study("rarr", "efec")
    Item.objects.update(done=2)
    client.force_login(researcher)
    address = campaign.get_absolute_url()
    pages = ("", "results/", "reliability/", "results/figures/")
    for _ in range(2):
        pages_now = [client.get(f"{address}{page}") for page in pages]
        for row in KeptFigure.objects.all():
            process_figure(row.pk)
    assert [page.status_code for page in pages_now] == [200] * len(pages)
    assert {row.state for row in KeptFigure.objects.all()} == {State.DONE}
    assert all("Counting …" not in page.content.decode() for page in pages_now)
    assert all("As of " in page.content.decode() for page in pages_now)
