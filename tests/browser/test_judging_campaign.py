"""From a finished run to the first judged item, by two people in two browsers."""

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from annotation.models import Assignment
from tests.browser.chromium import new_context
from tests.support.campaigns import make_judgeable_run

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_a_researcher_invites_and_a_new_person_judges(
    page: Page, ruth: None, browser: Browser
) -> None:
    run = make_judgeable_run(passages=3)
    page.goto(f"/campaigns/new/?run={run.pk}")
    plan = page.locator("#plan")
    expect(plan).to_contain_text("6 items from 3 finished revisions")
    page.get_by_label("After — the revisions").check()
    expect(plan).to_contain_text("3 items from 3 finished revisions")
    page.get_by_label("Name").fill("Bridges")
    page.get_by_label("Raters per item", exact=True).fill("2")
    page.get_by_label("Raters per item", exact=True).blur()
    expect(plan).to_contain_text("raters submit 6 altogether")
    page.get_by_role("button", name="Start campaign").click()

    expect(page.get_by_role("heading", name="Add raters")).to_be_visible()
    page.get_by_label("For whom").fill("Rater 7")
    page.get_by_role("button", name="Make a link").click()
    link = page.get_by_label("The link", exact=True).input_value()
    page.get_by_role("link", name="Open the campaign").click()
    expect(page.get_by_label("The link", exact=True)).to_have_count(0)

    other = new_context(browser).new_page()
    other.goto(link)
    other.get_by_label("User name").fill("nina")
    other.get_by_label("Password", exact=True).fill("four unrelated words")
    other.get_by_label("Confirm password").fill("four unrelated words")
    other.get_by_role("button", name="Create account and join").click()
    for _ in range(2):  # on the campaign's page, and below the instructions
        other.get_by_role("button", name="Start annotating").click()
    expect(other.locator("#judging[data-ready]")).to_be_visible()
    for _ in range(3):
        other.keyboard.press("1")
        other.keyboard.press("j")
    other.keyboard.press("Control+Enter")
    expect(other.locator(".task-head")).to_contain_text("item 2 · 1 submitted")
    other.context.close()
    assert Assignment.objects.submitted().count() == 1

    page.reload()
    expect(page.get_by_role("img", name="1 of 6 submitted")).to_be_visible()
    expect(page.get_by_role("row", name=re.compile("^After 1.00"))).to_be_visible()
