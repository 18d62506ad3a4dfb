"""One item in several places: two tabs, two browsers, a lease that ends, a skip, a return."""

from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.conf import settings
from django.test import Client
from django.utils import timezone
from playwright.sync_api import Browser, BrowserContext, Page, expect
from pytest_django.live_server_helper import LiveServer

from annotation.judging.claims import claim_next
from annotation.judging.releases import send_back
from annotation.models import Assignment, Campaign, Judgment
from annotation.raters.memberships import add_member
from rarrweb.accounts.models import User
from tests.browser.chromium import new_context
from tests.browser.judging import (
    Open,
    campaign,
    go_to_next,
    judging,
    kept_operations,
    on_item,
    open_item,
    ready,
    rows,
    saved,
    sentence,
    wait_until,
)
from tests.support.campaigns import judge_everything
from tests.support.factories import make_user

__all__ = ["campaign", "judging", "open_item"]  # fixtures

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def lease_ends_in(**left: float) -> None:
    Assignment.objects.update(lease_until=timezone.now() + timedelta(**left))


# ---- Two tabs ------------------------------------------------------------------------------


def test_a_second_tab_reads_until_it_takes_over(judging: Page, context: BrowserContext) -> None:
    second = context.new_page()
    second.goto(judging.url)
    ready(second)
    expect(second.locator("#elsewhere")).to_contain_text("open in another tab")
    sentence(second, 1).click(force=True)  # the driver, too, sees that it is disabled
    second.keyboard.press("1")
    expect(sentence(second, 1)).to_have_attribute("data-value", "")
    expect(second.get_by_role("button", name="Submit and next")).to_be_disabled()

    judging.keyboard.press("1")
    saved(judging)
    judging.locator("#comment").fill("Half a thought")  # not saved yet: the typing goes on
    second.get_by_role("button", name="Go on here").click()
    expect(judging.locator("#elsewhere")).to_contain_text("You continued with this item")
    expect(second.locator("#elsewhere")).to_be_hidden()
    ready(second)
    second.keyboard.press("j")
    second.keyboard.press("2")
    saved(second)
    assert rows() == {0: 1, 1: 0}
    assert Assignment.objects.get().comment == "Half a thought"
    judging.keyboard.press("2")
    expect(sentence(judging, 1)).to_have_attribute("data-value", "1")


def test_a_save_that_overtakes_the_report_takes_over_too(
    judging: Page, context: BrowserContext
) -> None:
    second = context.new_page()
    second.goto(judging.url)
    ready(second)
    judging.keyboard.press("1")
    saved(judging)
    second.route("**/visit/", lambda route: route.abort())  # the report that takes over is lost
    second.get_by_role("button", name="Go on here").click()
    expect(judging.locator("#elsewhere")).to_be_visible()
    ready(second)
    second.keyboard.press("j")
    second.keyboard.press("2")
    saved(second)
    expect(second.locator("#elsewhere")).to_be_hidden()
    assert rows() == {0: 1, 1: 0}


@pytest.mark.parametrize("kind", ["intent", "answer_quality", "citation", "manual_revision"])
def test_a_second_tab_of_every_questionnaire_only_reads(
    open_item: Open, context: BrowserContext, kind: str
) -> None:
    first = open_item(kind, sides="before" if kind == "manual_revision" else "after")
    second = context.new_page()
    second.goto(first.url)
    ready(second)
    expect(second.locator("#elsewhere")).to_be_visible()
    answers = second.locator(".pane :is(fieldset.question input, .revising textarea)")
    expect(answers.first).to_be_visible()
    for index in range(answers.count()):
        expect(answers.nth(index)).to_be_disabled()
    second.keyboard.press("1")
    second.keyboard.press("Control+Enter")
    second.get_by_role("button", name="Go on here").click()
    expect(first.locator("#elsewhere")).to_be_visible()
    expect(second.locator("#elsewhere")).to_be_hidden()
    ready(second)
    expect(answers.first).to_be_enabled()
    assert not Judgment.objects.exists()


def test_a_reload_and_the_tab_after_a_closed_one_write_at_once(
    judging: Page, context: BrowserContext
) -> None:
    judging.reload()
    ready(judging)
    expect(judging.locator("#elsewhere")).to_be_hidden()
    url = judging.url
    judging.close()
    later = context.new_page()
    later.goto(url)
    ready(later)
    expect(later.locator("#elsewhere")).to_be_hidden()
    later.keyboard.press("1")
    saved(later)
    assert rows() == {0: 1}


def test_without_locks_a_second_tab_asks_the_others(
    context: BrowserContext, campaign: Campaign
) -> None:
    # As on a plain http address, where browsers give pages no locks.
    context.add_init_script("Object.defineProperty(navigator, 'locks', {value: undefined})")
    first = context.new_page()
    go_to_next(first, User.objects.get(username="anna"))
    second = context.new_page()
    second.goto(first.url)
    ready(second)
    expect(second.locator("#elsewhere")).to_be_visible()
    second.get_by_role("button", name="Go on here").click()
    expect(first.locator("#elsewhere")).to_be_visible()
    expect(second.locator("#elsewhere")).to_be_hidden()
    ready(second)
    second.keyboard.press("1")
    saved(second)
    assert rows() == {0: 1}


def test_a_slow_machine_is_not_taken_for_a_second_tab(
    context: BrowserContext, campaign: Campaign
) -> None:
    context.add_init_script(
        """const ask = navigator.locks.request.bind(navigator.locks);
        navigator.locks.request = async (...asked) => {
            await new Promise((goOn) => setTimeout(goOn, 800));
            return ask(...asked);
        };"""
    )
    page = context.new_page()
    go_to_next(page, User.objects.get(username="anna"))
    expect(page.locator("#elsewhere")).to_be_hidden()
    page.keyboard.press("1")
    saved(page)


# ---- Two browsers --------------------------------------------------------------------------


@pytest.fixture
def other_browser(
    browser: Browser, live_server: LiveServer, campaign: Campaign
) -> Iterator[BrowserContext]:
    """A browser that shares nothing with the first, in which the same rater is logged in."""
    opened = new_context(browser, base_url=live_server.url)
    client = Client()
    client.force_login(User.objects.get(username="anna"))
    session = client.cookies[settings.SESSION_COOKIE_NAME].value
    opened.add_cookies(
        [{"name": settings.SESSION_COOKIE_NAME, "value": session, "url": live_server.url}]
    )
    yield opened
    opened.close()


def test_another_browser_reads_until_it_takes_over(
    judging: Page, other_browser: BrowserContext
) -> None:
    judging.keyboard.press("1")
    saved(judging)
    other = other_browser.new_page()
    other.goto(judging.url)
    ready(other)
    expect(other.locator("#elsewhere")).to_contain_text("open in another browser")
    other.keyboard.press("2")
    expect(sentence(other, 1)).to_have_attribute("data-value", "1")
    with other.expect_response("**/visit/"):
        other.get_by_role("button", name="Go on here").click()
    ready(other)
    expect(other.locator("#elsewhere")).to_be_hidden()
    other.keyboard.press("2")
    saved(other)
    # The first browser cannot know before it asks: its click is kept, and then it only reads.
    judging.keyboard.press("j")
    judging.keyboard.press("1")
    expect(judging.locator("#elsewhere")).to_contain_text("open in another browser")
    assert rows() == {0: 0, 1: 1}


def test_a_page_that_was_left_holds_no_other_browser_up(
    judging: Page, other_browser: BrowserContext
) -> None:
    judging.keyboard.press("1")
    saved(judging)
    url = judging.url
    judging.goto("/")
    wait_until(lambda: Assignment.objects.get().desk is None, judging)
    other = other_browser.new_page()
    other.goto(url)
    ready(other)
    expect(other.locator("#elsewhere")).to_be_hidden()


# ---- The lease -----------------------------------------------------------------------------


def test_a_lease_about_to_end_is_said_quietly_and_any_key_renews_it(judging: Page) -> None:
    lease_ends_in(minutes=2)
    judging.reload()
    ready(judging)
    expect(judging.locator("#lease")).to_contain_text("Still there?")
    with judging.expect_response("**/visit/"):
        judging.keyboard.press("ArrowDown")
    expect(judging.locator("#lease")).to_be_hidden()
    assert Assignment.objects.get().lease_until > timezone.now() + timedelta(minutes=29)


def test_a_lease_that_ends_says_so_and_a_click_takes_the_item_back(judging: Page) -> None:
    lease_ends_in(seconds=3)
    judging.reload()
    ready(judging)
    expect(judging.locator("#lease")).to_contain_text("You were inactive for half an hour")
    sentence(judging, 1).click()
    saved(judging)
    expect(judging.locator("#lease")).to_be_hidden()
    expect(judging.locator("#late")).to_be_hidden()
    assert not Assignment.objects.get().is_late


def test_work_after_another_rater_took_the_expired_item_is_kept_and_marked_late(
    judging: Page, campaign: Campaign
) -> None:
    judging.keyboard.press("1")
    saved(judging)
    mine = Assignment.objects.get()
    lease_ends_in(seconds=-1)
    ben = make_user("ben")
    add_member(campaign, user=ben)
    claimed = claim_next(ben, campaign=campaign)
    assert isinstance(claimed, Assignment)
    while claimed.item_id != mine.item_id:  # his own order may begin elsewhere
        judge_everything(claimed)
        following = claim_next(ben, campaign=campaign)
        assert isinstance(following, Assignment)
        claimed = following
    for _ in range(2):
        judging.keyboard.press("j")
        judging.keyboard.press("2")
    expect(judging.locator("#saved")).to_contain_text("late")
    expect(judging.locator("#late")).to_be_visible()
    judging.keyboard.press("Control+Enter")
    wait_until(lambda: Assignment.objects.get(pk=mine.pk).submitted_at is not None, judging)
    mine.refresh_from_db()
    assert (mine.is_late, mine.slot) == (True, None)
    assert mine.judgments.count() == 3


# ---- Skipped, sent back, a stranger's ------------------------------------------------------


def test_an_item_is_skipped_by_keyboard_and_taken_back(judging: Page) -> None:
    sentence(judging, 1).click()
    judging.keyboard.press("x")
    judging.get_by_label("It is in a language that I do not read well").check()
    judging.get_by_label("In your own words").fill("Finnish")
    judging.get_by_role("button", name="Skip this item").click()
    on_item(judging, 2)
    skipped = Assignment.objects.get(skipped_at__isnull=False)
    assert (skipped.skip_reason, skipped.slot, skipped.judgments.count()) == ("language", None, 1)
    judging.locator(".task-head").get_by_role("link", name="handed in").click()
    judging.get_by_role("link", name="Skipped 1").click()
    judging.locator("table").get_by_role("link", name="Open").click()
    expect(judging.locator("#skipped")).to_contain_text("You skipped this item")
    ready(judging)
    judging.keyboard.press("2")
    expect(sentence(judging, 1)).to_have_attribute("data-value", "1")
    judging.get_by_role("button", name="Undo skip").click()
    expect(judging.get_by_text("The item is yours again.")).to_be_visible()
    ready(judging)
    judging.keyboard.press("2")
    saved(judging)
    skipped.refresh_from_db()
    assert (skipped.slot, skipped.skipped_at) == (1, None)


def test_a_handed_in_item_is_found_changed_and_sent_back(judging: Page, researcher: User) -> None:
    for _ in range(3):
        judging.keyboard.press("1")
        judging.keyboard.press("j")
    judging.keyboard.press("Control+Enter")
    on_item(judging, 2)
    judging.goto("/tasks/?show=handed-in")
    judging.get_by_role("link", name="Open or change").click()
    ready(judging)
    judging.keyboard.press("2")
    saved(judging)
    done = Assignment.objects.submitted().get()
    assert done.edited_at is not None
    judging.goto("/tasks/")
    expect(judging.get_by_text("changed since")).to_be_visible()
    send_back(done, by=researcher, note="Look at the first sentence once more.")
    judging.goto("/tasks/next/")
    expect(judging.locator("#returned")).to_contain_text("Look at the first sentence once more.")
    ready(judging)
    judging.keyboard.press("Control+Enter")
    wait_until(lambda: Assignment.objects.get(pk=done.pk).submitted_at is not None, judging)


def test_a_strangers_item_is_not_there(
    page: Page, campaign: Campaign, console_errors: list[str]
) -> None:
    ben = make_user("ben")
    add_member(campaign, user=ben)
    theirs = claim_next(ben)
    assert isinstance(theirs, Assignment)
    response = page.goto(f"/tasks/{theirs.pk}/")
    assert response is not None
    assert response.status == 404
    expect(page.locator("#judging")).to_have_count(0)
    console_errors.clear()  # the browser logs the 404


# ---- Time, clicks and keys -----------------------------------------------------------------


def test_clicks_keys_and_time_at_work_are_counted(judging: Page) -> None:
    sentence(judging, 1).click()
    judging.wait_for_timeout(60)
    sentence(judging, 1).click()
    judging.keyboard.press("j")
    judging.keyboard.press("1")
    judging.keyboard.press("j")
    judging.keyboard.press("1")
    saved(judging)
    judging.get_by_role("button", name="Submit and next").click()
    on_item(judging, 2)
    wait_until(lambda: Assignment.objects.order_by("pk")[0].clicks == 3, judging)
    first = Assignment.objects.order_by("pk")[0]
    assert (first.clicks, first.keys) == (3, 4)
    assert first.active_ms > 0
    assert first.idle_ms < first.active_ms


def test_a_quick_triple_click_on_a_slow_line_ends_where_the_page_says(judging: Page) -> None:
    judging.route("**/judgments/", lambda route: (judging.wait_for_timeout(300), route.continue_()))
    box = sentence(judging, 1).bounding_box()
    assert box is not None
    judging.mouse.move(box["x"] + 20, box["y"] + 10)
    for _ in range(3):
        judging.mouse.down()
        judging.mouse.up()
        judging.wait_for_timeout(60)
    expect(sentence(judging, 1)).to_have_attribute("data-value", "")
    saved(judging)
    assert rows() == {0: None}
    assert kept_operations(judging) == 0


def test_after_a_restart_of_the_browser_an_answer_that_waits_is_not_called_saved(
    judging: Page, context: BrowserContext, console_errors: list[str]
) -> None:
    # The log is then in localStorage, which a busy machine does not hold up.
    context.add_init_script("Object.defineProperty(window, 'indexedDB', {value: undefined})")
    judging.reload()
    ready(judging)
    sentence(judging, 1).click()
    saved(judging)
    context.set_offline(True)
    sentence(judging, 2).click()
    expect(judging.locator("#saved")).to_contain_text("Not saved")
    address = judging.url
    judging.close()  # without a word to the server, and what is left is in the browser's log
    context.set_offline(False)
    again = context.new_page()
    again.route("**/judgments/", lambda route: route.abort())
    again.goto(address)
    ready(again)
    expect(again.locator("#elsewhere")).to_contain_text("open in another browser")
    expect(again.locator("#saved")).to_contain_text("Not saved")
    again.unroute("**/judgments/")
    again.locator("#try-again").click()
    saved(again)
    assert rows() == {0: 1, 1: 1}
    console_errors.clear()  # of the connection
