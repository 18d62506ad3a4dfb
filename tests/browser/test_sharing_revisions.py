"""A researcher shares a revision; a reader without an account opens it, on a phone too."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from pipeline.models import Revision
from rarrweb.accounts.models import User
from tests.browser.chromium import new_context
from tests.browser.widths import expect_fits
from tests.support.compared import make_compared_runs, make_kind, revise_alike, say

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_a_link_is_made_read_and_ended(
    page: Page, browser: Browser, log_in: Callable[..., User]
) -> None:
    runs = make_compared_runs()
    revision = Revision.objects.get(run=runs[0], passage=revise_alike(runs))
    say(make_kind(runs, "attribution"), revision, (1, 2, 1, 0), (1, 2, 0, 0))
    log_in("ruth", role=User.Role.RESEARCHER)
    page.goto(revision.get_absolute_url())
    page.get_by_text("Share…").click()
    page.get_by_label("Show what raters said of each sentence").check()
    page.get_by_role("button", name="Make a link").click()
    expect_fits(page)
    link = page.get_by_label("Link", exact=True).input_value()

    context = new_context(browser, viewport={"width": 390, "height": 800})
    reader = context.new_page()
    reader.goto(link)
    expect(reader.get_by_text("◐ Partly attributed: 3 of 4 sentences")).to_be_visible()
    expect(reader.get_by_text("people: ✓ attributed (2 of 2 say fully)").first).to_be_visible()
    expect_fits(reader)
    changes = reader.locator(".changes")
    expect(changes.locator("del").first).to_be_hidden()
    reader.get_by_text("Show what the revision changed").click()
    expect(changes.locator("del").first).to_be_visible()
    if folder := os.environ.get("RARR_PICTURES"):
        page.screenshot(path=Path(folder) / "share-1280-light.png")
        reader.emulate_media(color_scheme="dark")
        reader.screenshot(path=Path(folder) / "shared-390-dark.png", full_page=True)
        reader.set_viewport_size({"width": 1280, "height": 800})
        reader.emulate_media(color_scheme="light")
        reader.screenshot(path=Path(folder) / "shared-1280-light.png", full_page=True)

    page.get_by_role("button", name="Stop sharing").click()
    expect(page.get_by_text("The link leads nowhere from now on.")).to_be_visible()
    answer = reader.goto(link)
    assert answer is not None
    assert answer.status == 404
    context.close()
