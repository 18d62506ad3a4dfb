"""An answer with citations, by keyboard, by mouse and on a phone."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.widths import expect_fits
from tests.support.answer_rows import make_answer

pytestmark = [pytest.mark.browser, pytest.mark.page_only, pytest.mark.django_db(transaction=True)]

LONG = " ".join(
    f"Marlow Hall opened in 19{n:02} [1][2]. {'Nobodyknowswhy' * 12} [3]." for n in range(40)
)


def test_a_citation_that_has_the_focus_lights_its_source_and_leads_to_it(
    page: Page, ruth: None
) -> None:
    page.goto(make_answer().get_absolute_url())
    source = page.locator("#evidence-2")
    expect(source).not_to_have_class("evidence lit")
    page.get_by_role("link", name="source 2, irrelevant").focus()
    expect(source).to_have_class("evidence lit")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("#evidence-2$"))
    expect(source).to_be_in_viewport()


def test_a_long_answer_fits(page: Page, ruth: None) -> None:
    answer = make_answer(text=LONG)
    for width in (1280, 390, 320):
        page.set_viewport_size({"width": width, "height": 800})
        page.goto(answer.get_absolute_url())
        expect(page.locator("#statement-80")).to_have_count(1)
        expect_fits(page)
