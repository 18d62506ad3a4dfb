"""The list of runs, the pages of a run with its buttons, and the list of its revisions."""

import re
import uuid
from collections.abc import Callable
from datetime import timedelta
from itertools import product

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone
from pytest_django.asserts import assertContains, assertNotContains

from pipeline.engine.configuration import RunConfig
from pipeline.models import Revision, Run
from pipeline.runs import lifecycle
from pipeline.workers import registry
from tests.support.factories import make_dataset, make_passage, make_revision, make_run
from tests.support.pages import html_of, url_of
from tests.support.revision_rows import make_viaduct

pytestmark = pytest.mark.django_db
PAGE = reverse("pipeline:runs")


def test_a_running_run_polls_and_a_paused_one_does_not(as_researcher: Client) -> None:
    run = make_run(passage_count=1)
    make_revision(run)
    asks = f'hx-get="{url_of("run-status", run.pk)}"'
    assertContains(as_researcher.get(url_of("run", run.pk)), asks)
    assertContains(as_researcher.get(url_of("run-status", run.pk)), asks)
    lifecycle.pause(run)
    assertNotContains(as_researcher.get(url_of("run-status", run.pk)), asks)
    assert "HX-Refresh" not in as_researcher.get(url_of("run-status", run.pk)).headers
    Run.objects.update(state=Run.State.FINISHED)
    assert as_researcher.get(url_of("run-status", run.pk)).headers["HX-Refresh"] == "true"


@pytest.mark.parametrize("end", [lifecycle.pause, lifecycle.cancel])
def test_a_stopped_run_asks_until_its_last_passage_has_ended(
    as_researcher: Client, end: Callable[[Run], bool]
) -> None:
    run = make_run(passage_count=1)
    revision = make_revision(run, state=Revision.State.RUNNING)
    end(run)
    asks = f'hx-get="{url_of("run-status", run.pk)}"'
    assertNotContains(as_researcher.get(url_of("run-status", run.pk)), asks)  # no worker lives
    registry.beat("tested")
    status = as_researcher.get(url_of("run-status", run.pk))
    assertContains(status, asks)
    assert "HX-Refresh" not in status.headers
    Revision.objects.filter(pk=revision.pk).update(state=Revision.State.DONE)
    assertNotContains(as_researcher.get(url_of("run-status", run.pk)), asks)


def test_the_buttons_do_what_they_say(as_researcher: Client) -> None:
    run = make_run(passage_count=2)
    make_revision(run)
    make_revision(run, state=Revision.State.FAILED)
    states = []
    for button in ("pause-run", "resume-run", "retry-run", "cancel-run"):
        response = as_researcher.post(url_of(button, run.pk), follow=True)
        assert response.redirect_chain == [(url_of("run", run.pk), 302)]
        states.append(Run.objects.get().state)
    assert states == ["paused", "running", "running", "cancelled"]
    assert not Revision.objects.filter(state=Revision.State.FAILED).exists()


def test_a_page_without_a_living_worker_reports_how_to_start_one(as_researcher: Client) -> None:
    run = make_run(passage_count=1)
    assertContains(as_researcher.get(url_of("run", run.pk)), registry.START_COMMAND)
    registry.beat("tested")
    assertNotContains(as_researcher.get(url_of("run", run.pk)), registry.START_COMMAND)


def test_a_run_reports_that_models_load_until_its_passages_begin(as_researcher: Client) -> None:
    run = make_run(passage_count=2)
    waiting, begun = (make_revision(run, state=Revision.State.RUNNING) for _ in range(2))
    registry.beat("tested")
    status = url_of("run-status", run.pk)
    assertContains(as_researcher.get(status), "◌ Loading models…")
    assertContains(as_researcher.get(status), "<b>2</b></span> loading models…")
    Revision.objects.filter(pk=begun.pk).update(started_at=timezone.now())
    assertContains(as_researcher.get(status), "<b>1</b></span> loading models…")
    assertNotContains(as_researcher.get(status), "Loading models")
    assertContains(as_researcher.get(url_of("revision", waiting.pk)), "worker is loading models")
    assertNotContains(as_researcher.get(url_of("revision", begun.pk)), "loading models")
    Revision.objects.update(started_at=timezone.now())
    assertNotContains(as_researcher.get(status), "oading models")


def test_a_run_shows_why_passages_wait_or_failed(as_researcher: Client) -> None:
    run = make_run(passage_count=3)
    hostile = "<script>alert(1)</script>"
    make_revision(run, state=Revision.State.FAILED, failure="BadConfig", failure_message=hostile)
    make_revision(run, state=Revision.State.FAILED, failure="TookTooLong")
    make_revision(
        run,
        not_before=timezone.now() + timedelta(minutes=1),
        started_at=timezone.now(),
        failure="TransientError",
        failure_message="The model server does not answer.",
    )
    response = as_researcher.get(url_of("run", run.pk))
    assertContains(response, "<h3>Bad config</h3>")
    assertContains(response, "Correct that on the server, then retry.")
    assertContains(response, "&lt;script&gt;alert(1)")
    assertNotContains(response, hostile)
    assertContains(response, "1 waiting to retry")
    assertContains(response, "The model server does not answer.")
    as_researcher.post(url_of("retry-run", run.pk), {"failure": "TookTooLong"})
    assert [row.failure for row in run.revisions.failed()] == ["BadConfig"]


def test_a_finished_run_shows_its_figures_time_and_configuration(as_researcher: Client) -> None:
    now = timezone.now()
    run = make_run(
        state=Run.State.FINISHED,
        passage_count=2,
        started_at=now - timedelta(minutes=2, seconds=5),
        finished_at=now,
        config=RunConfig.from_settings().to_plain(),
        versions={"tantivy": "0.27.0"},
    )
    done = {"state": Revision.State.DONE, "attribution_after": 0.8, "preservation": 0.9}
    for before in (0.2, 0.4):
        make_revision(run, attribution_before=before, f1_ap=0.85, marks="and", **done)
    response = as_researcher.get(url_of("run", run.pk))
    for text in ("4 of 6", "0.30 → 0.80", "n&nbsp;=&nbsp;2", "+0.50", "2 min 5 s"):
        assertContains(response, text)
    response = as_researcher.get(url_of("run-configuration", run.pk))
    for text in ("rarr.query_temperature", "0.7", "tantivy", "0.27.0"):
        assertContains(response, text)


def test_the_next_step_follows_the_state(as_researcher: Client) -> None:
    def primary(run: Run) -> list[str]:
        html = as_researcher.get(url_of("run-configuration", run.pk)).content.decode()
        labels = re.findall(r'<(?:button|a)[^>]*class="(?:button )?primary"[^>]*>([^<]*)<', html)
        return [label.strip() for label in labels]

    run = make_run(passage_count=2)
    make_revision(run, state=Revision.State.DONE)
    assert primary(run) == []
    lifecycle.pause(run)
    assert primary(run) == ["Resume"]
    lifecycle.resume(run)
    assert primary(run) == ["New campaign"]
    Run.objects.update(group=uuid.uuid4())
    make_run(group=Run.objects.get().group, dataset=run.dataset, system="efec")
    assert primary(run) == ["Compare 2 systems"]
    failed = make_run(state=Run.State.FINISHED)
    make_revision(failed, state=Revision.State.FAILED)
    assert primary(failed) == ["↻ Retry 1 failed"]
    assert primary(make_run(state=Run.State.CANCELLED)) == ["Run again with…"]


def test_runs_that_started_together_stand_on_one_page(as_researcher: Client) -> None:
    group = uuid.uuid4()
    dataset = make_dataset()
    passages = [make_passage(dataset) for _ in range(2)]
    runs = [
        make_run(dataset=dataset, system=system, group=group, passage_count=2)
        for system in ("rarr", "efec")
    ]
    for run, figures in zip(runs, [(0.5, 0.7), (0.9,)], strict=True):
        for passage, after in zip(passages, figures, strict=False):
            done = {"state": Revision.State.DONE, "attribution_after": after}
            make_revision(run, passage=passage, **done)
    response = as_researcher.get(url_of("run", runs[0].pk))
    assertContains(response, "over the 1 passage that all have done")
    rows = response.context["systems"]["rows"]
    assert [(run.system, after.value) for run, _, after in rows] == [("rarr", 0.5), ("efec", 0.9)]
    assertContains(response, ">Compare 2 systems</a>")  # so far as they are
    Run.objects.filter(pk=runs[0].pk).update(state=Run.State.FINISHED)
    response = as_researcher.get(url_of("run", runs[0].pk))
    assertContains(response, f"?run={runs[0].pk}&amp;run={runs[1].pk}")
    assertContains(
        response, f'hx-get="{url_of("run-status", runs[0].pk)}"'
    )  # the other one goes on


@pytest.mark.parametrize("count", [1, 3])
def test_polls_of_a_run_share_its_figures(as_researcher: Client, count: int) -> None:
    dataset, group = make_dataset(), uuid.uuid4() if count > 1 else None
    passages = [make_passage(dataset), make_passage(dataset)]
    runs = [make_run(dataset=dataset, group=group, passage_count=4) for _ in range(count)]
    done = {"state": Revision.State.DONE, "attribution_before": 0.25, "attribution_after": 0.5}
    for run, passage in product(runs, passages):
        make_revision(run, passage=passage, finished_at=timezone.now(), preservation=1.0, **done)
    address = reverse("pipeline:run-status", args=[runs[0].pk])
    with CaptureQueriesContext(connection) as first:
        as_researcher.get(address)
    make_revision(runs[0], passage=make_passage(dataset), state=Revision.State.DONE)
    with CaptureQueriesContext(connection) as second:
        page = as_researcher.get(address).content.decode()
    reads = [
        [query for query in polls.captured_queries if "attribution_after" in query["sql"]]
        for polls in (first, second)
    ]
    assert reads[0]
    assert not reads[1]
    assert "3 of 4" in page, "the progress is up to date"


def test_the_list_shows_how_far_a_run_is_and_what_it_gained(as_researcher: Client) -> None:
    assertContains(as_researcher.get(PAGE), "No run yet")
    run = make_run(state=Run.State.FINISHED, passage_count=2)
    done = {"attribution_before": 0.4, "attribution_after": 0.9}
    make_revision(run, state=Revision.State.DONE, **done)
    make_revision(run, state=Revision.State.FAILED)
    response = as_researcher.get(PAGE)
    for text in ("finished", "1 failed", "0.40 → 0.90", "+0.50, n&nbsp;=&nbsp;1"):
        assertContains(response, text)
    assertContains(response, "no interval: fewer than 5 passages")


def test_imported_runs_are_found_whatever_their_system_is_called(as_researcher: Client) -> None:
    make_run()
    imported = make_run(system="another lab's")
    response = as_researcher.get(PAGE, {"system": "imported"})
    assert [run.pk for run, *_ in response.context["rows"]] == [imported.pk]


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
