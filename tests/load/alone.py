"""Costs of pages on a nearly finished campaign, one request at a time."""

import time
from collections.abc import Mapping

from tests.load.browser import Browser, HttpFailure
from tests.load.filling import PASSWORD
from tests.load.rater import SimulatedRater
from tests.load.timings import Timings

ITEMS_JUDGED = 40
VIEWS = 21
NOW = "figures=now"
RATER = "rater-002"
"""One with a history, and with nothing begun and left."""


def measure(url: str, *, campaign: str) -> tuple[Timings, list[str]]:
    timings = Timings()
    first = Timings()
    errors: list[str] = []
    for name, into, items in (
        ("newcomer", first, 1),
        (RATER, timings, ITEMS_JUDGED),
    ):
        rater = SimulatedRater(
            url=url,
            username=name,
            password=PASSWORD,
            campaign=campaign,
            think=0.0,
            seed=1,
            timings=into,
        )
        rater.log_in()
        rater.work(until=time.monotonic() + 600, items=items)
        errors += rater.errors
    for seconds in first.of("next task"):
        timings.add("next task, newcomer", seconds)
    try:
        _views(url, campaign, timings)
    except HttpFailure as error:
        errors.append(str(error))
    return timings, errors


def _views(url: str, campaign: str, timings: Timings) -> None:
    researcher = logged_in(url, "researcher")
    rater = logged_in(url, RATER)
    pages = {
        "campaign page": (researcher, f"/campaigns/{campaign}/"),
        "reliability": (researcher, f"/campaigns/{campaign}/reliability/"),
        "home, researcher": (researcher, "/"),
        "campaigns": (researcher, "/campaigns/"),
        "adjudication queue": (researcher, f"/adjudicate/?campaign={campaign}"),
        "home, rater": (rater, "/"),
        "own campaign": (rater, f"/campaigns/{campaign}/"),
    }
    view_pages(pages, timings)
    researcher.close()
    rater.close()


def view_pages(pages: Mapping[str, tuple[Browser, str]], timings: Timings) -> None:
    """Time the first view of each page, later views, and requests for statistics."""
    for name, (browser, path) in pages.items():
        page = browser.get(path)
        timings.add(f"{name}, first", page.seconds)
        if NOW in page.text:
            figures = browser.get(f"{path}{'&' if '?' in path else '?'}{NOW}")
            timings.add(f"{name}, figures", figures.seconds)
        for _ in range(VIEWS - 1):
            timings.add(name, browser.get(path).seconds)


def logged_in(url: str, name: str) -> Browser:
    browser = Browser(url=url)
    browser.get("/log-in/")
    browser.post_form("/log-in/", login=name, password=PASSWORD, next="")
    return browser
