"""What scripts announce on the judging pages."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.judging import Open, open_item, sentence
from tests.browser.live_site import answering

__all__ = ["open_item"]  # a fixture

pytestmark = [pytest.mark.browser, pytest.mark.page_only, pytest.mark.django_db(transaction=True)]

CLOCK = r"\d\d:\d\d"


def expect_words(position: Locator, words: str) -> None:
    if words.startswith("~"):
        expect(position).to_have_text(re.compile(f"^{words[1:]}\\s*$"))
    else:
        expect(position).to_have_text(words)


def expect_announced(page: Page, words: str) -> None:
    """A screen reader is told it; the same words twice end in an invisible difference."""
    expect_words(page.locator("#announcement"), f"~{re.escape(words)}")


def test_attribution(open_item: Open) -> None:
    page = open_item("attribution")
    expect_words(page.locator("#current-sentence"), "Sentence 1 of 3")
    expect_words(page.locator("#counts"), "0 of 3 sentences · 0 of 2 pieces of evidence rated")
    expect_words(sentence(page, 1).locator("[data-state-words]"), "(not judged)")
    page.keyboard.press("1")
    expect_announced(page, "sentence 1 of 3, fully attributable, saved")
    expect_words(page.locator("[data-chip]"), f"~✓ Saved {CLOCK}")
    page.keyboard.press("u")
    expect_announced(page, "evidence 1 of 2, useful, saved")
    expect_words(page.locator("#counts"), "1 of 3 sentences · 1 of 2 pieces of evidence rated")
    page.keyboard.press("n")
    expect_announced(page, "evidence 2 of 2, not useful, saved")
    page.keyboard.press("Control+z")
    page.keyboard.press("Control+z")
    expect_announced(page, "evidence 1 of 2, not rated, saved")
    page.keyboard.press("Control+Enter")
    expect_words(page.locator("[data-why]"), "Not submitted yet.")
    expect_words(page.locator("[data-gaps]"), "Sentences 2, 3 are not judged.")
    page.keyboard.press("1")
    expect_words(page.locator("[data-gaps]"), "Sentence 3 is not judged.")
    page.keyboard.press("g")
    page.keyboard.press("1")
    expect_announced(page, "sentence 3 of 3, fully attributable, saved")
    page.keyboard.press("g")
    expect_announced(page, "All questions are answered.")
    page.locator("#comment").fill("Hm")
    expect_announced(page, "comment, saved")


def test_an_outage(open_item: Open, console_errors: list[str]) -> None:
    page = open_item("attribution")
    page.route("**/api/**", answering(0))
    page.keyboard.press("1")
    expect_words(
        page.locator("[data-chip]"), r"~! Not saved: no connection\. Trying again in \d+ s\."
    )
    expect_announced(page, "sentence 1 of 3, fully attributable, not saved: no connection")
    answers = {
        500: "the server does not answer",
        403: "you are logged out",
        404: "you have no access to this item any more",
        400: "the answer was refused",
    }
    for key, (status, words) in zip("2121", answers.items(), strict=True):
        page.unroute("**/api/**")
        page.route("**/api/**", answering(status))
        page.keyboard.press(key)
        expect(page.locator("[data-chip]")).to_contain_text(words)
        log_in = page.get_by_role("link", name="Log in in a new tab")
        expect(log_in).to_be_visible(visible=status == 403)
    page.unroute("**/api/**")
    page.locator("#comment").fill("Hm")
    expect_words(page.locator("[data-chip]"), f"~✓ Saved {CLOCK}")
    # The same of questions.
    page.route("**/questions/", answering(0))
    page.locator("[data-ask]").first.click()
    reason = "Not sent: no connection. Your text is still here. Close this and open it again."
    expect_words(page.locator("#questions-dialog-content > p"), reason)
    page.keyboard.press("Escape")
    page.unroute("**/questions/")
    page.locator("[data-ask]").first.click()
    page.locator("#ask-text").fill("Why?")
    problem = page.locator("#ask-form [data-problem]")
    send = page.locator("#ask-form button")
    answers = {
        0: "Not sent: no connection. Your text is still here.",
        404: "Not sent: you have no access any more.",
        503: "Not sent: the server cannot take it now. Your text is still here.",
    }
    for status, words in answers.items():
        page.route("**/ask/", answering(status))
        send.click()
        expect_words(problem, words)
        page.unroute("**/ask/")
    console_errors.clear()
