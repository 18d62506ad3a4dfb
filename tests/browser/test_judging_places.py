"""One item in several tabs; a lease that ends, a skip, a return."""

from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import BrowserContext, Page, expect

from annotation.judging.answers import AnswerUpdate, save_judgments
from annotation.judging.claims import claim_next
from annotation.judging.releases import send_back
from annotation.models import Assignment, Campaign
from annotation.raters.memberships import add_member
from rarrweb.accounts.models import User
from tests.browser.judging import (
    campaign,
    judging,
    on_item,
    open_item,
    ready,
    rows,
    saved,
    sentence,
    stored_operations,
    wait_until,
)
from tests.support.campaigns import judge_everything
from tests.support.factories import make_user

__all__ = ["campaign", "judging", "open_item"]  # fixtures

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def submit_by_keys(page: Page) -> None:
    for _ in range(3):
        page.keyboard.press("1")
    page.keyboard.press("Control+Enter")
    on_item(page, 2)


def lease_ends_in(**left: float) -> None:
    Assignment.objects.update(lease_until=timezone.now() + timedelta(**left))


# ---- Several tabs---------------------------------------------------------------------------


def test_two_tabs_write_and_the_later_answer_holds(judging: Page, context: BrowserContext) -> None:
    second = context.new_page()
    second.goto(judging.url)
    ready(second)
    judging.keyboard.press("1")
    judging.locator("#comment").fill("Half a thought")
    judging.locator("#comment").blur()
    saved(judging)
    second.keyboard.press("j")
    second.keyboard.press("2")
    saved(second)
    # Each save brings the answers of other tabs.
    expect(sentence(second, 1)).to_have_attribute("data-value", "1")
    expect(second.locator("#comment")).to_have_value("Half a thought")
    second.locator("#sentence-1").focus()
    second.keyboard.press("2")
    saved(second)
    assert rows() == {0: 0, 1: 0}
    assert Assignment.objects.get().comment == "Half a thought"


def test_an_answer_that_another_computer_overtook_is_not_called_saved(judging: Page) -> None:
    # A computer whose clock is an hour ahead has answered meanwhile.
    later = int(timezone.now().timestamp() * 1000) + 3_600_000
    answer = AnswerUpdate(criterion="attributable", target=0, value=1, sequence=later)
    save_judgments(Assignment.objects.get(), [answer])
    judging.keyboard.press("2")
    expect(judging.locator("#saved")).to_contain_text("later answers from another tab")
    expect(sentence(judging, 1)).to_have_attribute("data-value", "1")
    sentence(judging, 1).focus()
    judging.keyboard.press("2")
    saved(judging)
    assert rows() == {0: 0}


def test_an_item_submitted_in_another_tab_stays_submitted(
    judging: Page, context: BrowserContext
) -> None:
    second = context.new_page()
    second.goto(judging.url)
    ready(second)
    submit_by_keys(judging)
    for state in ("0", "1", "0"):  # the cycle of a submitted item has no "not judged"
        if state == "0":
            second.keyboard.press("2")
        else:
            sentence(second, 1).click()
        saved(second)
        expect(sentence(second, 1)).to_have_attribute("data-value", state)
    assert Assignment.objects.submitted().get().edited_at is not None


# ---- The lease -----------------------------------------------------------------------------


def test_a_lease_that_ends_is_reported_and_renewed_by_any_act(judging: Page) -> None:
    lease_ends_in(minutes=2)
    judging.reload()
    ready(judging)
    expect(judging.locator("#lease")).to_contain_text("Still there?")
    with judging.expect_response("**/visit/"):
        judging.keyboard.press("ArrowDown")
    expect(judging.locator("#lease")).to_be_hidden()
    assert Assignment.objects.get().lease_until > timezone.now() + timedelta(minutes=29)
    # A lease that ends is reported, and a click takes the item back.
    lease_ends_in(seconds=3)
    judging.reload()
    ready(judging)
    expect(judging.locator("#lease")).to_contain_text("You were inactive for half an hour")
    sentence(judging, 1).click()
    saved(judging)
    expect(judging.locator("#lease")).to_be_hidden()
    expect(judging.locator("#late")).to_be_hidden()
    assert not Assignment.objects.get().is_late


def test_work_after_another_rater_took_the_expired_item_is_preserved_and_marked_late(
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
    judging.locator("summary", has_text="⋯").click()
    judging.get_by_role("link", name="Your items").click()
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


def test_a_submitted_item_is_reopened_and_changed(judging: Page, researcher: User) -> None:
    submit_by_keys(judging)
    judging.goto("/tasks/?show=submitted")
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


# ---- Time, clicks and keys -----------------------------------------------------------------


def test_clicks_keys_and_time_at_work_are_counted(judging: Page) -> None:
    sentence(judging, 1).click()
    judging.wait_for_timeout(60)
    sentence(judging, 1).click()
    judging.keyboard.press("j")
    judging.keyboard.press("1")
    judging.keyboard.press("1")
    saved(judging)
    judging.get_by_role("button", name="Submit and next").click()
    on_item(judging, 2)
    wait_until(lambda: Assignment.objects.order_by("pk")[0].clicks == 3, judging)
    first = Assignment.objects.order_by("pk")[0]
    assert (first.clicks, first.keys) == (3, 3)
    assert first.active_ms > 0
    assert first.idle_ms < first.active_ms


def test_a_quick_triple_click_on_a_slow_line_ends_at_the_displayed_state(judging: Page) -> None:
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
    assert stored_operations(judging) == 0


def test_after_a_restart_of_the_browser_an_answer_that_waits_is_not_called_saved(
    judging: Page, context: BrowserContext, console_errors: list[str]
) -> None:
    # The log is then in localStorage, which a busy machine does not hold up.
    context.add_init_script("Object.defineProperty(window, 'indexedDB', {value: undefined})")
    judging.reload()
    ready(judging)
    sentence(judging, 1).click()
    saved(judging)
    # This page sends nothing more, not even as it closes or when a connection is back.
    judging.evaluate("() => { window.fetch = () => Promise.reject(new TypeError('offline')) }")
    sentence(judging, 2).click()
    expect(judging.locator("#saved")).to_contain_text("Not saved")
    address = judging.url
    judging.close()  # what is left is in the browser's log
    again = context.new_page()
    again.route("**/judgments/", lambda route: route.abort())
    again.goto(address)
    ready(again)
    expect(again.locator("#saved")).to_contain_text("Not saved")
    again.unroute("**/judgments/")
    again.locator("#try-again").click()
    saved(again)
    assert rows() == {0: 1, 1: 1}
    console_errors.clear()  # of the connection
