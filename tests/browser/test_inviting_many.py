"""A list of people becomes a file of links, which the page gives out by itself."""

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


def test_a_list_is_mended_sent_downloaded_and_a_link_used(
    page: Page, browser: Browser, campaign: Campaign, log_in: Callable[..., User]
) -> None:
    log_in("ruth", role=User.Role.RESEARCHER)
    page.goto("/campaigns/bridges/invitations/")
    page.get_by_label("Or paste it here").fill("email,name,role\nanna,Anna,boss\n")
    page.get_by_role("button", name="Check list and create links").click()
    problems = page.get_by_role("alert")
    expect(problems).to_contain_text("“anna” is no e-mail address")
    expect(problems).to_contain_text("“boss” is no role here")

    page.get_by_label("Or paste it here").fill("email,name,role\nanna@example.org,Anna,rater\n")
    page.get_by_role("button", name="Check list and create links").click()
    with page.expect_download() as started:
        page.get_by_role("link", name="Download the links as CSV").click()
    assert started.value.suggested_filename == "bridges-links.csv"
    with started.value.path().open(encoding="utf-8-sig", newline="") as file:
        (row,) = csv.DictReader(file)
    assert (row["email"], row["name"]) == ("anna@example.org", "Anna")

    other = new_context(browser).new_page()
    other.goto(row["link"])
    other.get_by_label("User name").fill("anna")
    other.get_by_label("Password", exact=True).fill("four unrelated words")
    other.get_by_label("Confirm password").fill("four unrelated words")
    other.get_by_role("button", name="Create account and join").click()
    expect(other.get_by_role("heading", level=1)).to_have_text("Bridges")
    other.context.close()
    assert Membership.objects.get().user.username == "anna"
    page.goto("/campaigns/bridges/invitations/?state=joined")
    expect(page.get_by_role("table", name="Links for one person")).to_contain_text("anna@example")
