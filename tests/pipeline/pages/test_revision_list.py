"""The list of a run's revisions: filters, search, pages by key, the walk from one to the next."""

from dataclasses import replace
from urllib.parse import urlencode

import pytest
from django.http import QueryDict

from pipeline.models import Revision, RevisionQuerySet, Run
from pipeline.pages.listing import Asked
from pipeline.pages.paging import KeyPage
from pipeline.pages.revision_list import (
    REVISIONS,
    direction,
    filter_chips,
    listed,
    walk,
)
from tests.support.factories import make_passage, make_revision, make_run

pytestmark = pytest.mark.django_db
DONE = Revision.State.DONE
PAGE_SIZE = REVISIONS.size


@pytest.fixture
def run() -> Run:
    return make_run()


@pytest.fixture
def assorted(run: Run) -> dict[str, Revision]:
    """One revision for each filter, and one for none."""
    return {
        "plain": make_revision(run, state=DONE, attribution_before=0.5, attribution_after=0.5),
        "changed": make_revision(run, state=DONE, text="Other.", is_changed=True),
        "failed": make_revision(run, state=Revision.State.FAILED, failure="TransientError"),
        "rejected": make_revision(run, state=DONE, edits_rejected=2),
        "up": make_revision(run, state=DONE, attribution_before=0.2, attribution_after=0.5),
        "down": make_revision(run, state=DONE, attribution_before=0.5, attribution_after=0.2),
        "waiting": make_revision(run),
    }


def of(run: Run) -> RevisionQuerySet:
    return Revision.objects.filter(run=run)


def asked(query: str = "") -> Asked:
    return REVISIONS.asked(QueryDict(query))


def shown(run: Run, query: str = "") -> list[int]:
    page = page_of(run, query)
    return [row.revision.pk for row in page.rows]


def page_of(run: Run, query: str = "") -> KeyPage:
    return listed(of(run), QueryDict(query.removeprefix("?"))).page


@pytest.mark.parametrize("name", ["changed", "failed", "rejected", "up", "down"])
def test_a_filter_keeps_its_own_rows(run: Run, assorted: dict[str, Revision], name: str) -> None:
    assert shown(run, f"filter={name}") == [assorted[name].pk]


def test_no_filter_keeps_all_rows(run: Run, assorted: dict[str, Revision]) -> None:
    assert shown(run) == [revision.pk for revision in assorted.values()]


def test_another_runs_rows_stay_out(run: Run) -> None:
    make_revision(make_run())
    assert shown(run) == []


@pytest.mark.parametrize("words", ["RIBBLE", "north sea", "Tees", "x-17"])
def test_the_search_reads_both_texts_and_the_passage_id(run: Run, words: str) -> None:
    passage = make_passage(run.dataset, external_id="x-17")
    found = make_revision(run, passage=passage, state=DONE, text="The Tees.", is_changed=True)
    make_revision(run, passage=make_passage(run.dataset, text="Nothing.", external_id="y"))
    assert shown(run, urlencode({"q": words})) == [found.pk]


@pytest.mark.parametrize("words", ["%", "_", "100%"])
def test_a_sign_of_the_database_is_searched_as_itself(run: Run, words: str) -> None:
    make_revision(run, passage=make_passage(run.dataset, text="Nothing.", external_id="y"))
    assert shown(run, urlencode({"q": words})) == []


def test_an_unknown_filter_is_no_filter() -> None:
    assert asked("filter=result__contains") == asked()


def test_a_search_is_trimmed_and_short() -> None:
    assert asked("q=++ab+").search == "ab"
    assert len(asked("q=" + "x" * 5000).search) == 200


def test_the_address_keeps_filter_and_search() -> None:
    assert asked("filter=up&q=a+%26+b").query(after=7) == "?filter=up&q=a+%26+b&after=7"
    assert asked().query() == ""


def test_each_chip_says_how_many_rows_its_filter_shows(
    run: Run, assorted: dict[str, Revision]
) -> None:
    chips = filter_chips(of(run), asked("filter=up"))
    assert [chip.count for chip in chips] == [7, 1, 1, 1, 1, 1]
    assert [chip.is_current for chip in chips] == [False, False, False, False, True, False]


def test_chips_count_within_the_search(run: Run, assorted: dict[str, Revision]) -> None:
    chips = filter_chips(of(run), asked("q=other."))
    assert [chip.count for chip in chips] == [1, 1, 0, 0, 0, 0]


def test_pages_follow_each_other_and_lead_back(run: Run) -> None:
    keys = [make_revision(run).pk for _ in range(2 * PAGE_SIZE + 1)]
    walked: list[int] = []
    page = page_of(run)
    walked += [row.revision.pk for row in page.rows]
    while page.next:
        page = page_of(run, page.next)
        walked += [row.revision.pk for row in page.rows]
    assert walked == keys
    back = page_of(run, f"?before={keys[PAGE_SIZE]}")
    assert [row.revision.pk for row in back.rows] == keys[:PAGE_SIZE]
    assert back.previous == ""
    assert back.next == f"?after={keys[PAGE_SIZE - 1]}"


def test_the_first_page_leads_nowhere_back(run: Run) -> None:
    make_revision(run)
    page = page_of(run)
    assert (page.previous, page.next) == ("", "")


def test_a_page_beyond_the_end_says_so(run: Run) -> None:
    last = make_revision(run)
    assert page_of(run, f"?after={last.pk}").is_beyond
    assert not page_of(make_run()).is_beyond


def test_a_row_shows_the_first_change(run: Run) -> None:
    text = "The Ribble flows into the Irish Sea."
    make_revision(run, state=DONE, text=text, is_changed=True)
    (row,) = page_of(run).rows
    assert [piece.text for piece in row.change if piece.kind != "same"] == ["North", "Irish"]


def test_a_row_of_a_failed_passage_shows_no_change(run: Run) -> None:
    make_revision(run, state=Revision.State.FAILED)
    assert page_of(run).rows[0].change == ()


def test_a_long_passage_is_clipped(run: Run) -> None:
    make_revision(run, passage=make_passage(run.dataset, text="word " * 10_000))
    (row,) = page_of(run).rows
    assert len(row.clip) < 250
    assert row.clip.endswith("word…")


@pytest.mark.parametrize(
    ("before", "after", "went"),
    [(0.1, 0.2, "up"), (0.2, 0.1, "down"), (0.0, 0.0, "level"), (None, 0.2, ""), (0.2, None, "")],
)
def test_where_a_figure_went(before: float | None, after: float | None, went: str) -> None:
    assert direction(before, after) == went


def test_the_walk_knows_its_neighbours_and_its_place(run: Run) -> None:
    first, second, third = (make_revision(run).pk for _ in range(3))
    make_revision(make_run())
    here = walk(of(run), asked(), second)
    assert (here.previous, here.next, here.place, here.total) == (first, third, 2, 3)
    assert walk(of(run), asked(), first).previous is None
    assert walk(of(run), asked(), third).next is None


def test_the_walk_stays_within_the_filter(run: Run, assorted: dict[str, Revision]) -> None:
    later = make_revision(run, state=DONE, text="Other.", is_changed=True)
    here = walk(of(run), asked("filter=changed"), assorted["changed"].pk)
    assert (here.previous, here.next, here.query) == (None, later.pk, "?filter=changed")


def test_a_revision_outside_the_filter_has_no_place(
    run: Run, assorted: dict[str, Revision]
) -> None:
    here = walk(of(run), asked("filter=down"), assorted["plain"].pk)
    assert (here.place, here.total, here.next) == (0, 1, assorted["down"].pk)


def test_sorted_pages_follow_each_other_with_what_has_no_figure_last(run: Run) -> None:
    figures = [0.2, None, 0.9, 0.5, None, 0.5]
    made = [make_revision(run, state=DONE, attribution_after=figure) for figure in figures]
    wanted = [made[place].pk for place in (2, 5, 3, 0, 4, 1)]
    small = replace(REVISIONS, size=1)
    query, seen = "?sort=-attribution", []
    while query:
        page = small.read(of(run), QueryDict(query[1:])).page
        seen += [row.pk for row in page.rows]
        query = page.next
    assert seen == wanted
    back, query = [], f"?sort=-attribution&before={wanted[-1]}"
    while query:
        page = small.read(of(run), QueryDict(query[1:])).page
        back += [row.pk for row in page.rows]
        query = page.previous
    assert back == wanted[-2::-1]


def test_the_walk_follows_the_order_of_the_list(run: Run) -> None:
    low, none, high = (
        make_revision(run, state=DONE, attribution_after=each).pk for each in (0.2, None, 0.9)
    )
    here = walk(of(run), asked("sort=-attribution"), low)
    assert (here.previous, here.next, here.place, here.total) == (high, none, 2, 3)
    assert here.query == "?sort=-attribution"
