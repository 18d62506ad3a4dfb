"""Log-in and invitations."""

import re

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect
from pytest_django.live_server_helper import LiveServer

from rarrweb.accounts.models import User
from tests.browser.chromium import new_context
from tests.browser.logged_in import log_in_as

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


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
