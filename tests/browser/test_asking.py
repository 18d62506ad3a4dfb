"""Questions of raters, by mouse and by keyboard."""

import pytest
from playwright.sync_api import Page, expect

from annotation.models import RaterQuestion
from annotation.questions import rater_questions
from rarrweb.accounts.models import User
from tests.browser.judging import campaign, judging, ready
from tests.support.factories import make_user

__all__ = ["campaign", "judging"]  # fixtures

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

HOSTILE = "<img src=x onerror=alert(1)> Is 1932 enough?"


def test_a_question_is_sent_with_the_keyboard_alone(judging: Page) -> None:
    judging.keyboard.press("j")
    judging.keyboard.press("q")
    field = judging.get_by_label("Your question to the researchers")
    expect(field).to_be_focused()
    expect(judging.get_by_label("About")).to_have_value("2")
    judging.keyboard.type(HOSTILE)
    judging.keyboard.press("Tab")
    judging.keyboard.press("Enter")
    expect(judging.locator("#questions-dialog-content")).to_contain_text("Your question is sent")
    expect(judging.locator("#questions-dialog-content .thread")).to_contain_text(HOSTILE)
    judging.keyboard.press("Escape")
    expect(judging.locator("#questions-dialog")).to_be_hidden()
    judging.keyboard.press("1")
    expect(judging.locator("#sentence-2")).to_have_attribute("data-value", "1")
    assert RaterQuestion.objects.get().sentence == 1


def test_the_answer_is_announced_and_read(judging: Page) -> None:
    judging.get_by_role("button", name="Ask").first.click()
    judging.get_by_label("Your question to the researchers").fill("Why?")
    judging.get_by_role("button", name="Send the question").click()
    expect(judging.locator("#questions-dialog-content .thread")).to_contain_text("not answered yet")
    researcher = make_user(role=User.Role.RESEARCHER)
    rater_questions.answer(RaterQuestion.objects.get(), by=researcher, text="It is.")
    judging.goto("/")
    expect(judging.get_by_role("region", name="Questions")).to_contain_text("1 new")
    judging.goto("/tasks/next/")
    ready(judging)
    notice = judging.locator("#new-answers")
    notice.get_by_role("button", name="Read it").click()
    expect(judging.locator("#questions-dialog-content .thread")).to_contain_text("It is.")
    judging.keyboard.press("Escape")
    expect(notice).to_be_hidden()
    judging.reload()
    ready(judging)
    expect(notice).to_have_count(0)


def test_what_is_typed_outlives_closing_leaving_and_an_outage(
    judging: Page, console_errors: list[str]
) -> None:
    field = judging.get_by_label("Your question to the researchers")
    judging.keyboard.press("q")
    field.fill("A long question")
    judging.keyboard.press("Escape")
    judging.keyboard.press("q")
    expect(field).to_have_value("A long question")
    judging.keyboard.press("Escape")
    judging.reload()
    ready(judging)
    judging.keyboard.press("q")
    expect(field).to_have_value("A long question")
    judging.context.set_offline(True)
    judging.get_by_role("button", name="Send the question").click()
    expect(judging.locator("#questions-dialog-content")).to_contain_text("Not sent: no connection.")
    expect(field).to_have_value("A long question")
    judging.context.set_offline(False)
    judging.get_by_role("button", name="Send the question").click()
    expect(judging.locator("#questions-dialog-content")).to_contain_text("Your question is sent")
    expect(field).to_have_value("")
    assert RaterQuestion.objects.count() == 1
    console_errors.clear()
