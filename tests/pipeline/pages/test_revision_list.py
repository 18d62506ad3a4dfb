"""The list of a run's revisions: filters, search, pages by key, the neighbours of a row."""

from dataclasses import replace
from urllib.parse import urlencode

import pytest
from django.http import QueryDict

from pipeline.models import Revision, RevisionQuerySet, Run
from pipeline.pages.revision_list import REVISIONS, direction, filter_chips, find_neighbours, listed
from rarrweb.web.listing import ListQuery
from rarrweb.web.paging import KeyPage
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


def query_of(query: str = "") -> ListQuery:
    return REVISIONS.parse(QueryDict(query))


def keys_of(run: Run, query: str = "") -> list[int]:
    return [row.revision.pk for row in page_of(run, query).rows]


def page_of(run: Run, query: str = "") -> KeyPage:
    return listed(of(run), QueryDict(query.removeprefix("?"))).page


def test_a_filter_keeps_its_own_rows(run: Run, assorted: dict[str, Revision]) -> None:
    for name in ("changed", "failed", "rejected", "up", "down"):
        assert keys_of(run, f"filter={name}") == [assorted[name].pk]
    assert keys_of(run) == [revision.pk for revision in assorted.values()]


@pytest.mark.parametrize("words", ["RIBBLE", "north sea", "Tees", "x-17"])
def test_the_search_reads_both_texts_and_the_passage_id(run: Run, words: str) -> None:
    passage = make_passage(run.dataset, external_id="x-17")
    revision = make_revision(run, passage=passage, state=DONE, text="The Tees.", is_changed=True)
    make_revision(run, passage=make_passage(run.dataset, text="Nothing.", external_id="y"))
    assert keys_of(run, urlencode({"q": words})) == [revision.pk]


def test_a_search_is_trimmed_and_short() -> None:
    assert query_of("q=++ab+").search == "ab"
    assert len(query_of("q=" + "x" * 5000).search) == 200


def test_each_chip_counts_its_rows(run: Run, assorted: dict[str, Revision]) -> None:
    chips = filter_chips(of(run), query_of("filter=up"))
    assert [chip.count for chip in chips] == [7, 1, 1, 1, 1, 1]
    assert [chip.is_current for chip in chips] == [False, False, False, False, True, False]
    chips = filter_chips(of(run), query_of("q=other."))
    assert [chip.count for chip in chips] == [1, 1, 0, 0, 0, 0]


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


def test_a_filtered_out_row_has_no_rank(run: Run, assorted: dict[str, Revision]) -> None:
    here = find_neighbours(of(run), query_of("filter=down"), assorted["plain"].pk)
    assert (here.position, here.total, here.next) == (0, 1, assorted["down"].pk)


def test_sorted_pages_follow_each_other_with_what_has_no_figure_last(run: Run) -> None:
    figures = [0.2, None, 0.9, 0.5, None, 0.5]
    made = [make_revision(run, state=DONE, attribution_after=figure) for figure in figures]
    wanted = [made[position].pk for position in (2, 5, 3, 0, 4, 1)]
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
    here = find_neighbours(of(run), query_of("sort=-attribution"), low)
    assert (here.previous, here.next, here.position, here.total) == (high, none, 2, 3)
    assert here.query == "?sort=-attribution"
