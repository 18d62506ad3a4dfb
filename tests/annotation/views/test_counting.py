"""Pages of a large campaign answer at once, and say of when they are or what they wait for."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from annotation.models import Campaign, Item, KeptFigure
from annotation.results import kept_figures, revision_votes
from annotation.results.kept_figures import process_figure
from pipeline.models import Worker
from tests.annotation.views.test_query_counts import QUERY_BUDGET, queries_of
from tests.support.adjudication import make_differing
from tests.support.compared import make_compared_runs, revise_alike
from tests.support.study import make_study

pytestmark = pytest.mark.django_db
PAGES = ("", "results/", "reliability/", "results/figures/")


@pytest.fixture
def campaign(monkeypatch: pytest.MonkeyPatch) -> Campaign:
    """Judged, and as if it were large."""
    monkeypatch.setattr(kept_figures, "LIVE_SUBMISSIONS", -1)
    made = make_study("rarr", "efec")
    Item.objects.update(done=2, wanted=2)
    return made


@pytest.fixture
def ask(as_researcher: Client, campaign: Campaign) -> Callable[..., Any]:
    def get(page: str, **headers: str) -> Any:
        return as_researcher.get(f"{campaign.get_absolute_url()}{page}", **headers)

    return get


def count_all() -> None:
    for row in KeptFigure.objects.all():
        process_figure(row.pk)


@pytest.mark.parametrize("page", PAGES)
def test_a_page_says_that_a_worker_counts_and_then_of_when_it_is(
    ask: Callable[..., Any], page: str
) -> None:
    first = ask(page)
    assert first.status_code == 200
    text = first.content.decode()
    assert "Counting …" in text
    assert "This page fills in by itself" in text
    assert '<a href="">Load it again</a>' in text
    assert "/counting/?key=" in text
    count_all()
    text = ask(page).content.decode()
    assert "Counting …" not in text
    assert "/counting/" not in text
    assert "As of " in text


def test_without_a_worker_a_page_says_how_to_start_one(ask: Callable[..., Any]) -> None:
    assert "No worker is running:" in ask("results/").content.decode()
    Worker.objects.create(name="one:1", started_at=timezone.now(), last_seen=timezone.now())
    assert "No worker is running:" not in ask("results/").content.decode()
    Worker.objects.all().delete()
    count_all()
    assert "No worker is running:" not in ask("results/").content.decode(), "nothing waits"


def test_it_asks_until_the_figure_is_there_and_then_loads_again(
    as_researcher: Client, ask: Callable[..., Any]
) -> None:
    ask("")
    keys = list(KeptFigure.objects.values_list("key", flat=True))
    address = "/counting/?" + "&".join(f"key={key}" for key in keys)
    waiting = as_researcher.get(address)
    assert (waiting.status_code, waiting.headers.get("HX-Refresh")) == (204, None)
    count_all()
    there = as_researcher.get(address)
    assert (there.status_code, there.headers["HX-Refresh"]) == (204, "true")


def test_why_it_could_not_be_counted_stands_on_the_page_and_ends_the_asking(
    ask: Callable[..., Any],
) -> None:
    ask("results/")
    KeptFigure.objects.update(
        state="failed", failure="An error.", finished_at=timezone.now(), asked_at=timezone.now()
    )
    text = ask("results/").content.decode()
    assert "An error." in text
    assert "/counting/" not in text


def test_files_and_the_api_wait_for_the_first_count_and_then_say_of_when_they_are(
    as_researcher: Client, ask: Callable[..., Any], campaign: Campaign
) -> None:
    file = "results/figures/agreement.csv"
    api = f"/api/campaigns/{campaign.slug}/results/"
    for answer in (ask(file), as_researcher.get(api)):
        assert (answer.status_code, answer.headers["Retry-After"]) == (503, "5")
    count_all()
    assert "-as-of-2" in ask(f"{file}?download").headers["Content-Disposition"]
    told = as_researcher.get(api).json()
    assert told["counted_at"] is not None
    assert told["attribution"]["sides"][0]["attribution"]["n"] > 0


def test_files_and_the_api_say_why_there_is_nothing_to_wait_for(
    as_researcher: Client, ask: Callable[..., Any], campaign: Campaign
) -> None:
    addresses = ("results/figures/agreement.csv", f"/api/campaigns/{campaign.slug}/results/")
    ask(addresses[0])
    as_researcher.get(addresses[1])
    KeptFigure.objects.update(state="failed", failure="An error.", finished_at=timezone.now())
    for answer in (ask(addresses[0]), as_researcher.get(addresses[1])):
        assert (answer.status_code, answer.headers["Retry-After"]) == (503, "600")
        assert "An error." in answer.content.decode()


def test_the_api_gives_the_time_of_its_oldest_figure(
    as_researcher: Client, campaign: Campaign
) -> None:
    api = f"/api/campaigns/{campaign.slug}/results/"
    as_researcher.get(api)
    count_all()
    old = timezone.now() - timedelta(days=1)
    KeptFigure.objects.filter(name="beside-automatic").update(counted_at=old)
    told = as_researcher.get(api).json()["counted_at"]
    assert datetime.fromisoformat(told) == old


def test_results_wait_for_what_stands_beside_them_too(ask: Callable[..., Any]) -> None:
    ask("results/")
    process_figure(KeptFigure.objects.get(name="work").pk)
    assert "/counting/?key=" in ask("results/").content.decode()
    process_figure(KeptFigure.objects.get(name="beside-automatic").pk)
    assert "/counting/?key=" not in ask("results/").content.decode()


@pytest.mark.parametrize("is_counted", [True, False])
def test_items_that_wait_are_listed_however_old_their_number_is(
    as_researcher: Client, monkeypatch: pytest.MonkeyPatch, *, is_counted: bool
) -> None:
    campaign = make_differing(passages=2)
    monkeypatch.setattr(kept_figures, "LIVE_SUBMISSIONS", -1)
    queue = f"/adjudicate/?campaign={campaign.slug}"
    as_researcher.get(queue)
    if is_counted:
        count_all()
        KeptFigure.objects.filter(name="waiting").update(value=0)
    first = campaign.items.order_by("position")[0]
    assert f"/adjudicate/{first.pk}/" in as_researcher.get(queue).content.decode()
    items = as_researcher.get(f"{campaign.get_absolute_url()}items/?state=split")
    assert 'data-label="Number">1<' in items.content.decode()
    assert "1 of 1" in as_researcher.get(f"/adjudicate/{first.pk}/").content.decode()


def test_a_page_with_a_note_to_write_does_not_load_itself_again(
    as_researcher: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(revision_votes, "LIVE_SUBMISSIONS", -1)
    runs = make_compared_runs()
    passage = revise_alike(runs)
    address = f"/compare/passages/{passage.pk}/?" + "&".join(f"run={run.pk}" for run in runs)
    page = as_researcher.get(address).content.decode()
    assert "Counting …" in page
    assert "/counting/" not in page
    assert "This page fills in by itself" not in page


def test_the_same_numbers_stand_on_a_kept_page_and_on_a_counted_one(
    ask: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    for page in ("results/", "reliability/"):
        ask(page)
    count_all()
    kept = [figures_of(ask(page)) for page in ("results/", "reliability/")]
    monkeypatch.setattr(kept_figures, "LIVE_SUBMISSIONS", 3_000)
    assert kept == [figures_of(ask(page)) for page in ("results/", "reliability/")]


def figures_of(answer: Any) -> list[str]:
    """The rows of the page's tables."""
    text = answer.content.decode()
    return [row.split("</tr>")[0] for row in text.split("<tr>")[1:]]


def test_no_page_asks_the_database_often_where_figures_are_kept(
    ask: Callable[..., Any], campaign: Campaign
) -> None:
    def counts() -> dict[str, int]:
        return {page: queries_of(lambda page=page: ask(page), 200) for page in PAGES}

    first = counts()
    count_all()
    later = counts()
    KeptFigure.objects.update(counted_at=timezone.now() - timedelta(hours=1))
    old = counts()
    for found in (first, later, old):
        assert {page: n for page, n in found.items() if n > QUERY_BUDGET} == {}


def test_nothing_is_asked_of_a_worker_for_a_small_campaign(
    ask: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept_figures, "LIVE_SUBMISSIONS", 3_000)
    for page in PAGES:
        assert "Counting …" not in ask(page).content.decode()
    assert not KeptFigure.objects.exists()
