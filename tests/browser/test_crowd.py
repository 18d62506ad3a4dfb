"""A participant of a crowd platform, from the entry's address over consent to the code."""

import re

import pytest
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from annotation.models import Assignment, Crowd, Participant
from annotation.raters import consent
from tests.browser.chromium import new_context
from tests.browser.judging import ready
from tests.support.campaigns import make_campaign
from tests.support.crowds import entry, make_crowd
from tests.support.factories import make_user

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def crowd(live_server: LiveServer) -> Crowd:
    campaign = make_campaign(passages=4)
    consent.publish(
        campaign,
        text="## What this is about\n\nWe study how people read.",
        withdrawal="delete",
        by=make_user(role="researcher"),
    )
    return make_crowd(campaign)


def judge_item(page: Page) -> None:
    """Three sentences by keys, and hand in."""
    ready(page)
    for _ in range(3):
        page.keyboard.press("1")
        page.keyboard.press("j")
    page.keyboard.press("Control+Enter")


def test_from_the_entry_over_consent_to_the_code(
    page: Page, browser: Browser, crowd: Crowd, live_server: LiveServer
) -> None:
    page.goto(entry(crowd))
    expect(page.get_by_role("heading", level=1)).to_have_text("Bridges")
    page.get_by_role("button", name="Start or continue").click()

    expect(page.get_by_role("heading", name="What this is about")).to_be_visible()
    page.get_by_role("button", name="I agree").click()
    page.get_by_role("button", name="Start annotating").first.click()
    judge_item(page)
    expect(page.locator(".task-head")).to_contain_text("1 of 2 handed in")

    # The browser is gone; the platform's address leads back to the same item.
    second = new_context(browser, base_url=live_server.url).new_page()
    second.goto(entry(crowd))
    second.get_by_role("button", name="Start or continue").click()
    judge_item(second)

    expect(second.get_by_role("heading", level=1)).to_have_text("You are done, thank you")
    expect(second.get_by_label("Code", exact=True)).to_have_value("C0MPL3TE")
    back = second.get_by_role("link", name="Go back to the platform")
    expect(back).to_have_attribute(
        "href", "https://platform.example/submissions/complete?cc=C0MPL3TE"
    )
    second.context.close()

    # And the first browser, which still stands on its item, finds the same end.
    page.goto("/tasks/next/")
    expect(page).to_have_url(re.compile(r"/study/$"))
    assert Participant.objects.get().state == Participant.State.COMPLETED
    assert Assignment.objects.submitted().count() == crowd.quota
