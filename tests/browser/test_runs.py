"""The progress of a run is updated without losing the keyboard focus."""

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from pipeline.models import Revision, Run
from pipeline.runs import lifecycle
from pipeline.workers import registry
from tests.support.factories import make_dataset, make_passage, make_revision, make_run

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
    expect(page.get_by_text("0.25 → 0.75")).to_be_visible()
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
