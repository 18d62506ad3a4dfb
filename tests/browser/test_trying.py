"""Trials of a single passage."""

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from pipeline.models import Revision
from pipeline.rarr import types as rarr
from pipeline.rarr.serialization import to_plain
from pipeline.rarr.types import Passage, Query
from pipeline.runs import execution
from pipeline.workers import registry

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


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
