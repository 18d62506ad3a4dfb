"""A button selects all rows of a list."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from rarrweb.accounts.models import User
from tests.support.factories import make_dataset

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_one_button_selects_the_page_and_takes_it_back(
    page: Page, log_in: Callable[..., User]
) -> None:
    log_in("lea", role=User.Role.RESEARCHER)
    for _ in range(3):
        make_dataset()
    page.goto("/datasets/")
    ticked = page.locator("tbody input[name=row]:checked")
    everything = page.get_by_role("button", name="Select all on this page")
    everything.click()
    expect(ticked).to_have_count(3)
    everything.click()
    expect(ticked).to_have_count(0)
