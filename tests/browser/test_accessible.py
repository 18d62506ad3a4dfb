"""Every page, light and dark, breaks no rule of axe-core; and no page is forgotten."""

import itertools
import os
import sys
from collections.abc import Iterable, Iterator

import pytest
from django.conf import settings
from django.template.loader import render_to_string
from django.test import Client
from playwright.sync_api import Browser, BrowserContext, Page
from pytest_django.live_server_helper import LiveServer

from rarrweb.accounts.models import User
from tests.browser.axe import OF_SIZE, violations
from tests.browser.conftest import wait_for_quiet
from tests.browser.every_page import NO_PAGES, Visit, visits
from tests.factories import make_user
from tests.rarrweb.test_security import ADDRESSES

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

WIDE, PHONE = {"width": 1280, "height": 800}, {"width": 390, "height": 800}
NARROW = [{"width": 640, "height": 512}, {"width": 320, "height": 640}, PHONE]
"""At 200 % of a laptop's screen, at 400 %, and on a phone, which comes last."""
TOO_WIDE = """() => {
    const room = document.scrollingElement.clientWidth;
    if (document.scrollingElement.scrollWidth <= room) return "";
    const wide = [...document.querySelectorAll("main *")].filter(
        (element) => element.getBoundingClientRect().right > room + 1);
    const names = wide.map((each) => `${each.tagName}.${each.className}`).slice(0, 5);
    return `wider than the window: ${names}`;
}"""
REFUSALS = ["400", "403", "403_csrf", "500"]
"""Templates of answers that no address gives when asked for it."""


@pytest.mark.timeout(900)
def test_no_page_breaks_a_rule_light_or_dark(
    browser: Browser, live_server: LiveServer, requests_under_way: set[int]
) -> None:
    found = []
    for who, their_visits in itertools.groupby(visits(), key=lambda visit: visit.who):
        context = context_of(browser, live_server, who)
        found += [f"{visit}: {line}" for visit, line in walk(context.new_page(), their_visits)]
        context.close()
    wait_for_quiet(requests_under_way)
    if found:
        pytest.fail("\n".join(found))


def walk(page: Page, their_visits: Iterable[Visit]) -> Iterator[tuple[Visit, str]]:
    """What is wrong with each page: light, dark, and in its sizes on a phone."""
    for visit in their_visits:
        go(page, visit)
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
            yield from ((visit, f"{line} [{scheme}]") for line in violations(page))
        for size in NARROW:
            page.set_viewport_size(size)
            if page.evaluate(TOO_WIDE):
                yield visit, f"{page.evaluate(TOO_WIDE)} [{size['width']} px]"
        yield from ((visit, f"{line} [390 px]") for line in violations(page, only=OF_SIZE))
        page.set_viewport_size(WIDE)
        if os.environ.get("RARR_SAY_PAGES"):
            sys.stderr.write(f"{visit}\n")


def go(page: Page, visit: Visit) -> None:
    """Open the page, fill and press what the visit says, and let it come to rest."""
    answer = page.goto(visit.path)
    assert answer is not None
    assert answer.status == visit.status, f"{visit}: {visit.path} answers {answer.status}"
    if page.locator("#judging").count():
        page.locator("#judging[data-ready]").wait_for()
    for name, text in visit.fills.items():
        page.locator(f"main [name={name}]").fill(text)
    for selector in visit.clicks:
        page.locator(selector).first.click()
    if visit.fills or visit.clicks:
        page.wait_for_load_state("networkidle")


def context_of(
    browser: Browser, live_server: LiveServer, who: User | Client | None
) -> BrowserContext:
    context = browser.new_context(base_url=live_server.url, viewport=WIDE)
    context.set_default_timeout(30_000)
    if who is None:
        return context
    client = who if isinstance(who, Client) else Client()
    if isinstance(who, User):
        client.force_login(who)
    session = client.cookies[settings.SESSION_COOKIE_NAME].value
    context.add_cookies(
        [{"name": settings.SESSION_COOKIE_NAME, "value": session, "url": live_server.url}]
    )
    return context


@pytest.mark.parametrize("name", REFUSALS)
def test_no_refusal_breaks_a_rule(context: BrowserContext, name: str) -> None:
    page = context.new_page()
    text = render_to_string(f"{name}.html", {})
    page.route("**/refused/", lambda route: route.fulfill(body=text, content_type="text/html"))
    page.goto("/refused/")
    assert page.locator("h1").is_visible()
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        assert violations(page) == []


def test_a_page_with_faults_is_told_apart(context: BrowserContext) -> None:
    page = context.new_page()
    page.goto("/log-in/")
    assert violations(page) == []
    page.evaluate("document.querySelector('label').remove()")
    assert any(line.startswith("label at") for line in violations(page))
    page.goto("/log-in/")
    page.evaluate("document.querySelector('h1').style.color = '#ddd'")
    assert any(line.startswith("color-contrast at") for line in violations(page))


def test_no_page_is_forgotten(client: Client) -> None:
    """An address that is not visited takes no GET, or is said to show no page."""
    ours = {name: path for name, path in ADDRESSES if not name.startswith("admin:")}
    visited = {visit.name for visit in visits()} - {"error"}
    assert visited <= ours.keys(), "a visit to an address that is not there"
    assert ours.keys() >= NO_PAGES
    assert not NO_PAGES & visited
    client.force_login(make_user("all-seeing", role=User.Role.ADMINISTRATOR))
    forgotten = {
        name
        for name in ours.keys() - visited - NO_PAGES
        if client.get(f"/{ours[name]}").status_code != 405
    }
    assert forgotten == set()
