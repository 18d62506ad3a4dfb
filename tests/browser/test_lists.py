"""A list by keyboard and on a phone: sorted, archived with an Undo, deleted on a second page."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from rarrweb.accounts.models import User
from tests.browser.widths import expect_fits
from tests.support.factories import make_dataset

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
LONG = "A-dataset-whose-name-has-no-space-to-break-at-" * 4


@pytest.fixture
def lists(page: Page, log_in: Callable[..., User]) -> Page:
    log_in("lea", role=User.Role.RESEARCHER)
    for name, count in (("Pears", 3), ("Figs", 1), (LONG, 2)):
        make_dataset(name=name, passage_count=count)
    page.goto("/datasets/")
    return page


def expect_names(page: Page, *names: str) -> None:
    expect(page.locator("tbody th a")).to_have_text(names)


def test_a_list_is_sorted_and_archived_by_keyboard_and_undone(lists: Page) -> None:
    lists.get_by_role("link", name="Passages", exact=True).press("Enter")
    expect(lists.get_by_role("columnheader", name="Passages")).to_have_attribute(
        "aria-sort", "descending"
    )
    expect_names(lists, "Pears", LONG, "Figs")
    lists.get_by_label("Select Figs").press("Space")
    lists.get_by_role("button", name="Archive selected").press("Enter")
    expect(lists.get_by_role("status")).to_contain_text("“Figs” is archived.")
    expect(lists).to_have_url("/datasets/?sort=-passages")
    expect_names(lists, "Pears", LONG)
    lists.get_by_role("button", name="Undo").press("Enter")
    expect(lists.get_by_role("link", name="Figs", exact=True)).to_be_visible()


def test_one_button_selects_the_page_and_takes_it_back(lists: Page) -> None:
    boxes = lists.locator("tbody input[name=row]")
    everything = lists.get_by_role("button", name="Select all on this page")
    everything.click()
    expect(boxes.and_(lists.locator(":checked"))).to_have_count(3)
    everything.click()
    expect(boxes.and_(lists.locator(":checked"))).to_have_count(0)


def test_a_phone_sorts_by_a_choice_and_shows_all_of_a_row(lists: Page) -> None:
    lists.set_viewport_size({"width": 390, "height": 800})
    expect_fits(lists)
    lists.get_by_label("Sort").select_option("name")
    lists.get_by_role("button", name="Apply").click()
    expect_names(lists, LONG, "Figs", "Pears")
    expect_fits(lists)
