"""A rater fails the training, repeats it, passes and gets real items."""

import pytest
from playwright.sync_api import BrowserContext, Page, expect
from pytest_django.live_server_helper import LiveServer

from annotation.models import Campaign, Judgment, TrainingAttempt
from tests.browser.judging import ready, saved, take_next
from tests.browser.logged_in import log_in_as
from tests.support.campaigns import make_campaign
from tests.support.factories import make_user
from tests.support.reference_answers import RIGHT, put_in_use, set_checks

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

KEYS = {1: "1", 0: "2"}
WRONG = (0, 0, 1)


@pytest.fixture
def campaign(context: BrowserContext, live_server: LiveServer) -> Campaign:
    """Of eight items, five train, three of them first, and 3 and 6 are gold."""
    anna = make_user("anna")
    made = make_campaign(passages=8, raters=(anna,))
    for position in (2, 4, 5, 7, 8):
        put_in_use(made, position, "training")
    for position in (3, 6):
        put_in_use(made, position, "gold")
    set_checks(made, gold_every=2, attempts=2)
    log_in_as(context, anna, live_server.url)
    return made


def judge_by_keys(page: Page, values: tuple[int, ...]) -> None:
    ready(page)
    page.locator("#sentence-1").focus()
    for value in values:
        page.keyboard.press(KEYS[value])
    saved(page)
    page.keyboard.press("Control+Enter")


def judge_by_mouse(page: Page, values: tuple[int, ...]) -> None:
    ready(page)
    for number, value in enumerate(values, start=1):
        page.locator(f"#sentence-{number}").click()
        if not value:
            page.wait_for_timeout(60)  # a bounce is no click
            page.locator(f"#sentence-{number}").click()
    saved(page)
    page.get_by_role("button", name="Submit and next").click()


def test_train_fail_try_again_pass_and_go_on(page: Page, campaign: Campaign) -> None:
    take_next(page)
    expect(page.locator(".task-head")).to_contain_text("training · item 1 of 3")
    expect(page.locator("#training")).to_contain_text("After you submit, you see the right answers")
    expect(page.get_by_role("button", name="Can’t judge")).to_have_count(0)
    judge_by_keys(page, WRONG)
    expect(page.get_by_role("heading", level=1)).to_have_text("0 of 3 right")
    expect(page.locator("main")).to_contain_text("Why 2.")
    assert page.evaluate("scrollY") == 0
    expect(page.get_by_role("heading", level=1)).to_be_focused()  # read from the top
    expect(page.get_by_role("button", name="Next training item")).to_be_in_viewport()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    judge_by_mouse(page, RIGHT)
    expect(page.get_by_role("heading", level=1)).to_have_text("All right")
    page.get_by_role("button", name="Next training item").click()
    judge_by_keys(page, RIGHT)
    page.get_by_role("link", name="Training results").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Not passed yet")
    expect(page.locator("main")).to_contain_text("6 of 9 answers were right; you need 80 % to pass")
    page.goto("/tasks/next/")  # no way round
    expect(page.get_by_role("heading", level=1)).to_have_text("Not passed yet")
    page.get_by_role("button", name="Try again").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#training")).to_contain_text("attempt 2")
    expect(page.locator(".s[data-value='']")).to_have_count(3)
    judge_by_mouse(page, RIGHT)
    page.get_by_role("button", name="Next training item").click()
    judge_by_keys(page, RIGHT)
    page.get_by_role("link", name="Training results").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Training passed")
    page.get_by_role("button", name="Go on to the items").click()
    ready(page)
    expect(page.locator(".task-head")).to_contain_text("item 1")
    expect(page.locator(".task-head")).not_to_contain_text("training")
    assert list(TrainingAttempt.objects.values_list("right", "judged", "has_passed")) == [
        (6, 9, False),
        (6, 6, True),
    ]
    assert Judgment.objects.filter(assignment__slot__isnull=False).count() == 0
