"""A rater trains, does not pass, tries again, passes and gets real items; gold looks like any."""

import os
import re
from pathlib import Path

import pytest
from django.conf import settings
from django.test import Client
from playwright.sync_api import BrowserContext, Page, expect
from pytest_django.live_server_helper import LiveServer

from annotation.judging.claims import NoTask, claim_next
from annotation.models import Assignment, Campaign, Judgment, TrainingTry
from annotation.quality.reference_answers import in_use
from rarrweb.accounts.models import User
from tests.browser.judging import ready, saved, take_next
from tests.browser.widths import expect_fits
from tests.support.campaigns import make_campaign
from tests.support.factories import make_user
from tests.support.reference_answers import RIGHT, judge_next, put_in_use, set_checks

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

KEYS = {1: "1", 0: "2"}
WRONG = (0, 0, 1)


def log_in_as(user: User, context: BrowserContext, live_server: LiveServer) -> None:
    client = Client()
    client.force_login(user)  # the form has its own tests, and takes its time
    session = client.cookies[settings.SESSION_COOKIE_NAME].value
    context.add_cookies(
        [{"name": settings.SESSION_COOKIE_NAME, "value": session, "url": live_server.url}]
    )


@pytest.fixture
def campaign(context: BrowserContext, live_server: LiveServer) -> Campaign:
    """Eight items: 2 and 5 train, 3 and 6 are gold, one of two; anna is its rater."""
    anna = make_user("anna")
    made = make_campaign(passages=8, raters=(anna,))
    for position, use in ((2, "training"), (5, "training"), (3, "gold"), (6, "gold")):
        put_in_use(made, position, use)
    set_checks(made, gold_every=2)
    log_in_as(anna, context, live_server)
    return made


def keep(page: Page, name: str) -> None:
    """Pictures, where somebody asked for pictures."""
    if not (folder := os.environ.get("RARR_PICTURES")):
        return
    for width in (1280, 390):
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            page.set_viewport_size({"width": width, "height": 900})
            page.wait_for_timeout(200)  # colours change by and by
            page.screenshot(path=Path(folder) / f"{name}-{width}-{scheme}.png", full_page=True)
    page.emulate_media(color_scheme="light")
    page.set_viewport_size({"width": 1280, "height": 800})


def fits(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    expect_fits(page)
    page.set_viewport_size({"width": 1280, "height": 800})


def judge_by_keys(page: Page, values: tuple[int, ...]) -> None:
    ready(page)
    page.locator("#sentence-1").focus()
    for place, value in enumerate(values):
        if place:
            page.keyboard.press("ArrowDown")
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
    expect(page.locator(".task-head")).to_contain_text("training · item 1 of 2")
    expect(page.locator("#training")).to_contain_text("After you submit, you see the right answers")
    expect(page.get_by_role("button", name="Can’t judge")).to_have_count(0)
    keep(page, "training-item")
    judge_by_keys(page, WRONG)
    expect(page.get_by_role("heading", level=1)).to_have_text("0 of 3 right")
    expect(page.locator("main")).to_contain_text("Why 2.")
    assert page.evaluate("scrollY") == 0
    expect(page.get_by_role("heading", level=1)).to_be_focused()  # read from the top
    expect(page.get_by_role("button", name="Next training item")).to_be_in_viewport()
    keep(page, "training-feedback")
    fits(page, 390)
    page.keyboard.press("Tab")  # the evidence once more
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    judge_by_mouse(page, RIGHT)
    expect(page.get_by_role("heading", level=1)).to_have_text("All right")
    page.get_by_role("link", name="Training results").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Not passed yet")
    expect(page.locator("main")).to_contain_text("3 of 6 answers were right; 80 % are asked for")
    keep(page, "training-not-passed")
    fits(page, 390)
    page.goto("/tasks/next/")  # no way round
    expect(page.get_by_role("heading", level=1)).to_have_text("Not passed yet")
    page.get_by_role("button", name="Try again").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#training")).to_contain_text("try 2")
    expect(page.locator(".s[data-value='']")).to_have_count(3)
    judge_by_mouse(page, RIGHT)
    page.get_by_role("button", name="Next training item").click()
    judge_by_keys(page, RIGHT)
    page.get_by_role("link", name="Training results").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Training passed")
    keep(page, "training-passed")
    page.get_by_role("button", name="Go on to the items").click()
    ready(page)
    expect(page.locator(".task-head")).to_contain_text("item 1")
    expect(page.locator(".task-head")).not_to_contain_text("training")
    assert list(TrainingTry.objects.values_list("right", "judged", "has_passed")) == [
        (3, 6, False),
        (6, 6, True),
    ]
    assert Judgment.objects.filter(assignment__slot__isnull=False).count() == 0


SKELETON = """() => [...document.querySelectorAll("main, main *")].map((element) => [
  element.tagName,
  ...[...element.attributes].map((each) => `${each.name}=${each.value}`).sort(),
].join(" "))"""


def skeleton(page: Page, address: str) -> list[str]:
    """Every element of the page with its attributes; numbers and tokens masked, texts left out."""
    page.goto(address)
    ready(page)
    lines: list[str] = page.evaluate(SKELETON)
    return [re.sub(r"\d+", "#", re.sub(r"value=\w{32,}", "value=token", line)) for line in lines]


def test_gold_looks_like_any_other(page: Page, campaign: Campaign) -> None:
    rater = User.objects.get(username="anna")
    for _ in range(6):  # two train; then four, of which two are gold
        judge_next(rater, campaign)
    handed_in = Assignment.objects.submitted().filter(rater=rater).order_by("pk")
    # Neither the first nor the last: those lack a way back, or on.
    middle = handed_in.exclude(purpose="training")[1:3]
    by_purpose = {each.purpose: each for each in middle}
    if len(by_purpose) < 2:  # both of a kind: the last item has a way on to the next, too
        by_purpose = {each.purpose: each for each in handed_in.exclude(purpose="training")[1:]}
    pages = {
        purpose: skeleton(page, each.get_absolute_url()) for purpose, each in by_purpose.items()
    }
    assert set(pages) == {"", "gold"}
    assert without_the_ways_on(pages["gold"]) == without_the_ways_on(pages[""])
    assert all("gold" not in line.lower() for line in pages["gold"])
    expect(page.locator("main")).not_to_contain_text("gold", ignore_case=True)


def without_the_ways_on(lines: list[str]) -> list[str]:
    return [line for line in lines if "data-next" not in line and "data-previous" not in line]


def test_the_researcher_makes_an_item_gold_and_reads_accuracy(
    page: Page, context: BrowserContext, live_server: LiveServer, campaign: Campaign
) -> None:
    rater = User.objects.get(username="anna")
    for turn in range(6):
        judge_next(rater, campaign, RIGHT if turn < 2 else (1, (turn + 1) % 2, 1))
    set_checks(campaign, pause_percent=70, pause_targets=6)
    assert isinstance(claim_next(rater, campaign=campaign), NoTask)  # paused
    log_in_as(make_user("ruth", role=User.Role.RESEARCHER), context, live_server)
    page.goto(campaign.get_absolute_url())
    attention = page.get_by_role("listitem").filter(has_text="1 rater waits for you")
    attention.get_by_role("link", name="Review").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Training and gold")
    expect(page.locator("svg.accuracy-line")).to_be_visible()
    keep(page, "checks")
    fits(page, 390)
    expect(page.locator("main")).to_contain_text("of the last 6 gold answers were right")
    page.get_by_role("button", name="Resume anna").click()
    expect(page.locator(".messages")).to_contain_text("anna can go on")
    item = campaign.items.get(position=8)
    page.goto(f"/campaigns/{campaign.slug}/checks/items/{item.pk}/")
    keep(page, "right-answers")
    fits(page, 390)
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("alert")).to_contain_text("Give the right answer to at least one")
    first = page.locator("section[aria-labelledby=target-1]")
    first.get_by_role("radio", name="fully attributable").focus()
    page.keyboard.press("Space")
    page.keyboard.press("Tab")
    page.keyboard.type("The evidence says so.")
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".messages")).to_contain_text("Item 8 is a gold item now.")
    assert in_use(campaign).filter(position=8, use="gold").exists()
    page.get_by_role("button", name="Remove item 8").click()
    expect(page.locator(".messages")).to_contain_text("Item 8 is out of use")
