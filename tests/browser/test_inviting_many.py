"""A list of people becomes a file of links."""

import csv
from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from annotation.models import Campaign, Membership
from rarrweb.accounts.models import User
from tests.browser.chromium import new_context
from tests.support.campaigns import make_campaign

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def campaign(live_server: LiveServer) -> Campaign:
    return make_campaign()


def test_a_list_is_corrected_and_a_link_of_its_file_used(
    page: Page, browser: Browser, campaign: Campaign, log_in: Callable[..., User]
) -> None:
    log_in("ruth", role=User.Role.RESEARCHER)
    page.goto("/campaigns/bridges/invitations/")
    names = page.get_by_label("Names or numbers, one per line")
    names.fill("Anna\nAnna\n")
    page.get_by_role("button", name="Download links as CSV").click()
    expect(page.get_by_text("“Anna” is in the list more than once").first).to_be_visible()

    names.fill("Anna\n")
    with page.expect_download() as started:
        page.get_by_role("button", name="Download links as CSV").click()
    assert started.value.suggested_filename == "bridges-links.csv"
    with started.value.path().open(encoding="utf-8-sig", newline="") as file:
        (row,) = csv.DictReader(file)
    assert row["name"] == "Anna"

    other = new_context(browser).new_page()
    other.goto(row["link"])
    other.get_by_label("User name").fill("anna")
    other.get_by_label("Password", exact=True).fill("four unrelated words")
    other.get_by_label("Confirm password").fill("four unrelated words")
    other.get_by_role("button", name="Create account and join").click()
    expect(other.get_by_role("heading", level=1)).to_have_text("Bridges")
    other.context.close()
    assert Membership.objects.get().user.username == "anna"
    page.goto("/campaigns/bridges/invitations/?state=used")
    expect(page.get_by_role("table", name="Links")).to_contain_text("anna, ")
