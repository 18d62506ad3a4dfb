"""The command palette, selected rows of a list and the API reference."""

import re

import pytest
from playwright.sync_api import Page, expect

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


def test_one_button_selects_the_page_and_takes_it_back(page: Page, ruth: None) -> None:
    for _ in range(3):
        make_dataset()
    page.goto("/datasets/")
    ticked = page.locator("tbody input[name=row]:checked")
    everything = page.get_by_role("button", name="Select all on this page")
    everything.click()
    expect(ticked).to_have_count(3)
    everything.click()
    expect(ticked).to_have_count(0)


def test_an_operation_is_tried_out(page: Page, ruth: None) -> None:
    page.goto("/api/docs/")
    operation = page.locator("#operations-datasets-datasets_create")
    operation.locator("button").first.click()
    expect(operation).to_contain_text("Make an empty dataset or corpus.")
    operation.get_by_role("button", name="Try it out").click()
    operation.locator("textarea").first.fill('{"name": "Rivers"}')
    operation.get_by_role("button", name="Execute").click()
    expect(operation.locator(".live-responses-table")).to_contain_text('"slug": "rivers"')
