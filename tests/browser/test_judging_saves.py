"""The judging page in a real browser loses no click: outages, closed tabs, ended sessions."""

from typing import Any

import psycopg
import pytest
from django.db import OperationalError
from playwright.sync_api import BrowserContext, Locator, Page, expect

from annotation.campaigns.lifecycle import close_campaign, reopen_campaign
from annotation.judging import answers as judging_room
from annotation.judging.claims import claim_next
from annotation.models import Assignment, Campaign, Judgment, RaterQuestion
from rarrweb.accounts.models import User
from tests.browser.judging import (
    campaign,
    go_to_next,
    judging,
    on_item,
    open_item,
    ready,
    revising,
    rows,
    saved,
    sentence,
    stored_operations,
    wait_until,
)
from tests.browser.live_site import LiveSite
from tests.support.campaigns import judge_everything, save_judgment

__all__ = ["campaign", "judging", "open_item", "revising"]  # fixtures

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_a_failed_save_is_displayed_preserved_and_sent_when_the_server_is_back(
    judging: Page, console_errors: list[str]
) -> None:
    judging.route("**/api/**", lambda route: route.abort())
    sentence(judging, 1).click()
    expect(judging.locator("#saved")).to_contain_text("Not saved: no connection")
    assert rows() == {}
    judging.unroute("**/api/**")
    judging.get_by_role("button", name="Try now").click()
    saved(judging)
    assert rows() == {0: True}
    assert stored_operations(judging) == 0
    console_errors.clear()  # the browser logs the aborted request


def test_a_click_that_met_an_unavailable_database_is_sent_again_by_itself(
    judging: Page, console_errors: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    save, tries = judging_room.save_judgments, []

    def save_when_free(*args: Any, **values: Any) -> Any:
        tries.append(1)
        if len(tries) < 3:
            raise OperationalError from psycopg.errors.LockNotAvailable()
        return save(*args, **values)

    monkeypatch.setattr(judging_room, "save_judgments", save_when_free)
    with judging.expect_response("**/judgments/") as refused:
        sentence(judging, 1).click()
    assert (refused.value.status, refused.value.headers["retry-after"]) == (503, "5")
    expect(judging.locator("#saved")).to_contain_text("Not saved: the server does not answer")
    saved(judging)
    assert rows() == {0: True}
    assert (len(tries), stored_operations(judging)) == (3, 0)
    console_errors.clear()


def outage(page: Page) -> None:
    """No request of this page arrives any more, not even one that it sends while it closes."""
    # The driver's own ways, routes and offline mode, end with the page and let that one through.
    page.evaluate("() => { window.fetch = () => Promise.reject(new TypeError('down')); }")


def test_an_answer_of_a_tab_closed_in_an_outage_is_replayed_by_the_next_page(
    judging: Page, context: BrowserContext
) -> None:
    outage(judging)
    sentence(judging, 2).click()
    judging.locator("#comment").fill("Written in an outage")
    judging.locator("#comment").blur()
    expect(judging.locator("#saved")).to_contain_text("Not saved")
    url = judging.url
    judging.close(run_before_unload=False)
    again = context.new_page()
    assert rows() == {}
    again.goto(url)
    saved(again)
    expect(sentence(again, 2)).to_have_attribute("data-value", "1")
    expect(again.locator("#comment")).to_have_value("Written in an outage")
    assert rows() == {1: True}
    assert Assignment.objects.get().comment == "Written in an outage"


def test_the_answer_of_another_item_is_replayed_too(
    judging: Page, context: BrowserContext, campaign: Campaign
) -> None:
    judge_everything(Assignment.objects.get())
    other = claim_next(Assignment.objects.get().rater)
    assert isinstance(other, Assignment)
    outage(judging)
    sentence(judging, 1).click()
    expect(judging.locator("#saved")).to_contain_text("Not saved")
    judging.close(run_before_unload=False)
    page = context.new_page()
    with page.expect_response("**/api/tasks/*/judgments/"):
        page.goto(f"/tasks/{other.pk}/")
    expect(sentence(page, 1)).to_have_attribute("data-value", "")
    assert rows() == {0: True, 1: True, 2: True}
    assert Judgment.objects.get(target=0).sequence > 1
    assert stored_operations(page) == 0


def test_a_replayed_answer_does_not_undo_a_later_one_from_elsewhere(
    judging: Page, context: BrowserContext
) -> None:
    outage(judging)
    sentence(judging, 1).click()
    expect(judging.locator("#saved")).to_contain_text("Not saved")
    url = judging.url
    judging.close(run_before_unload=False)
    assignment = Assignment.objects.get()
    save_judgment(assignment, criterion="attributable", target=0, value=False, sequence=2**52)
    again = context.new_page()
    again.goto(url)
    ready(again)
    expect(sentence(again, 1)).to_have_attribute("data-value", "0")
    assert stored_operations(again) == 0
    assert rows() == {0: False}


def test_a_tab_that_is_closed_while_it_saves_brings_the_answer_home(
    judging: Page, context: BrowserContext
) -> None:
    # The first request never comes back; what is sent at the close does.
    judging.route("**/api/**", lambda route: None, times=1)
    sentence(judging, 1).click()
    expect(judging.locator("#saved")).to_have_text("… Saving")
    judging.close(run_before_unload=False)
    wait_until(lambda: rows() == {0: True}, context.new_page())


def test_a_tab_that_is_hidden_while_it_saves_sends_once_more(judging: Page) -> None:
    # A phone may end a hidden page without a word. The first request never comes back.
    judging.route("**/judgments/", lambda route: None, times=1)
    sentence(judging, 1).click()
    expect(judging.locator("#saved")).to_have_text("… Saving")
    with judging.expect_response("**/judgments/"):
        judging.evaluate(
            """() => {
                Object.defineProperty(document, "visibilityState", {value: "hidden"});
                document.dispatchEvent(new Event("visibilitychange"));
            }"""
        )
    assert rows() == {0: True}
    judging.evaluate("delete document.visibilityState")


def test_leaving_with_an_unsaved_answer_asks_first_and_without_one_does_not(
    judging: Page, console_errors: list[str]
) -> None:
    requests: list[str] = []

    def stay(dialog: Any) -> None:
        requests.append(dialog.type)
        dialog.dismiss()

    judging.on("dialog", stay)
    judging.route("**/api/**", lambda route: route.abort())
    sentence(judging, 1).click()
    expect(judging.locator("#saved")).to_contain_text("Not saved")
    with judging.expect_event("dialog"):
        judging.close(run_before_unload=True)
    assert requests == ["beforeunload"]
    judging.unroute("**/api/**")
    judging.get_by_role("button", name="Try now").click()
    saved(judging)
    judging.goto("/")
    assert requests == ["beforeunload"]
    console_errors.clear()


def test_submitting_waits_for_what_is_not_saved(judging: Page, console_errors: list[str]) -> None:
    for number in (1, 2, 3):
        sentence(judging, number).click()
    saved(judging)
    judging.route("**/api/**", lambda route: route.abort())
    judging.keyboard.press("2")
    judging.keyboard.press("Control+Enter")
    expect(judging.locator("#announcement")).to_contain_text("Not saved yet")
    assert Assignment.objects.submitted().count() == 0
    judging.unroute("**/api/**")
    judging.keyboard.press("Control+Enter")
    on_item(judging, 2)
    assert rows()[2] == 0
    console_errors.clear()


def test_a_closed_campaign_reports_it_and_keeps_the_answer_in_the_browser(
    judging: Page, campaign: Campaign, console_errors: list[str], live_server: LiveSite
) -> None:
    close_campaign(campaign)
    sentence(judging, 1).click()
    expect(judging.locator("#saved")).to_contain_text("This campaign is closed")
    assert stored_operations(judging) == 1
    # A page sends the answer as it is hidden, as it goes and as it comes.
    with live_server.gate.answering("/judgments/", times=3):
        judging.reload()
    expect(judging.get_by_text("This campaign is closed.")).to_be_visible()
    expect(judging.locator("#saved")).to_contain_text("This campaign is closed")
    address = judging.url
    # What it sends now is to be refused before the campaign opens.
    with live_server.gate.answering("/judgments/", times=2):
        judging.goto("about:blank")
    reopen_campaign(campaign)
    judging.goto(address)
    saved(judging)
    assert rows() == {0: True}
    ready(judging)
    assert stored_operations(judging) == 0
    # Any page lists what a closed campaign refused, and can discard it.
    close_campaign(campaign)
    sentence(judging, 2).click()
    expect(judging.locator("#saved")).to_contain_text("This campaign is closed")
    judging.goto("/tasks/")
    expect(judging.locator("#unsaved")).to_contain_text("1 answer from before is not saved yet")
    expect(judging.locator("#unsaved")).to_contain_text("This browser keeps it.")
    judging.once("dialog", lambda dialog: dialog.dismiss())
    judging.get_by_role("button", name="Discard").click()
    assert stored_operations(judging) == 1
    judging.once("dialog", lambda dialog: dialog.accept())
    judging.get_by_role("button", name="Discard").click()
    expect(judging.locator("#unsaved")).to_be_hidden()
    assert stored_operations(judging) == 0
    console_errors.clear()


def test_a_browser_without_a_database_keeps_answers_all_the_same(
    context: BrowserContext, campaign: Campaign
) -> None:
    context.add_init_script("Object.defineProperty(window, 'indexedDB', {value: undefined})")
    page = context.new_page()
    go_to_next(page, User.objects.get(username="anna"))
    outage(page)
    sentence(page, 2).click()
    expect(page.locator("#saved")).to_contain_text("Not saved")
    page.close(run_before_unload=False)
    again = context.new_page()
    again.goto("/")
    expect(again.locator("#unsaved")).to_contain_text("1 answer from before is saved now.")
    assert rows() == {1: True}
    assert again.evaluate("localStorage.length") == 0


SLOW_DATABASE = """
    const open = IDBFactory.prototype.open;
    IDBFactory.prototype.open = function (...values) {
        const slow = {};
        window.openDatabase = () => {
            const request = open.apply(indexedDB, values);
            request.onsuccess = () => {
                slow.result = request.result;
                slow.onsuccess();
            };
        };
        return slow;
    };
"""


def test_a_page_does_not_say_all_saved_before_its_database_has_opened(
    judging: Page, context: BrowserContext
) -> None:
    sentence(judging, 1).click()
    saved(judging)
    outage(judging)
    sentence(judging, 2).click()
    expect(judging.locator("#saved")).to_contain_text("Not saved")
    url = judging.url
    judging.close(run_before_unload=False)
    again = context.new_page()
    again.add_init_script(SLOW_DATABASE)
    again.goto(url)
    again.wait_for_timeout(2_500)
    expect(again.locator("#saved")).to_have_text("Answers are saved as you click")
    outage(again)
    sentence(again, 3).click()
    expect(again.locator("#saved")).to_contain_text("Not saved")
    assert rows() == {0: True}
    again.close(run_before_unload=False)
    last = context.new_page()
    last.goto(url)
    saved(last)
    assert rows() == {0: True, 1: True, 2: True}


def test_a_session_that_ended_loses_nothing(
    judging: Page, context: BrowserContext, console_errors: list[str]
) -> None:
    cookies = context.cookies()
    context.clear_cookies()
    judging.keyboard.press("1")
    expect(judging.locator("#saved")).to_contain_text("you are logged out")
    assert rows() == {}
    context.add_cookies(cookies)  # logged in again in another tab
    saved(judging)
    assert rows() == {0: True}
    console_errors.clear()


# ---- Texts over their limit ----------------------------------------------------------------


def paste(page: Page, field: Locator, text: str) -> None:
    """As a person does: what `fill` writes is bound by no limit."""
    field.focus()
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(text)


def test_a_comment_over_the_limit_is_not_cut_and_not_submitted_without(judging: Page) -> None:
    comment, text = judging.locator("#comment"), "é" * 5_200
    paste(judging, comment, text)
    expect(comment).to_have_value(text)
    notice = judging.locator("[data-over-limit]")
    expect(notice).to_contain_text("This text has 5,200 characters: shorten it to 5,000.")
    for number in (1, 2, 3):
        sentence(judging, number).click()
    wait_until(lambda: rows() == {0: 1, 1: 1, 2: 1}, judging)
    expect(judging.locator("#saved")).to_contain_text("Not saved: a text is too long")
    judging.keyboard.press("Control+Enter")
    expect(comment).to_be_focused()
    expect(comment).to_have_value(text)
    first = Assignment.objects.get()
    assert (first.comment, first.submitted_at) == ("", None)
    paste(judging, comment, text[:5_000])
    expect(notice).to_have_text("")
    wait_until(lambda: Assignment.objects.get().comment == text[:5_000], judging)
    saved(judging)


def test_a_question_over_the_limit_is_not_cut_and_not_sent(judging: Page) -> None:
    judging.get_by_role("button", name="Ask").first.click()
    field, text = judging.get_by_label("Your question to the researchers"), "a" * 5_200
    paste(judging, field, text)
    judging.get_by_role("button", name="Send the question").click()
    expect(field).to_be_focused()
    expect(field).to_have_value(text)
    assert not RaterQuestion.objects.exists()


def test_a_revision_over_the_limit_is_not_cut_and_not_submitted_without(revising: Page) -> None:
    field, text = revising.locator("#revised"), "a b " * 12_501
    paste(revising, field, text)
    expect(field).to_have_value(text)
    expect(revising.locator("#saved")).to_contain_text("Not saved: a text is too long")
    revising.locator("#comment").focus()
    revising.keyboard.press("Control+Enter")
    assert not Judgment.objects.exists()
    expect(field).to_have_value(text)
