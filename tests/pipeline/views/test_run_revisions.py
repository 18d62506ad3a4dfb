"""The list of a run's revisions."""

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from pipeline.models import Revision, Run
from tests.support.factories import make_passage, make_revision, make_run
from tests.support.pages import html_of
from tests.support.revision_rows import make_viaduct

pytestmark = pytest.mark.django_db


@pytest.fixture
def run() -> Run:
    return make_run()


def test_a_row_reports_what_changed_and_by_how_much(as_researcher: Client, run: Run) -> None:
    revision = make_viaduct(run, external_id="viaduct-1")
    html = html_of(as_researcher, f"/runs/{run.pk}/revisions/")
    assert f'<a href="{reverse("pipeline:revision", args=[revision.pk])}">viaduct-1</a>' in html
    assert '<ins><span class="sr">added: </span>1874</ins>' in html
    assert "0.51 → <strong>0.73</strong>" in html
    assert "attribution went up" in html
    assert "0.98" in html
    assert "2 / 1" in html
    assert "✎ changed" in html


def test_each_state_has_its_word(as_researcher: Client, run: Run) -> None:
    make_revision(
        run, state=Revision.State.FAILED, failure="UnreadableReply", failure_message="No."
    )
    make_revision(run, state=Revision.State.RUNNING)
    make_revision(run)
    make_revision(run, state=Revision.State.DONE, error_count=2)
    html = html_of(as_researcher, f"/runs/{run.pk}/revisions/")
    for words in (
        "✕ failed",
        "▸ being revised",
        "◦ waiting",
        "= unchanged",
        "! 2 errors",
        "Not revised: unreadable reply",
    ):
        assert words in html


def test_a_filter_narrows_the_list_and_an_empty_one_gives_the_reason(
    as_researcher: Client, run: Run
) -> None:
    page = f"/runs/{run.pk}/revisions/"
    assert "This run has no revisions" in html_of(as_researcher, page)
    make_revision(run, passage=make_passage(run.dataset, external_id="left out"))
    last = make_viaduct(run, external_id="kept")
    html = html_of(as_researcher, f"{page}?filter=changed&q=arches")
    assert "kept" in html
    assert "left out" not in html
    assert "?filter=changed&amp;q=arches" in html
    assert '<input type="hidden" name="filter" value="changed">' in html
    html = html_of(as_researcher, f"{page}?q=zzz")
    for words in ("No revision matches", "“zzz”", "Show all"):
        assert words in html
    assert "No more revisions here" in html_of(as_researcher, f"{page}?after={last.pk}")


def test_the_list_uses_few_queries(as_researcher: Client, run: Run) -> None:
    make_viaduct(run)
    with CaptureQueriesContext(connection) as one:
        html_of(as_researcher, f"/runs/{run.pk}/revisions/")
    for _ in range(12):
        make_viaduct(run)
    with CaptureQueriesContext(connection) as many:
        html_of(as_researcher, f"/runs/{run.pk}/revisions/")
    assert len(one) == len(many) <= 8
    assert not any('"result"' in query["sql"] for query in many.captured_queries)
    assert not any('"sentences"' in query["sql"] for query in many.captured_queries)
