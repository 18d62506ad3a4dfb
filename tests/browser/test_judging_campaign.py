"""From a finished run to the first judged item, by two people in two browsers."""

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from annotation.models import Adjudication, Assignment, Campaign, Judgment
from tests.browser.chromium import new_context
from tests.support.campaigns import make_campaign, make_judgeable_run
from tests.support.factories import make_user
from tests.support.reference_answers import judge_next

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_a_researcher_invites_and_a_new_person_judges(
    page: Page, ruth: None, browser: Browser
) -> None:
    run = make_judgeable_run(passages=3)
    page.goto(f"/campaigns/new/?run={run.pk}")
    plan = page.locator("#plan")
    expect(plan).to_contain_text("6 items")
    expect(page.get_by_role("button", name="Start 2 campaigns")).to_be_visible()
    page.get_by_label("Intent similarity").uncheck()
    page.get_by_label("Texts").select_option("Only after revision")
    expect(plan).not_to_contain_text("6 items")
    expect(plan).to_contain_text("3 items")
    page.get_by_label("Raters per item", exact=True).fill("2")
    page.get_by_text("Options", exact=True).click()
    page.get_by_label("Name").fill("Bridges")
    expect(plan).to_contain_text("for each of two raters")
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
        other.get_by_role("button", name="Start judging").click()
    expect(other.locator("#judging[data-ready]")).to_be_visible()
    for _ in range(3):
        other.keyboard.press("1")
    for _ in range(2):
        other.keyboard.press("u")
    other.keyboard.press("Control+Enter")
    expect(other.locator(".task-head")).to_contain_text("item 2 · 1 submitted")
    other.context.close()
    assert Assignment.objects.submitted().count() == 1

    page.reload()
    expect(page.get_by_role("img", name="1 of 6 submitted")).to_be_visible()
    expect(page.get_by_role("row", name=re.compile("^After 1.00"))).to_be_visible()


@pytest.fixture
def campaign(ruth: None) -> Campaign:
    """Three raters differ about the second sentence of two items."""
    raters = tuple(make_user(name) for name in ("anna", "ben", "cem"))
    made = make_campaign(passages=2, raters=raters, raters_per_item=3)
    for _ in range(2):
        for rater, message in zip(raters, ((1, 1, 0), (1, 0, 0), (1, 0, 0)), strict=True):
            judge_next(rater, made, message)
    return made


def test_from_the_campaigns_figures_to_a_settled_item(page: Page, campaign: Campaign) -> None:
    message = list(Judgment.objects.order_by("pk").values())
    page.goto(campaign.get_absolute_url())
    expect(page.get_by_role("img", name="Alpha")).to_be_visible()  # the fragment has come
    page.get_by_role("navigation", name="Campaign").get_by_role("link", name="Results").click()
    figures = page.locator("section[aria-labelledby=reliability-heading]")
    expect(figures).to_contain_text("Gwet’s AC1")  # the fragment has come
    figures.get_by_role("link", name="By side, system and pair").click()
    page.locator("summary", has_text="pair of raters").click()
    page.get_by_role("link", name="Items on which raters disagree").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Disagreements")
    page.get_by_role("link", name="Open item 1").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Item 1")
    expect(page.locator(".title")).to_contain_text("2 to adjudicate")
    page.get_by_role("radio", name="not attributable").check()
    page.get_by_label("Reason").fill("No railway lines.")
    page.get_by_role("button", name="No evidence says so.").click()
    page.get_by_role("button", name="Save and next").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Item 2")
    # The rest by keys: a key that is no answer, two that are, a reason, and the form is sent.
    for key in ("9", "1", "2"):
        page.keyboard.press(key)
    expect(page.get_by_role("radio", name="not attributable")).to_be_checked()
    page.keyboard.press("Tab")
    page.keyboard.type("As on the first.")
    page.keyboard.press("Control+Enter")
    expect(page.locator("main")).to_contain_text("No disagreements left")
    assert sorted(Adjudication.objects.values_list("item__position", "value", "reason")) == [
        (1, 0, "No railway lines. No evidence says so."),
        (2, 0, "As on the first."),
    ]
    assert list(Judgment.objects.order_by("pk").values()) == message
