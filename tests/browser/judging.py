"""What the tests of the judging page share: a rater on an item, and words for its parts."""

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect
from pytest_django.live_server_helper import LiveServer

from annotation.judging.claims import claim_next
from annotation.models import Assignment, Campaign, Judgment
from rarrweb.accounts.models import User
from tests.browser.logged_in import log_in_as
from tests.support.campaigns import make_campaign, make_judgeable_run
from tests.support.factories import make_user
from tests.support.kinds import make_citing_run

SAVED = re.compile(r"✓ Saved \d\d:\d\d")

Open = Callable[..., Page]


@pytest.fixture
def campaign(context: BrowserContext, live_server: LiveServer) -> Campaign:
    """A campaign of two items, and its rater logged in."""
    anna = make_user("anna")
    log_in_as(context, anna, live_server.url)
    return make_campaign(raters=(anna,))


@pytest.fixture
def open_item(page: Page, context: BrowserContext, live_server: LiveServer) -> Iterator[Open]:
    """Start a campaign of a kind, and go to its first item as its rater."""

    def _open(kind: str, *, sides: str = "after", **chosen: Any) -> Page:
        anna = make_user("anna")
        log_in_as(context, anna, live_server.url)
        if "run" not in chosen:
            citing = kind in {"answer_quality", "citation"}
            chosen["run"] = make_citing_run() if citing else make_judgeable_run()
        make_campaign(raters=(anna,), questionnaire=kind, sides=sides, **chosen)
        go_to_next(page, anna)
        return page

    yield _open
    for opened in context.pages:
        expect(opened.locator("#saved[data-state=saving]")).to_have_count(0)


@pytest.fixture
def judging(page: Page, context: BrowserContext, campaign: Campaign) -> Iterator[Page]:
    go_to_next(page, User.objects.get(username="anna"))
    yield page
    # A save under way would meet the emptying of the database after the test.
    for opened in context.pages:
        expect(opened.locator("#saved[data-state=saving]")).to_have_count(0)


@pytest.fixture
def revising(open_item: Open) -> Page:
    """The first item of a manual revision."""
    return open_item("manual_revision", sides="before")


def go_to_next(page: Page, rater: User) -> None:
    """Claim the rater's next item, and open its page."""
    claimed = claim_next(rater)
    assert isinstance(claimed, Assignment)
    page.goto(claimed.get_absolute_url())
    ready(page)


def take_next(page: Page) -> None:
    """Claim a first item by the page's button; nothing may be in hand."""
    page.goto("/tasks/next/")
    page.get_by_role("button", name="Get the next item").click()


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


def stored_operations(page: Page) -> int:
    """How many operations this browser's log holds, wherever it keeps them."""
    result: int = page.evaluate(
        """() => new Promise((resolve, reject) => {
            const ours = (key) => key.startsWith("rarrweb-unsaved");
            const plain = Object.keys(localStorage).filter(ours);
            const request = indexedDB.open("rarrweb-changes", 1);
            request.onerror = () => reject(request.error);
            request.onsuccess = () => {
                const database = request.result;
                const count = database.transaction("changes").objectStore("changes").count();
                count.onsuccess = () => {
                    database.close();
                    resolve(count.result + plain.length);
                };
            };
        })"""
    )
    return result


def wait_until(holds: Callable[[], bool], page: Page) -> None:
    """Until the server has it; a minute at least."""
    for _ in range(1200):
        if holds():
            return
        page.wait_for_timeout(50)
    raise AssertionError("It never came.")
