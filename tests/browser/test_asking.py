"""Asking in a real browser: by mouse and by keys, answered, read, and nothing typed is lost."""

import pytest
from playwright.sync_api import Page, expect

from annotation.guidelines import questions
from annotation.models import Campaign, Thread
from rarrweb.accounts.models import User
from tests.browser.judging import campaign, judging, ready
from tests.support.factories import make_user

__all__ = ["campaign", "judging"]  # fixtures

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

HOSTILE = "<img src=x onerror=alert(1)> Is 1932 enough?"


def answer(text: str = "It is.") -> None:
    questions.reply(Thread.objects.get(), by=make_user(role=User.Role.RESEARCHER), text=text)


def test_a_question_is_asked_with_the_keyboard_alone(judging: Page) -> None:
    judging.keyboard.press("j")
    judging.keyboard.press("q")
    field = judging.get_by_label("Your question to the researchers")
    expect(field).to_be_focused()
    expect(judging.get_by_label("About")).to_have_value("2")
    judging.keyboard.type(HOSTILE)
    judging.keyboard.press("Tab")
    judging.keyboard.press("Enter")
    expect(judging.locator("#asking")).to_contain_text("Your question is sent")
    expect(judging.locator("#asking .talk")).to_contain_text(HOSTILE)
    judging.keyboard.press("Escape")
    expect(judging.locator("#asking-dialog")).to_be_hidden()
    judging.keyboard.press("1")
    expect(judging.locator("#sentence-2")).to_have_attribute("data-value", "1")
    assert Thread.objects.get().sentence == 1


def test_the_answer_is_announced_read_and_followed_up(judging: Page) -> None:
    judging.get_by_role("button", name="Ask").first.click()
    judging.get_by_label("Your question to the researchers").fill("Why?")
    judging.get_by_role("button", name="Send the question").click()
    expect(judging.locator("#asking .talk")).to_contain_text("not answered yet")
    answer()
    judging.goto("/")
    expect(judging.get_by_role("region", name="Questions")).to_contain_text("1 new")
    judging.goto("/tasks/next/")
    ready(judging)
    notice = judging.locator("#new-talk")
    notice.get_by_role("button", name="Read it").click()
    thread = judging.locator("#asking .talk")
    expect(thread).to_contain_text("It is.")
    thread.get_by_label("Reply").fill("Thank you.")
    thread.get_by_role("button", name="Send").click()
    expect(thread).to_contain_text("Thank you.")
    expect(thread.get_by_label("Reply")).to_have_value("")
    judging.keyboard.press("Escape")
    expect(notice).to_be_hidden()
    assert Thread.objects.get().messages.count() == 3


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
    expect(judging.locator("#asking")).to_contain_text("Not sent: no connection.")
    expect(field).to_have_value("A long question")
    judging.context.set_offline(False)
    judging.get_by_role("button", name="Send the question").click()
    expect(judging.locator("#asking")).to_contain_text("Your question is sent")
    expect(field).to_have_value("")
    assert Thread.objects.count() == 1
    console_errors.clear()


def test_a_question_is_taken_back(judging: Page) -> None:
    judging.keyboard.press("q")
    judging.get_by_label("Your question to the researchers").fill("Never mind")
    judging.get_by_role("button", name="Send the question").click()
    judging.locator("#asking .talk").get_by_role("button", name="Take back").click()
    expect(judging.locator("#asking .talk")).to_have_count(0)
    assert not Thread.objects.exists()


def test_a_researcher_answers_publishes_and_makes_it_an_example(
    judging: Page, campaign: Campaign, page: Page, log_in: object
) -> None:
    judging.keyboard.press("q")
    judging.get_by_label("Your question to the researchers").fill(HOSTILE)
    judging.get_by_role("button", name="Send the question").click()
    expect(judging.locator("#asking .talk")).to_be_visible()
    judging.keyboard.press("Escape")
    judging.context.clear_cookies()
    log_in("ruth", role=User.Role.RESEARCHER)  # type: ignore[operator]
    page.goto("/")
    page.get_by_role("link", name="Answer").click()
    page.get_by_role("link", name=HOSTILE).click()
    expect(page.locator("mark")).to_contain_text("The bridge opened in 1932.")
    page.get_by_label("Answer").fill("It is enough.")
    page.get_by_role("button", name="Send the answer").click()
    expect(page.locator(".talk")).to_contain_text("It is enough.")
    page.get_by_role("button", name="Publish to all raters").click()
    expect(page.locator(".messages")).to_contain_text("without the asker’s name")
    page.get_by_role("link", name="Add to the instructions as an example").click()
    expect(page.locator("#preview blockquote").last).to_contain_text(HOSTILE)
    page.get_by_role("button", name="Save as version 2").click()
    expect(page.locator(".guidelines blockquote").last).to_contain_text("It is enough.")
