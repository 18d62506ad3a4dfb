"""What scripts say on the judging pages and beside them, and that a lab may translate it."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, Route, expect
from pytest_django.live_server_helper import LiveServer

from annotation.models import Campaign
from rarrweb.accounts.models import User
from tests.browser.judging import Open, open_item, sentence
from tests.browser.logged_in import log_in_as
from tests.support.factories import make_user

__all__ = ["open_item"]  # a fixture

pytestmark = [pytest.mark.browser, pytest.mark.page_only, pytest.mark.django_db(transaction=True)]

THREE_FORMS = "nplurals=3; plural=(n==1 ? 0 : n==2 ? 1 : 2);"
CLOCK = r"\d\d:\d\d"


def says(place: Locator, words: str) -> None:
    """The place says it, word for word; what follows a ~ is a pattern."""
    if words.startswith("~"):
        expect(place).to_have_text(re.compile(f"^{words[1:]}\\s*$"))
    else:
        expect(place).to_have_text(words)


def told(page: Page, words: str) -> None:
    """A screen reader is told it; the same words twice end in an invisible difference."""
    says(page.locator("#says"), f"~{re.escape(words)}")


def test_attribution(open_item: Open) -> None:
    page = open_item("attribution")
    says(page.locator("#current-sentence"), "Sentence 1 of 3")
    says(page.locator("#counts"), "0 of 3 sentences · 0 of 2 evidence")
    says(sentence(page, 1).locator("[data-says]"), "(not judged)")  # the page's own word
    page.keyboard.press("1")
    told(page, "sentence 1 of 3, fully attributable, saved")
    says(page.locator("[data-chip]"), f"~✓ Saved {CLOCK}")
    page.keyboard.press("u")
    told(page, "evidence 1 of 2, useful, saved")
    says(page.locator("#counts"), "1 of 3 sentences · 1 of 2 evidence")
    page.keyboard.press("n")
    told(page, "evidence 1 of 2, not useful, saved")
    page.keyboard.press("Control+z")
    page.keyboard.press("Control+z")
    told(page, "evidence 1 of 2, not rated, saved")
    page.keyboard.press("Control+Enter")
    says(page.locator("[data-why]"), "Not handed in yet.")
    says(page.locator("[data-gaps]"), "Sentences 2, 3 are not judged.")
    page.keyboard.press("1")
    says(page.locator("[data-gaps]"), "Sentence 3 is not judged.")
    page.keyboard.press("g")
    page.keyboard.press("1")
    told(page, "sentence 3 of 3, fully attributable, saved")
    page.keyboard.press("g")
    told(page, "All questions are answered.")
    page.locator("#comment").fill("Hm")
    told(page, "comment, saved")


def test_intent(open_item: Open) -> None:
    page = open_item("intent")
    says(page.locator("#counts"), "0 of 1 answered")
    page.keyboard.press("Control+Enter")
    says(page.locator("[data-gaps]"), "~“.+” is not compared\\.")
    page.keyboard.press("2")
    says(page.locator("#counts"), "1 of 1 answered")
    says(page.locator("#says"), "~.+: Somewhat similar, saved")


def test_answer_quality(open_item: Open) -> None:
    page = open_item("answer_quality")
    says(page.locator("#current-question"), "Question 1 of 5")
    says(page.locator("[data-rule=any]"), "○ open")
    page.keyboard.press("Control+Enter")
    gaps = page.locator("[data-gaps]")
    part = r"Part \d of 3: “Informative”, “Attributable” are not judged\."
    uncited = r"Part 3 of 3: “Informative” is not judged\."
    says(gaps, f"~{part} {part} {uncited}")
    page.keyboard.press("1")
    says(page.locator("#says"), "~Part 1 of 3: Informative: .+, saved")
    says(gaps, rf"~Part 1 of 3: “Attributable” is not judged\. {part} {uncited}")
    says(page.locator("[data-rule=any]"), "✓ yes")
    page.keyboard.press("j")
    page.keyboard.press("2")
    says(page.locator("[data-rule=all]"), "✕ no")


def test_manual_revision(open_item: Open) -> None:
    page = open_item("manual_revision", sides="before")
    says(page.locator("#distance"), "Nothing changed")
    says(page.locator("#counts"), "Not revised yet")
    page.keyboard.press("Control+Enter")
    says(page.locator("[data-gaps]"), "The passage is not revised yet. If it needs no change, choose “No change needed”.")  # fmt: skip  # noqa: E501
    field = page.locator("#revised")
    field.fill(field.input_value().replace("1934", "1932"))
    told(page, "revised, 1 character changed, saved")
    says(page.locator("#distance"), r"~1 character changed · \d\d % of the passage kept")
    says(page.locator("#counts"), "Revised")
    expect(page.locator("#changes .sr")).to_have_text(["removed: ", "added: "])
    page.locator("#start-over").click()
    told(page, "revision taken back, saved")


def test_an_outage(open_item: Open, console_errors: list[str]) -> None:
    page = open_item("attribution")
    page.route("**/api/**", answering(0))
    page.keyboard.press("1")
    says(page.locator("[data-chip]"), r"~! Not saved: no connection\. Trying again in \d+ s\.")
    told(page, "sentence 1 of 3, fully attributable, not saved: no connection")
    answers = {
        500: "the server does not answer",
        403: "you are logged out. Log in in another tab to continue",
        404: "you have no access to this item any more",
        400: "the answer was refused",
    }
    for key, (status, words) in zip("2121", answers.items(), strict=True):
        page.unroute("**/api/**")
        page.route("**/api/**", answering(status))
        page.keyboard.press(key)
        expect(page.locator("[data-chip]")).to_contain_text(words)
    page.unroute("**/api/**")
    page.locator("#comment").fill("Hm")
    says(page.locator("[data-chip]"), f"~✓ Saved {CLOCK}")
    console_errors.clear()


def test_answers_from_before(open_item: Open, console_errors: list[str]) -> None:
    page = open_item("attribution")
    words = page.locator("#unsaved [data-words]")
    page.route("**/judgments/", answering(0))
    for key in ("1", "j", "1"):
        page.keyboard.press(key)
    expect(page.locator("[data-chip]")).to_contain_text("no connection")
    page.goto("/account/")
    says(words, "2 answers from before are not saved yet: no connection.")
    held: list[Route] = []
    page.unroute("**/judgments/")
    page.route("**/judgments/", lambda route: route.continue_() if released else held.append(route))
    released = False
    page.reload()
    says(words, "Saving 2 answers from before …")
    released = True
    for each in held:
        each.continue_()
    says(words, "2 answers from before are saved now.")
    console_errors.clear()


def test_an_answer_that_is_never_taken(open_item: Open, console_errors: list[str]) -> None:
    page = open_item("attribution")
    page.route("**/judgments/", answering(404))
    page.keyboard.press("1")
    expect(page.locator("[data-chip]")).to_contain_text("you have no access to this item any more")
    page.goto("/account/")
    says(page.locator("#unsaved [data-words]"), "1 answer from before is not saved yet: you have no access to this item any more. This browser keeps it.")  # fmt: skip  # noqa: E501
    asked: list[str] = []
    page.on("dialog", lambda dialog: (asked.append(dialog.message), dialog.accept()))
    page.locator("#unsaved [data-discard]").click()
    expect(page.locator("#unsaved")).to_be_hidden()
    assert asked == ["Discard these answers? They are only in this browser."]
    console_errors.clear()


def test_questions(open_item: Open, console_errors: list[str]) -> None:
    page = open_item("attribution")
    page.route("**/questions/", answering(0))
    page.locator("[data-ask]").first.click()
    says(page.locator("#asking > p"), "Not sent: no connection. Your text is still here. Close this and open it again.")  # fmt: skip  # noqa: E501
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
        says(problem, words)
        page.unroute("**/ask/")
    console_errors.clear()


def test_what_else_scripts_say(
    open_item: Open, context: BrowserContext, live_server: LiveServer, console_errors: list[str]
) -> None:
    """Copying, an upload that breaks."""
    page = open_item("attribution")
    campaign = Campaign.objects.get()
    leads = make_user("lea", role=User.Role.RESEARCHER)
    log_in_as(context, leads, live_server.url)
    page.goto("/datasets/new/")
    page.locator("input[type=file]").set_input_files(
        {"name": "p.csv", "mimeType": "text/csv", "buffer": b"id,text\n1,A bridge.\n"}
    )
    page.locator("[name=name]").fill("Bridges")
    page.route("**/datasets/new/", answering(500))
    page.locator("#upload-form button.primary").click()
    says(page.locator(".sending label"), "~The file was not uploaded: .*")
    page.goto(f"{campaign.get_absolute_url()}members/")
    page.locator("form[action$='/invite/'] button").click()
    page.locator("[data-copy]").first.click()
    says(page.locator("[data-copy-says]").first, "~(✓ Copied|It is selected: .*)")
    console_errors.clear()


def answering(status: int) -> Callable[[Route], None]:
    """A server that answers so, or none where it is 0."""

    def answer(route: Route) -> None:
        if status:
            route.fulfill(status=status, body="")
        else:
            route.abort()

    return answer
