"""Ctrl+K on every page."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from rarrweb.accounts.models import User
from tests.support.factories import make_corpus, make_dataset

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_keys_alone_lead_anywhere(page: Page, log_in: Callable[..., User]) -> None:
    make_dataset(name="Harbour passages")
    make_corpus(name="Harbour archive")
    log_in("ruth", role=User.Role.RESEARCHER)
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
