"""The switch that moves on after an answer."""

import pytest
from playwright.sync_api import expect

from annotation.models import Assignment
from tests.browser.judging import Open, on_item, open_item, sentence

__all__ = ["open_item"]  # a fixture

pytestmark = [pytest.mark.browser, pytest.mark.page_only, pytest.mark.django_db(transaction=True)]


@pytest.mark.parametrize("by_key", [True, False])
def test_an_item_of_one_question_is_submitted_by_its_answer_for_who_wants_that(
    open_item: Open, by_key: bool
) -> None:
    page = open_item("intent", sides="both")
    page.keyboard.press("?")
    page.get_by_label("Move on after an answer").check()
    page.keyboard.press("Escape")
    if by_key:
        page.keyboard.press("1")
    else:
        page.get_by_role("radio", name="Somewhat similar").focus()
        page.keyboard.press("ArrowRight")  # on the way to an answer
        expect(page.locator("#saved[data-state=saved]")).to_be_visible()
        on_item(page, 1)
        page.locator("label.level").first.click()
    on_item(page, 2)
    assert Assignment.objects.exclude(submitted_at=None).count() == 1


def test_several_questions_wait_for_the_button(open_item: Open) -> None:
    page = open_item("attribution")
    page.evaluate("() => localStorage.setItem('rarrweb-move-on', '1')")
    for number in range(1, page.locator(".s").count() + 1):
        sentence(page, number).focus()
        page.keyboard.press("1")
    expect(page.locator("#saved[data-state=saved]")).to_be_visible()
    on_item(page, 1)
