"""Changes of instructions."""

import re

import pytest
from playwright.sync_api import Page, expect

from annotation.guidelines import versions as guidelines
from annotation.models import Campaign, Judgment
from rarrweb.accounts.models import User
from tests.browser.judging import campaign, judging, ready, saved
from tests.support.campaigns import make_campaign
from tests.support.factories import make_user

__all__ = ["campaign", "judging"]  # fixtures

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

TEXT = "Read it twice.\n\n### Then\n\nJudge."


def change(campaign: Campaign, text: str = TEXT, note: str = "Read it twice now.") -> None:
    by = make_user(role=User.Role.RESEARCHER)
    last = guidelines.newest(campaign).number
    guidelines.save_version(campaign, text=text, note=note, by=by, based_on=last)


def versions() -> dict[int, int | None]:
    return dict(Judgment.objects.order_by("target").values_list("target", "guidelines_version"))


def test_a_change_is_announced_until_the_next_answer(judging: Page, campaign: Campaign) -> None:
    banner = judging.locator("#guidelines-changed")
    expect(banner).to_have_count(0)
    judging.keyboard.press("1")
    saved(judging)
    change(campaign)
    judging.locator("#sentence-2").click()  # on the page with the old instructions
    saved(judging)
    judging.reload()
    ready(judging)
    expect(banner).to_contain_text("Read it twice now.")
    banner.locator("summary").click()
    expect(banner.locator("ins").first).to_contain_text("twice")
    banner.get_by_role("button", name="Read the full instructions").click()
    expect(judging.locator("#guidelines-dialog")).to_contain_text("Read it twice.")
    judging.keyboard.press("Escape")
    judging.locator("#sentence-3").click()
    expect(judging.locator("#sentence-3")).to_have_attribute("data-value", "1")
    saved(judging)
    judging.reload()
    ready(judging)
    assert versions() == {0: 1, 1: 1, 2: 2}


def test_a_researcher_edits_next_to_the_result(page: Page, ruth: None) -> None:
    made = make_campaign()
    page.goto(f"/campaigns/{made.slug}/guidelines/edit/")
    text = page.get_by_label("Instructions", exact=True)
    text.fill("### Look twice\n\n<script>x()</script> **Always**")
    preview = page.locator("#preview")
    expect(preview.locator("h3").first).to_have_text("Look twice")
    expect(preview.locator("strong").first).to_have_text("Always")
    expect(preview).to_contain_text("<script>x()</script>")
    page.get_by_label("What has changed").fill("Look twice.")
    page.get_by_role("button", name="Save as version 2").click()
    expect(page.locator(".messages")).to_contain_text("Version 2 is saved")
    page.get_by_role("link", name="what has changed").click()
    expect(page.locator("#changes")).to_contain_text("From version 1 to version 2")
    page.get_by_role("link", name=re.compile("Go back")).click()
    expect(page.get_by_label("What has changed")).to_have_value("Back to version 1.")
    page.get_by_role("button", name="Save as version 3").click()
    expect(page.locator(".messages")).to_contain_text("Version 3 is saved")
    assert guidelines.newest(made).text == made.guidelines_versions.get(number=1).text
