"""Pages of large campaigns show cached figures; a second request computes the others."""

import re
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from annotation.models import Campaign, Item
from annotation.results import cached_figures
from annotation.results.cached_figures import LOCK
from tests.annotation.views.test_query_counts import QUERY_BUDGET, queries_of
from tests.support.adjudication import make_differing
from tests.support.answers import judged_answers
from tests.support.compared import make_compared_runs, revise_alike
from tests.support.study import make_study

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("large")]
PAGES = ("", "results/", "reliability/", "results/figures/")
HTMX = {"HX-Request": "true"}
FAILED = "These figures could not be computed."


@pytest.fixture
def campaign() -> Campaign:
    made = make_study("rarr", "efec")
    Item.objects.update(done=2, wanted=2)
    return made


@pytest.fixture
def ask(as_researcher: Client) -> Callable[..., str]:
    def get(address: str, **headers: str) -> str:
        answer = as_researcher.get(address, headers=headers)
        assert answer.status_code == 200
        return str(answer.content.decode())

    return get


def second_request(page: str) -> str:
    """The address that the page names, for htmx and without scripts."""
    (address,) = set(re.findall(r'hx-get="([^"]*figures=now[^"]*)"', page))
    assert f'href="{address}"' in page
    return address.replace("&amp;", "&")


def rows_of(page: str) -> list[str]:
    """The rows of the page's tables, and its plots."""
    return re.findall(r"<tr>.*?</tr>|<svg.*?</svg>", page, re.DOTALL)


def parts_of(page: str) -> list[str]:
    (parts,) = re.findall(r'hx-select-oob="([^"]*)"', page)
    return parts.replace("#", "").split(",")


@pytest.mark.parametrize("path", PAGES)
def test_a_second_request_computes_what_a_page_lacks(
    ask: Callable[..., str], campaign: Campaign, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    address = f"{campaign.get_absolute_url()}{path}"
    with CaptureQueriesContext(connection) as captured:
        first = ask(address)
        second = ask(second_request(first), **HTMX)
    writes = [row["sql"] for row in captured if re.match("INSERT|UPDATE|DELETE", row["sql"])]
    assert [sql for sql in writes if '"cache"' not in sql] == []
    assert "Computing …" in first
    assert "Computing …" not in second
    for part in parts_of(first):
        assert f'id="{part}"' in first
        assert f'id="{part}"' in second
    later = ask(address)
    assert "figures=now" not in later
    monkeypatch.setattr(cached_figures, "SMALL", 3_000)
    small = ask(address)
    assert "figures=now" not in small
    assert len(rows_of(small)) > len(rows_of(first))
    assert rows_of(later) == rows_of(small), "the same numbers as where nothing is cached"


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("/", "items to adjudicate"),
        ("/campaigns/", "To adjudicate"),
        ("/adjudicate/", "start=1"),
        ("/results/", "Compare with"),
        *((f"{{campaign}}{tab}/", "Adjudicate ") for tab in ("items", "raters", "settings")),
        ("{answers}results/statistics/", "Attributable, sentences"),
    ],
)
def test_lists_wait_for_their_numbers(
    ask: Callable[..., str], campaign: Campaign, address: str, words: str
) -> None:
    address = address.format(
        campaign=campaign.get_absolute_url(), answers=judged_answers().get_absolute_url()
    )
    first = ask(address)
    assert words not in first
    second = ask(second_request(first), **HTMX)
    assert words in second
    assert {f'id="{part}"' in second for part in parts_of(first)} == {True}
    later = ask(address)
    assert words in later
    assert "figures=now" not in later


def test_a_queue_lists_items_before_they_are_counted(ask: Callable[..., str]) -> None:
    campaign = make_differing(passages=2)
    address = f"/adjudicate/?campaign={campaign.slug}"
    first = ask(address)
    item = campaign.items.order_by("position")[0]
    assert f"/adjudicate/{item.pk}/" in first
    assert "2 items to adjudicate" in " ".join(ask(second_request(first), **HTMX).split())
    items = ask(f"{campaign.get_absolute_url()}items/?state=split")
    assert 'data-label="Number">1<' in items


def test_the_filters_of_passages_wait_and_a_note_stays(ask: Callable[..., str]) -> None:
    runs = make_compared_runs()
    for run in runs:
        run.passage_count = 1
        run.save()
    passage = revise_alike(runs)
    address = f"/compare/passages/{passage.pk}/?" + "&".join(f"run={run.pk}" for run in runs)
    first = ask(address)
    assert parts_of(first) == ["passage-filters", "list-nav"]
    filters, _, notes = ask(second_request(first), **HTMX).partition('id="passage-filters"')
    assert "Computing …" not in filters + notes
    assert "figures=now" not in ask(address)


def test_a_fragment_tries_again_while_other_figures_are_computed(
    ask: Callable[..., str], campaign: Campaign
) -> None:
    cache.add(LOCK, "")
    for path in ("results/?figures=now", "reliability/?show=figures", "reliability/summary/"):
        page = ask(f"{campaign.get_absolute_url()}{path}", **HTMX)
        assert 'hx-trigger="load delay:3s"' in page
        assert f'href="{campaign.get_absolute_url()}re' in page


def test_a_failure_is_one_sentence_with_a_retry(
    ask: Callable[..., str], campaign: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_arguments: Any) -> None:
        raise MemoryError

    address = f"{campaign.get_absolute_url()}reliability/"
    with monkeypatch.context() as broken:
        broken.setattr("annotation.results.reliability.count_patterns", fail)
        page = ask(f"{address}?figures=now")
    assert FAILED in page
    assert f'<a href="{address}?figures=now">Try again</a>' in page
    assert "hx-get" not in page.partition(FAILED)[0].rpartition("<div")[2]
    assert FAILED not in ask(f"{address}?figures=now")


@pytest.mark.parametrize("is_broken", [False, True])
def test_files_and_the_api_compute_or_tell_when_to_try_again(
    as_researcher: Client, campaign: Campaign, monkeypatch: pytest.MonkeyPatch, *, is_broken: bool
) -> None:
    def fail(*_arguments: Any) -> None:
        raise MemoryError

    api = f"/api/campaigns/{campaign.slug}/results/"
    addresses = (f"{campaign.get_absolute_url()}results/figures/agreement.csv", api)
    with monkeypatch.context() as broken:
        if is_broken:
            broken.setattr("annotation.results.cached_figures.cache.get_or_set", fail)
        else:
            cache.add(LOCK, "")
        why = "could not be computed" if is_broken else "Other figures are being computed"
        for address in (*addresses, "/results/?format=csv"):
            answer = as_researcher.get(address)
            assert (answer.status_code, answer.headers["Retry-After"]) == (503, "5")
            assert why in answer.content.decode()
    cache.delete(LOCK)
    for address in addresses:
        assert as_researcher.get(address).status_code == 200
    sides = as_researcher.get(api).json()["attribution"]["sides"]
    assert sides[0]["attribution"]["n"] > 0


def test_no_page_asks_the_database_often(as_researcher: Client, campaign: Campaign) -> None:
    def counts() -> Mapping[str, int]:
        address = campaign.get_absolute_url()
        return {
            path: queries_of(lambda path=path: as_researcher.get(f"{address}{path}"), 200)
            for path in PAGES
        }

    first = counts()
    for path in PAGES:
        as_researcher.get(f"{campaign.get_absolute_url()}{path}?figures=now")
    for by_path in (first, counts()):
        assert {path: n for path, n in by_path.items() if n > QUERY_BUDGET} == {}
