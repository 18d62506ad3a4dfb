"""Manual revision: a text field with a live diff."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Locator, Page, expect
from pytest_django.live_server_helper import LiveServer

from annotation.models import Judgment
from tests.browser.chromium import expect_fits, new_context
from tests.browser.judging import open_item, ready, revising, saved
from tests.support.campaigns import TEXT

__all__ = ["open_item", "revising"]  # fixtures

pytestmark = [pytest.mark.browser, pytest.mark.page_only, pytest.mark.django_db(transaction=True)]

RIGHT = TEXT.replace("1934", "1932")


@pytest.fixture
def field(revising: Page) -> Locator:
    return revising.get_by_label("The passage, to edit")


def text_saved() -> str:
    return str(Judgment.objects.get().text)


def test_the_text_is_saved_restored_and_undone(revising: Page, field: Locator) -> None:
    field.fill(RIGHT)
    saved(revising)
    assert text_saved() == RIGHT
    revising.reload()
    ready(revising)
    expect(field).to_have_value(RIGHT)
    expect(revising.locator("#changes ins")).to_contain_text("1932")
    revising.get_by_role("button", name="No change needed").click()
    expect(field).to_have_value(TEXT)
    expect(revising.locator("#changes")).to_be_hidden()
    saved(revising)
    assert text_saved() == TEXT
    revising.get_by_role("button", name="Undo").click()
    expect(field).to_have_value(RIGHT)
    expect(revising.locator("#changes")).to_be_visible()
    saved(revising)
    assert text_saved() == RIGHT


@pytest.fixture
def phone(browser: Browser, live_server: LiveServer, revising: Page) -> Iterator[Page]:
    opened = new_context(
        browser,
        base_url=live_server.url,
        viewport={"width": 390, "height": 800},
        has_touch=True,
        is_mobile=True,
        storage_state=revising.context.storage_state(),
    )
    page = opened.new_page()
    page.goto(revising.url)
    ready(page)
    yield page
    expect(page.locator("#saved[data-state=saving]")).to_have_count(0)
    opened.close()


def test_a_passage_is_revised_on_a_phone(phone: Page) -> None:
    field = phone.get_by_label("The passage, to edit")
    field.tap()
    expect(field).to_be_focused()
    field.fill(RIGHT)
    expect(phone.locator("#changes del")).to_contain_text("1934")
    saved(phone)
    expect_fits(phone)
    assert text_saved() == RIGHT
