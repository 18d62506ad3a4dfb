"""The comparison of a passage's revisions, by keyboard."""

import pytest
from django.core.cache import cache
from playwright.sync_api import Page, expect

from pipeline.models import Revision
from tests.support.compared import compare_intent, make_compared_runs, make_kind, revise_alike, say
from tests.support.revision_rows import ORIGINAL

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

SYSTEMS = ("rarr", "rarr-no-agreement", "efec", "none")


def test_passages_are_walked_by_keys_and_filtered_by_notes_and_tags(page: Page, ruth: None) -> None:
    """Four systems over three passages, of which two differ and one is judged."""
    cache.clear()
    runs = make_compared_runs(systems=SYSTEMS)
    passages = [
        revise_alike(runs, text=ORIGINAL, is_changed=False, attribution_after=0.4),
        revise_alike(runs),
        revise_alike(runs, text=ORIGINAL, is_changed=False),
    ]
    first = Revision.objects.get(run=runs[0], passage=passages[0])
    say(
        make_kind(runs, "attribution"), first, (True, False, True, False), (True, False, True, True)
    )
    compare_intent(make_kind(runs, "intent"), first, 2, 2, 1)
    page.goto("/compare/")
    page.get_by_role("link", name="2 differing passages").click()
    expect(page.get_by_role("heading", name=passages[0].external_id)).to_be_visible()
    expect(page.locator("#position")).to_have_text("1 of 2")
    for run in runs:  # every diff begins on the first screen
        box = page.locator(f"#run-{run.pk} .words").first.bounding_box()
        assert box is not None
        assert box["y"] + box["height"] < 800
    page.keyboard.press("]")
    expect(page.get_by_role("heading", name=passages[2].external_id)).to_be_visible()
    expect(page.locator("#position")).to_have_text("2 of 2")
    page.keyboard.press("[")
    expect(page.get_by_role("heading", name=passages[0].external_id)).to_be_visible()
    sources = page.locator(f"#run-{runs[0].pk} .sources blockquote").first
    expect(sources).to_be_hidden()
    page.keyboard.press("e")
    expect(sources).to_be_visible()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
    page.keyboard.press("]")  # dead while the list of keys is open
    page.keyboard.press("Escape")
    expect(page.get_by_role("heading", name=passages[0].external_id)).to_be_visible()
    # A note and a tag.
    page.goto(f"/compare/passages/{passages[1].pk}/")
    page.keyboard.press("n")
    field = page.get_by_label("New note")
    expect(field).to_be_focused()
    page.keyboard.type("Is 1874] right?")  # typed, not walked
    page.get_by_role("button", name="Add note").click()
    expect(page.locator(".note-list")).to_contain_text("Is 1874] right?")
    page.get_by_text("Add a note or tag").click()
    page.get_by_label("Tags, with commas between them").fill("Dates, odd")
    page.get_by_role("button", name="Add tag").click()
    page.get_by_role("link", name="Tag dates 1").click()
    expect(page.locator("#position")).to_have_text("1 of 1")
    page.get_by_role("link", name="has a note 1").click()
    expect(page.get_by_role("heading", name=passages[1].external_id)).to_be_visible()
    page.get_by_role("button", name="Remove the tag odd").click()
    expect(page.get_by_role("link", name="Tag odd")).to_have_count(0)
    page.get_by_text("Edit", exact=True).click()
    page.get_by_label("Note", exact=True).fill("It is right.")
    page.get_by_role("button", name="Save note").click()
    expect(page.locator(".note-list")).to_contain_text("It is right.")
