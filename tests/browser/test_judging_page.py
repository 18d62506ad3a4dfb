"""The judging page in a real browser: by mouse, by keyboard, through an outage, on a phone."""

import re
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from django.utils import timezone
from playwright.sync_api import BrowserContext, Locator, Page, Route, expect
from pytest_django.live_server_helper import LiveServer

from annotation.assigning import claim_next
from annotation.campaigns import add_member, close_campaign, reopen_campaign
from annotation.models import Assignment, Campaign, Judgment
from tests.annotation.factories import judge_everything, make_campaign, save_judgment
from tests.factories import make_user

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

SAVED = re.compile(r"✓ Saved \d\d:\d\d")


@pytest.fixture
def campaign(context: BrowserContext, live_server: LiveServer) -> Campaign:
    """A campaign of two items, and its rater logged in."""
    anna = make_user("anna")
    client = Client()
    client.force_login(anna)  # the form has its own tests, and takes its time
    session = client.cookies[settings.SESSION_COOKIE_NAME].value
    context.add_cookies(
        [{"name": settings.SESSION_COOKIE_NAME, "value": session, "url": live_server.url}]
    )
    return make_campaign(raters=(anna,))


@pytest.fixture
def judging(page: Page, context: BrowserContext, campaign: Campaign) -> Iterator[Page]:
    page.goto("/tasks/next/")
    ready(page)
    yield page
    # A save under way would meet the emptying of the database after the test.
    for opened in context.pages:
        expect(opened.locator("#saved[data-state=saving]")).to_have_count(0)


def ready(page: Page) -> None:
    """The page's modules have run."""
    expect(page.locator("#judging[data-ready]")).to_be_visible()


def on_item(page: Page, number: int) -> None:
    expect(page.locator(".task-head")).to_contain_text(f"item {number} ")
    ready(page)


def sentence(page: Page, number: int) -> Locator:
    return page.locator(f"#sentence-{number}")


def radio(page: Page, name: str) -> Locator:
    return page.get_by_role("radio", name=name)


def saved(page: Page) -> None:
    expect(page.locator("#saved")).to_have_text(SAVED)


def rows(criterion: str = "attributable") -> dict[int, bool | None]:
    return dict(
        Judgment.objects.filter(criterion=criterion)
        .order_by("target")
        .values_list("target", "value")
    )


def test_an_item_is_judged_with_the_mouse_alone(judging: Page) -> None:
    sentence(judging, 1).click()
    judging.wait_for_timeout(60)
    sentence(judging, 2).click()
    judging.wait_for_timeout(60)
    sentence(judging, 2).click()
    sentence(judging, 3).click(button="left")
    radio(judging, "Not attributable").click()
    judging.locator("#evidence-1").get_by_role("button", name=re.compile("^▲? ?Useful")).click()
    saved(judging)
    expect(judging.locator("#counts")).to_have_text("3 of 3 sentences · 1 of 2 evidence")
    assert rows() == {0: True, 1: False, 2: False}
    assert rows("useful") == {0: True}
    judging.get_by_role("button", name="Submit and next").click()
    on_item(judging, 2)
    assert Assignment.objects.submitted().count() == 1


def test_an_item_is_judged_with_the_keyboard_alone(judging: Page) -> None:
    keys = ["1", "j", "2", "ArrowDown", "Space", "Space", "]", "u", "[", "n", "u"]
    for key in keys:
        judging.keyboard.press(key)
    judging.keyboard.press("c")
    judging.keyboard.type("Hard: 1 or 2?")
    judging.keyboard.press("Escape")
    expect(sentence(judging, 3)).to_be_focused()
    saved(judging)
    judging.keyboard.press("Control+Enter")
    on_item(judging, 2)
    assert rows() == {0: True, 1: False, 2: False}
    assert rows("useful") == {0: True, 1: True}
    first = Assignment.objects.submitted().get()
    assert first.comment == "Hard: 1 or 2?"
    judging.keyboard.press("Alt+ArrowLeft")
    expect(judging).to_have_url(re.compile(f"/tasks/{first.pk}/$"))
    ready(judging)
    expect(sentence(judging, 2)).to_have_attribute("data-value", "false")
    judging.keyboard.press("Alt+ArrowRight")
    on_item(judging, 2)


def fast_clicks(page: Page, target: Locator, *, pause: int) -> None:
    box = target.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 60, box["y"] + 10)
    for count in (1, 2):
        page.mouse.down(click_count=count)
        page.mouse.up(click_count=count)
        page.wait_for_timeout(pause)


def test_a_quick_double_click_says_not_attributable_and_selects_no_text(judging: Page) -> None:
    fast_clicks(judging, sentence(judging, 1), pause=60)
    expect(sentence(judging, 1)).to_have_attribute("data-value", "false")
    saved(judging)
    assert rows() == {0: False}
    assert judging.evaluate("getSelection().toString()") == ""


def test_a_bouncing_mouse_button_counts_once(judging: Page) -> None:
    # Two clicks within 40 ms: made in the page, since the driver cannot be that quick for sure.
    judging.evaluate(
        """() => {
            const element = document.getElementById("sentence-1");
            for (const type of ["pointerdown", "click", "pointerdown", "click"]) {
                const about = {bubbles: true, detail: 1, clientX: 5, clientY: 5};
                const kind = type === "click" ? MouseEvent : PointerEvent;
                element.dispatchEvent(new kind(type, about));
            }
        }"""
    )
    expect(sentence(judging, 1)).to_have_attribute("data-value", "true")


def test_selecting_text_judges_nothing(judging: Page) -> None:
    box = sentence(judging, 1).bounding_box()
    assert box is not None
    judging.mouse.move(box["x"] + 30, box["y"] + 10)
    judging.mouse.down()
    judging.mouse.move(box["x"] + 120, box["y"] + 10, steps=5)
    judging.mouse.up()
    assert judging.evaluate("getSelection().toString()") != ""
    expect(sentence(judging, 1)).to_have_attribute("data-value", "")
    assert rows() == {}


def test_a_third_click_takes_the_answer_back(judging: Page) -> None:
    for _ in range(3):
        sentence(judging, 1).click()
        judging.wait_for_timeout(60)
    saved(judging)
    assert rows() == {0: None}


def test_undo_and_redo_save_like_any_answer(judging: Page) -> None:
    judging.keyboard.press("1")
    judging.keyboard.press("2")
    judging.keyboard.press("Control+z")
    expect(sentence(judging, 1)).to_have_attribute("data-value", "true")
    saved(judging)
    assert rows() == {0: True}
    judging.keyboard.press("Control+Shift+Z")
    expect(sentence(judging, 1)).to_have_attribute("data-value", "false")
    judging.wait_for_timeout(50)
    saved(judging)
    assert rows() == {0: False}


def fail(route: Route) -> None:
    route.abort()


def test_a_failed_save_is_shown_kept_and_sent_when_the_server_is_back(
    judging: Page, console_errors: list[str]
) -> None:
    judging.route("**/api/**", fail)
    sentence(judging, 1).click()
    expect(judging.locator("#saved")).to_contain_text("Not saved: no connection")
    assert rows() == {}
    judging.unroute("**/api/**")
    judging.get_by_role("button", name="Try now").click()
    saved(judging)
    assert rows() == {0: True}
    assert judging.evaluate("localStorage.length") == 0
    console_errors.clear()  # the browser logs the aborted request


def test_it_tries_again_by_itself(judging: Page, console_errors: list[str]) -> None:
    judging.route("**/api/**", fail, times=1)
    sentence(judging, 1).click()
    expect(judging.locator("#saved")).to_contain_text("Trying again in 1 s")
    saved(judging)
    assert rows() == {0: True}
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
    expect(sentence(again, 2)).to_have_attribute("data-value", "true")
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
    assert page.evaluate("localStorage.length") == 0


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
    expect(sentence(again, 1)).to_have_attribute("data-value", "false")
    assert again.evaluate("localStorage.length") == 0
    assert rows() == {0: False}


def test_a_tab_that_is_closed_while_it_saves_brings_the_answer_home(
    judging: Page, context: BrowserContext
) -> None:
    # The first request never comes back; what is sent at the close does.
    judging.route("**/api/**", lambda route: None, times=1)
    sentence(judging, 1).click()
    expect(judging.locator("#saved")).to_have_text("… Saving")
    judging.close(run_before_unload=False)
    context.new_page().wait_for_timeout(300)
    assert rows() == {0: True}


def test_leaving_with_an_unsaved_answer_asks_first_and_without_one_does_not(
    judging: Page, console_errors: list[str]
) -> None:
    asked: list[str] = []

    def stay(dialog: Any) -> None:
        asked.append(dialog.type)
        dialog.dismiss()

    judging.on("dialog", stay)
    judging.route("**/api/**", fail)
    sentence(judging, 1).click()
    expect(judging.locator("#saved")).to_contain_text("Not saved")
    judging.close(run_before_unload=True)
    judging.wait_for_timeout(200)
    assert asked == ["beforeunload"]
    judging.unroute("**/api/**")
    judging.get_by_role("button", name="Try now").click()
    saved(judging)
    judging.goto("/")
    assert asked == ["beforeunload"]
    console_errors.clear()


def test_handing_in_waits_for_what_is_not_saved(judging: Page, console_errors: list[str]) -> None:
    for number in (1, 2, 3):
        sentence(judging, number).click()
    saved(judging)
    judging.route("**/api/**", fail)
    judging.keyboard.press("2")
    judging.keyboard.press("Control+Enter")
    expect(judging.locator("#says")).to_contain_text("Not saved yet")
    assert Assignment.objects.submitted().count() == 0
    judging.unroute("**/api/**")
    judging.keyboard.press("Control+Enter")
    on_item(judging, 2)
    assert rows()[2] is False
    console_errors.clear()


def test_an_incomplete_item_is_not_handed_in_and_the_first_gap_gets_the_focus(
    judging: Page,
) -> None:
    sentence(judging, 1).click()
    judging.get_by_role("button", name="Submit and next").click()
    expect(judging.get_by_role("alert")).to_contain_text("Sentences 2, 3 are not judged")
    expect(sentence(judging, 2)).to_be_focused()
    judging.keyboard.press("1")
    judging.keyboard.press("g")
    expect(sentence(judging, 3)).to_be_focused()
    judging.keyboard.press("2")
    expect(judging.locator("#gaps")).to_be_hidden()


def test_keys_are_dead_in_the_comment_and_while_a_dialog_is_open(judging: Page) -> None:
    judging.locator("#comment").click()
    judging.keyboard.type("12un j0 gi?")
    expect(judging.locator("#comment")).to_have_value("12un j0 gi?")
    expect(judging.locator("dialog[open]")).to_have_count(0)
    judging.keyboard.press("Escape")
    judging.keyboard.press("i")
    expect(judging.get_by_role("dialog", name="Instructions")).to_be_visible()
    judging.keyboard.press("1")
    judging.keyboard.press("Escape")
    judging.keyboard.press("?")
    expect(judging.get_by_role("dialog", name="Keys")).to_be_visible()
    judging.keyboard.press("Escape")
    saved(judging)  # the comment
    assert rows() == {}
    assert rows("useful") == {}


def test_single_keys_can_be_switched_off(judging: Page) -> None:
    judging.keyboard.press("?")
    judging.get_by_label("Single keys are on").uncheck()
    judging.keyboard.press("Escape")
    judging.keyboard.press("1")
    expect(sentence(judging, 1)).to_have_attribute("data-value", "")
    judging.keyboard.press("ArrowDown")
    expect(sentence(judging, 2)).to_be_focused()


def test_arrows_in_the_toolbar_pass_no_wrong_state(judging: Page) -> None:
    radio(judging, "Not judged").focus()
    judging.keyboard.press("ArrowLeft")
    expect(radio(judging, "Not attributable")).to_be_focused()
    expect(sentence(judging, 1)).to_have_attribute("data-value", "")
    judging.keyboard.press("Space")
    expect(radio(judging, "Not attributable")).to_be_checked()
    saved(judging)
    assert rows() == {0: False}


def test_the_state_has_a_name_and_is_said_once_saved(judging: Page) -> None:
    judging.keyboard.press("j")
    judging.keyboard.press("2")
    expect(judging.locator("#says")).to_have_text(
        re.compile("sentence 2 of 3, not attributable, saved")
    )
    expect(judging.get_by_role("button", name="(not attributable)")).to_have_count(1)
    expect(judging.get_by_role("button", name="(not judged)")).to_have_count(2)


def test_evidence_is_rated_and_the_rating_taken_back(judging: Page) -> None:
    useful = judging.locator("#evidence-2").get_by_role("button", name="Not useful")
    useful.click()
    expect(useful).to_have_attribute("aria-pressed", "true")
    useful.click()
    expect(useful).to_have_attribute("aria-pressed", "false")
    saved(judging)
    assert rows("useful") == {1: None}


def test_only_web_addresses_become_links_and_markup_stays_text(judging: Page) -> None:
    links = judging.locator(".evidence a")
    expect(links).to_have_count(1)
    expect(links).to_have_attribute("href", "https://bridge.example/history")
    expect(links).to_have_attribute("rel", "noopener noreferrer nofollow")
    expect(judging.locator("#evidence-2")).to_contain_text("<b>Paint</b>")


def test_a_closed_campaign_says_so_and_keeps_the_answer_in_the_browser(
    judging: Page, campaign: Campaign, console_errors: list[str]
) -> None:
    close_campaign(campaign)
    sentence(judging, 1).click()
    expect(judging.locator("#saved")).to_contain_text("This campaign is closed")
    assert judging.evaluate("localStorage.length") == 1
    judging.reload()
    expect(judging.get_by_text("This campaign is closed.")).to_be_visible()
    expect(judging.locator("#saved")).to_contain_text("This campaign is closed")
    reopen_campaign(campaign)
    judging.reload()
    saved(judging)
    assert rows() == {0: True}
    console_errors.clear()


def test_on_a_phone_everything_fits_and_the_focus_is_never_behind_the_footer(
    judging: Page,
) -> None:
    judging.set_viewport_size({"width": 390, "height": 700})
    wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert judging.evaluate(wide) == 0
    footer = judging.locator(".task-bar").bounding_box()
    assert footer is not None
    for number in (1, 2, 3):
        judging.keyboard.press("1")
        box = sentence(judging, number).bounding_box()
        assert box is not None
        assert box["y"] + box["height"] <= footer["y"]
        judging.keyboard.press("j")
    judging.keyboard.press("]")
    box = judging.locator("#evidence-2").bounding_box()
    assert box is not None
    assert box["y"] < footer["y"]
    saved(judging)
    assert rows() == {0: True, 1: True, 2: True}


def test_a_draft_made_of_a_submitted_item_says_so(judging: Page) -> None:
    assignment = Assignment.objects.get()
    judge_everything(assignment)
    judging.reload()
    ready(judging)
    expect(judging.get_by_text("You have handed this item in.")).to_be_visible()
    judging.keyboard.press("2")
    saved(judging)
    expect(judging.get_by_text("You have handed this item in.")).to_be_visible()
    judging.keyboard.press("0")
    expect(judging.get_by_role("alert")).to_have_text(
        "You took an answer back, so this item is a draft again. Sentence 1 is not judged."
    )
    expect(judging.get_by_text("You have handed this item in.")).to_be_hidden()


def test_late_work_says_so_on_the_page(judging: Page, campaign: Campaign) -> None:
    Assignment.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    for other in (make_user(), make_user()):
        add_member(campaign, user=other)
        claim_next(other, campaign=campaign)
    expect(judging.get_by_text("Another rater has this item now")).to_be_hidden()
    judging.keyboard.press("1")
    expect(judging.get_by_text("Another rater has this item now")).to_be_visible()
    assert rows() == {0: True}


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
