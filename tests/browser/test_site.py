"""The command palette, selected rows of a list and the API reference."""

import re

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect
from pytest_django.live_server_helper import LiveServer

from rarrweb.accounts.models import User
from rarrweb.web.listing import FEW
from tests.browser.chromium import new_context
from tests.browser.logged_in import log_in_as
from tests.support.factories import make_corpus, make_dataset

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_keys_alone_lead_anywhere(page: Page, ruth: None) -> None:
    make_dataset(name="Harbour passages")
    make_corpus(name="Harbour archive")
    page.goto("/account/")
    page.wait_for_load_state("networkidle")
    page.keyboard.press("Control+k")
    expect(page.locator("#palette a").first).to_be_visible()
    page.keyboard.type("harbour")
    expect(page.locator("#palette a")).to_have_count(2)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"/corpora/[\w-]+/$"))
    page.locator("#open-palette").click()
    page.keyboard.type("harbour pass")
    expect(page.locator("#palette a")).to_have_count(1)
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"/datasets/[\w-]+/$"))
    page.keyboard.press("Control+k")
    expect(page.locator("#palette a").first).to_be_visible()
    page.keyboard.type("harbour arch")
    page.keyboard.press("Enter")  # before the list of these words has come
    expect(page).to_have_url(re.compile(r"/corpora/[\w-]+/$"))
    page.keyboard.press("Control+k")
    expect(page.get_by_role("option").first).to_be_visible()
    page.keyboard.press("ArrowUp")
    expect(page.get_by_role("option", selected=True)).to_have_count(1)
    page.keyboard.press("Escape")
    expect(page.locator("#palette")).to_be_hidden()


def test_a_selection_can_be_widened_to_the_page_and_taken_back(page: Page, ruth: None) -> None:
    for _ in range(3):
        make_dataset()
    page.goto("/datasets/")
    ticked = page.locator("tbody input[name=row]:checked")
    everything = page.get_by_role("button", name="Select all on this page")
    expect(everything).to_be_hidden()
    page.locator("input[name=row]").first.check()
    expect(page.get_by_role("button", name="Archive selected")).to_be_visible()
    everything.click()
    expect(ticked).to_have_count(3)
    everything.click()
    expect(ticked).to_have_count(0)
    expect(everything).to_be_hidden()


def test_a_filter_applies_when_it_is_chosen(page: Page, ruth: None) -> None:
    make_corpus(name="Harbour archive", state="ready")
    for number in range(FEW):
        make_corpus(name=f"Corpus {number}", state="empty")
    page.goto("/corpora/")
    state = page.locator("select[name=state]")
    expect(page.get_by_role("button", name="Apply")).to_be_hidden()
    state.focus()
    state.select_option("ready")
    expect(page.locator("tbody tr")).to_have_count(1)
    expect(page).to_have_url(re.compile("state=ready"))
    expect(state).to_be_focused()


def test_an_operation_is_tried_out(page: Page, ruth: None) -> None:
    page.goto("/api/docs/")
    operation = page.locator("#operations-datasets-datasets_create")
    operation.locator("button").first.click()
    expect(operation).to_contain_text("Make an empty dataset or corpus.")
    operation.get_by_role("button", name="Try it out").click()
    operation.locator("textarea").first.fill('{"name": "Rivers"}')
    operation.get_by_role("button", name="Execute").click()
    expect(operation.locator(".live-responses-table")).to_contain_text('"slug": "rivers"')


def test_the_keyboard_alone_logs_in(page: Page, administrator: User) -> None:
    page.goto("/log-in/")
    expect(page.get_by_label("User name")).to_be_focused()
    page.keyboard.type("ada")
    page.keyboard.press("Tab")
    page.keyboard.type("a long test password")
    page.keyboard.press("Enter")
    expect(page).to_have_url("/")
    expect(page.get_by_role("button", name=re.compile("^ada"))).to_be_visible()


def test_the_account_menu_opens_by_key_and_sets_the_theme(page: Page, ruth: None) -> None:
    page.goto("/account/")
    page.get_by_role("button", name=re.compile("^ruth")).focus()
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Dark").click()
    expect(page.locator("html")).to_have_css("color-scheme", "dark")
    expect(page).to_have_url("/account/")
    page.get_by_role("button", name=re.compile("^ruth")).click()
    expect(page.get_by_role("button", name="Dark")).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Log out")).to_be_hidden()


def test_a_link_is_copied_by_the_button_or_by_hand(
    page: Page, context: BrowserContext, live_server: LiveServer, administrator: User
) -> None:
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    log_in_as(context, administrator, live_server.url)
    create_and_copy(page)
    expect(page.get_by_text("✓ Copied")).to_be_visible()
    link = page.evaluate("navigator.clipboard.readText()")
    assert link == page.get_by_label("The link").input_value()
    page.add_init_script("Object.defineProperty(navigator, 'clipboard', {value: undefined})")
    create_and_copy(page)
    expect(page.get_by_role("status").filter(has_text=re.compile("Copied|Ctrl"))).to_be_visible()
    field = page.get_by_label("The link")
    selected = field.evaluate("f => f.value.slice(f.selectionStart, f.selectionEnd)")
    assert selected == field.input_value()


def create_and_copy(page: Page) -> None:
    page.goto("/people/invite/")
    page.get_by_role("button", name="Create link").click()
    page.get_by_role("button", name="Copy the link").click()


def test_without_scripts_there_is_no_button_that_does_nothing(
    browser: Browser, live_server: LiveServer, administrator: User
) -> None:
    context = new_context(browser, base_url=live_server.url, java_script_enabled=False)
    page = context.new_page()
    page.goto("/log-in/?next=/people/invite/")
    page.get_by_label("User name").fill("ada")
    page.get_by_label("Password").fill("a long test password")
    page.get_by_role("button", name="Log in").click()
    page.get_by_role("button", name="Create link").click()
    expect(page.get_by_label("The link")).to_have_value(re.compile("/invitations/"))
    expect(page.get_by_role("button", name="Copy the link")).to_have_count(0)
    context.close()
