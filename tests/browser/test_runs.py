"""The progress of a run is updated without losing the keyboard focus."""

import re
from datetime import UTC, datetime

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from pipeline.models import Corpus, Revision, Run
from pipeline.rarr import types as rarr
from pipeline.rarr.serialization import to_plain
from pipeline.rarr.types import Passage, Query
from pipeline.runs import execution, lifecycle
from pipeline.workers import registry
from tests.support.compared import make_compared_runs, revise_alike
from tests.support.factories import (
    make_corpus,
    make_dataset,
    make_passage,
    make_revision,
    make_run,
)

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def run() -> Run:
    dataset = make_dataset()
    run = make_run(dataset=dataset, passage_count=4, started_at=timezone.now())
    for _ in range(4):
        make_revision(run, passage=make_passage(dataset))
    registry.beat("tested")
    return run


def revise(run: Run, number: int) -> None:
    waiting = run.revisions.filter(state=Revision.State.QUEUED)
    Revision.objects.filter(pk__in=list(waiting.values_list("pk", flat=True)[:number])).update(
        state=Revision.State.DONE,
        finished_at=timezone.now(),
        attribution_before=0.25,
        attribution_after=0.75,
        preservation=0.9,
        f1_ap=0.8,
    )


def test_a_run_moves_by_itself_until_it_is_over(page: Page, ruth: None, run: Run) -> None:
    page.goto(run.get_absolute_url())
    expect(page.get_by_text("0 of 4")).to_be_visible()
    page.get_by_role("button", name="Pause").focus()
    page.get_by_label("More about this run").click()
    page.get_by_text("Cancel run…").click()

    revise(run, 2)
    expect(page.get_by_text("2 of 4")).to_be_visible()
    expect(page.get_by_role("button", name="Cancel the run")).to_be_visible()

    revise(run, 2)
    lifecycle.finish_if_over(run.pk)
    expect(page.get_by_text("✓ finished")).to_be_visible()
    expect(page.get_by_role("definition").filter(has_text="0.25 → 0.75")).to_be_visible()
    expect(page.get_by_role("link", name="New campaign", exact=True)).to_be_visible()
    expect(page.locator("main [hx-get]")).to_have_count(0)  # it asks no more


def test_the_menu_closes_by_key_and_a_button_keeps_the_focus_while_the_page_moves(
    page: Page, ruth: None, run: Run
) -> None:
    page.goto(run.get_absolute_url())
    page.wait_for_load_state("networkidle")
    button = page.locator(".more > summary")
    first = page.get_by_role("link", name="Run again with…")
    button.focus()
    page.keyboard.press("Enter")
    expect(first).to_be_visible()
    page.keyboard.press("Tab")
    expect(first).to_be_focused()
    page.keyboard.press("Escape")
    expect(first).to_be_hidden()
    expect(button).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.press("Shift+Tab")
    expect(first).to_be_hidden()
    page.get_by_role("button", name="Pause").focus()
    revise(run, 1)
    expect(page.get_by_text("1 of 4")).to_be_visible()
    expect(page.get_by_role("button", name="Pause")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Resume")).to_be_visible()
    assert Run.objects.get().state == Run.State.PAUSED


def test_times_are_those_of_the_browser(page: Page, ruth: None, run: Run) -> None:
    devtools = page.context.new_cdp_session(page)
    devtools.send("Emulation.setTimezoneOverride", {"timezoneId": "Asia/Kolkata"})
    Run.objects.update(created_at=datetime(2026, 11, 29, 23, 45, tzinfo=UTC))
    page.goto(run.get_absolute_url())
    expect(page.locator("time[data-local]")).to_have_text("30 Nov 2026, 05:15")
    page.goto("/runs/")
    expect(page.locator("time[title]").first).to_have_attribute("title", "30 Nov 2026, 05:15")


def test_two_ticked_runs_are_compared(page: Page, ruth: None) -> None:
    runs = make_compared_runs(systems=("rarr", "efec", "none"))
    revise_alike(runs)
    page.goto("/runs/")
    compare = page.get_by_role("button", name="Compare selected")
    for run, is_offered in zip(runs[:2], (False, True), strict=True):
        page.locator(f"input[name=row][value='{run.pk}']").check()
        expect(compare).to_be_visible(visible=is_offered)
    compare.click()
    table = page.get_by_role("table", name="One row for each system")
    for system, count in (("rarr", 1), ("efec", 1), ("none", 0)):
        cells = table.get_by_role("rowheader").filter(has_text=re.compile(rf"\b{system}\b"))
        expect(cells).to_have_count(count)


def test_new_run_shows_the_options_of_the_chosen_systems(page: Page, ruth: None) -> None:
    make_passage(make_dataset())
    make_corpus(state=Corpus.State.READY)
    page.goto("/runs/new/")
    page.get_by_text("Options", exact=True).click()
    page.get_by_text("More systems and answers with citations").click()
    of_rarr = page.get_by_label("Longest edit", exact=True)
    of_answers = page.get_by_label("Passages shown (k)")
    for system, is_ticked, names in (
        ("extractive", True, "Start 2 runs"),
        ("rarr", False, "Start run"),
    ):
        page.locator(f"[name=system][value={system}]").set_checked(is_ticked)
        expect(page.get_by_role("button", name=names)).to_be_visible()
        expect(of_answers).to_be_visible()
        expect(of_rarr).to_be_visible(visible=is_ticked)
    page.locator("[name=system][value=extractive]").uncheck()
    expect(of_answers).to_be_hidden()


def test_an_incomplete_form_leads_to_its_field_and_the_example_is_revised(
    page: Page, ruth: None
) -> None:
    page.goto("/try/")
    expect(page.get_by_label("My own sources")).to_be_checked()  # there is no corpus
    page.get_by_label("Passage").fill("The Ribble flows into the North Sea.")
    page.get_by_role("button", name="Revise", exact=True).click()
    summary = page.get_by_role("alert")
    expect(summary).to_be_focused()
    summary.get_by_role("link", name="Sources").click()
    expect(page.get_by_role("textbox", name="Sources")).to_be_focused()
    page.goto("/try/")
    page.get_by_role("button", name="Revise the example").click()
    expect(page.get_by_role("heading", name="Waiting for a worker…")).to_be_visible()
    expect(page.get_by_text("No worker is running.")).to_be_visible()

    registry.beat("tested")
    expect(page.get_by_text("No worker is running.")).to_be_hidden()
    Revision.objects.update(state=Revision.State.RUNNING)
    expect(page.get_by_role("heading", name="Loading models…")).to_be_visible()
    trial = Revision.objects.get()
    passage = Passage(id="1", text=trial.original_text)
    result = rarr.Revision(
        passage=passage, text=passage.text, queries=(Query(text="Who opened it?"),)
    )
    Revision.objects.update(started_at=timezone.now(), result=to_plain(result))
    expect(page.get_by_text("Who opened it?")).to_be_visible()
    expect(page.get_by_text("1 query")).to_be_visible()

    Revision.objects.update(state=Revision.State.QUEUED)
    execution.Revising().run(trial.pk)
    expect(page.get_by_role("heading", name="Attribution report")).to_be_visible()
    expect(page.locator("ins", has_text="1890").first).to_be_visible()
    expect(page.locator("main [hx-get]")).to_have_count(0)  # it asks no more
