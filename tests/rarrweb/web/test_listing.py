"""Lists: sorted, filtered and searched by URL."""

from dataclasses import replace
from datetime import timedelta
from urllib.parse import urlencode

import pytest
from django.db import connection
from django.http import QueryDict
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from pytest_django.asserts import assertContains, assertNotContains

from pipeline.models import Dataset
from pipeline.views.datasets import DATASETS
from rarrweb.web.listing import FEW, ListPage
from tests.support.factories import make_corpus, make_dataset, make_run

pytestmark = pytest.mark.django_db


def read(query: str = "", size: int = 50) -> ListPage:
    return replace(DATASETS, size=size).read(Dataset.objects.all(), QueryDict(query))


def names(query: str = "") -> list[str]:
    return [row.name for row in read(query).page.rows]


@pytest.fixture
def three() -> list[Dataset]:
    return [
        make_dataset(name="Pears", passage_count=2, description="Fruit of a tree."),
        make_dataset(name="figs", passage_count=9),
        make_dataset(name="apples", archived_at="2026-01-01T00:00Z"),
        make_dataset(name="Cherries", passage_count=2),
    ]


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("", ["Cherries", "figs", "Pears"]),
        ("sort=created", ["Pears", "figs", "Cherries"]),
        ("sort=name", ["Cherries", "figs", "Pears"]),
        ("sort=-name", ["Pears", "figs", "Cherries"]),
        ("sort=-passages", ["figs", "Cherries", "Pears"]),
        ("sort=slug__contains", ["Cherries", "figs", "Pears"]),
        ("sort=--name", ["Cherries", "figs", "Pears"]),
        ("archived=yes", ["apples"]),
        ("archived=nonsense", ["Cherries", "figs", "Pears"]),
        ("q=TREE", ["Pears"]),
        ("q=100%25", []),
    ],
)
def test_the_address_reports_which_rows_and_in_which_order(
    three: list[Dataset], query: str, wanted: list[str]
) -> None:
    assert names(query) == wanted


def test_a_second_click_on_a_head_turns_the_order_and_keeps_the_search(
    three: list[Dataset],
) -> None:
    heads = {head.column.name: head for head in read("sort=name&q=r").heads}
    assert (heads["name"].query, heads["name"].sort) == ("?q=r&sort=-name", "ascending")
    assert (heads["passages"].query, heads["passages"].sort) == ("?q=r&sort=-passages", "")
    assert heads["created"].query == "?q=r"  # the usual order needs no word
    assert heads["runs"].query == ""


def test_a_page_goes_on_after_a_row_that_has_left_the_list() -> None:
    made = [make_dataset(name=f"Set {number}") for number in range(5)]
    page = read("sort=name", size=2).page
    assert page.next == f"?sort=name&after={made[1].pk}"
    Dataset.objects.filter(pk=made[1].pk).update(archived_at=timezone.now())
    assert read(page.next[1:], size=2).page.rows == made[2:4]
    Dataset.objects.filter(pk=made[1].pk).delete()
    assert read(page.next[1:], size=2).page.is_beyond


def test_equal_rows_are_each_displayed_once_whichever_way_one_goes() -> None:
    made = [make_dataset(name="Same", passage_count=number // 3) for number in range(8)]
    for sort in ("name", "-name", "passages", "-passages"):
        query, seen = f"sort={sort}", []
        while query:
            listed = read(query, size=3)
            seen += listed.page.rows
            last, query = listed, listed.page.next[1:]
        assert sorted(row.pk for row in seen) == [row.pk for row in made]
        back = list(last.page.rows)
        while last.page.previous:
            last = read(last.page.previous[1:], size=3)
            back = list(last.page.rows) + back
        assert back == seen


def test_pages_show_order_and_filters_and_lead_to_what_is_archived(as_researcher: Client) -> None:
    dataset = make_dataset()
    page = as_researcher.get("/datasets/?sort=-passages")
    assertContains(page, 'aria-sort="descending"', count=1)
    assertContains(page, 'href="/datasets/?sort=passages"')
    make_corpus()
    page = as_researcher.get("/corpora/?state=failed")
    assertContains(page, "No rows match the filters")
    assertContains(page, '<option value="failed" selected>')
    dataset.delete()
    make_dataset(name="Figs", archived_at=timezone.now())
    assertContains(as_researcher.get("/datasets/"), 'href="/datasets/?archived=yes"')
    assertContains(as_researcher.get("/datasets/?archived=yes"), "Figs")


def test_a_short_list_has_no_search_and_a_single_row_no_checkbox(as_researcher: Client) -> None:
    make_dataset(name="Figs")
    page = as_researcher.get("/datasets/")
    for absent in ("list-bar", 'name="row"', "archived"):
        assertNotContains(page, absent)
    for number in range(FEW):
        make_dataset(name=f"Set {number}")
    page = as_researcher.get("/datasets/")
    assertContains(page, 'aria-label="Search and filter"')
    assertContains(page, 'name="row"', count=FEW + 1)
    assertContains(as_researcher.get("/datasets/?q=figs"), 'aria-label="Search and filter"')


def test_a_late_page_uses_an_index() -> None:
    by_index, by_sorting = "SEARCH", "TEMP B-TREE"
    if connection.vendor == "postgresql":
        by_index, by_sorting = "Index Cond", "Sort"
        with connection.cursor() as cursor:  # it would read a table of three rows as it lies
            cursor.execute("SET LOCAL enable_seqscan = off")
            cursor.execute("SET LOCAL enable_bitmapscan = off")
    made = [make_dataset(name=f"Set {number}") for number in range(3)]
    Dataset.objects.update(created_at=timezone.now() - timedelta(days=1))
    for sort in ("name", "created"):
        order = DATASETS.parse(QueryDict(f"sort={sort}")).order
        rows = Dataset.objects.annotate(listed_by=order.by)
        _, after = order.around(rows, made[1].pk) or (None, None)
        plan = order.sort(rows.filter(after)).values("pk")[:5].explain()
        assert by_index in plan
        assert by_sorting not in plan


def test_a_list_that_is_whole_on_its_page_is_not_counted_again(three: list[Dataset]) -> None:
    with CaptureQueriesContext(connection) as queries:
        whole = read()
    assert (whole.count, whole.is_more) == (3, False)
    assert not [row for row in queries.captured_queries if "COUNT(*)" in row["sql"]]
    with CaptureQueriesContext(connection) as queries:
        part = read(size=2)
    assert (part.count, part.is_more) == (3, False)
    assert [row for row in queries.captured_queries if "COUNT(*)" in row["sql"]]


@pytest.mark.parametrize(
    ("words", "result"),
    [("IG", ["figs"]), ("100%", ["100% ripe"]), ("%", ["100% ripe"]), ("ü", ["grün"]), ("_", [])],
)
def test_a_search_knows_no_capitals_and_takes_each_sign_for_itself(
    words: str, result: list[str]
) -> None:
    for number, name in enumerate(("figs", "100% ripe", "grün")):
        make_dataset(slug=f"set-{number}", name=name)
    assert names(urlencode({"q": words})) == result


def test_a_search_finds_a_number(as_researcher: Client) -> None:
    run = make_run()
    assertContains(as_researcher.get("/runs/", {"q": str(run.pk)}), f'href="/runs/{run.pk}/"')
