"""Every page, light and dark, passes axe-core."""

import contextlib
import itertools
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Literal

import pytest
from django.template.loader import render_to_string
from django.test import Client
from playwright.sync_api import BrowserContext, Page, Route
from pytest_django.live_server_helper import LiveServer

from rarrweb.accounts.models import User
from tests.browser.chromium import a_browser, new_context
from tests.browser.every_page import Visit, visits
from tests.browser.logged_in import Cookie, session_cookie

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

OF_SIZE = ["scrollable-region-focusable", "target-size"]
"""Rules that can be broken on a narrow page and kept on a wide one."""
OF_COLOUR = ["color-contrast", "link-in-text-block"]
"""Rules that can be broken in the dark and kept in the light, or the other way round."""


@cache
def source() -> str:
    return files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")


def violations(page: Page, only: list[str] | None = None) -> list[str]:
    """Return a line per element that breaks a rule."""
    if not page.evaluate("typeof axe === 'object'"):
        page.evaluate(f"{source()}; undefined")
    answer = page.evaluate(
        "runOnly => axe.run(document, {runOnly, resultTypes: ['violations']})",
        {"type": "rule", "values": only} if only else {"type": "tag", "values": TAGS},
    )
    return [_line(rule, node) for rule in answer["violations"] for node in rule["nodes"]]


def _line(rule: dict[str, Any], node: dict[str, Any]) -> str:
    where = " ".join(str(part) for part in node["target"])
    why = " ".join(str(node.get("failureSummary", rule["help"])).split())
    return f"{rule['id']} at {where}: {why}"


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
RULES: dict[Literal["light", "dark"], list[str] | None] = {"light": None, "dark": OF_COLOUR}
"""Each scheme, and which rules are asked in it: None is all."""
FEWEST = 138
"""So many pages were walked when it began to be counted; there may be more."""
REFUSALS = ["400", "403", "403_csrf", "500", "503"]
"""Templates of answers that no address gives when asked for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    cookies: list[Cookie]
    visits: list[Visit]


@pytest.mark.page_only
def test_no_page_breaks_a_rule_light_or_dark(live_server: LiveServer) -> None:
    every = visits()
    rounds = [
        Round(cookies=cookies_of(who, live_server.url), visits=list(theirs))
        for who, theirs in itertools.groupby(every, key=lambda visit: visit.who)
    ]
    # Side by side: while one browser asks the server, the other one's page is looked at.
    halves = [*shared_out(rounds)]
    with ThreadPoolExecutor(len(halves)) as browsers:
        result = [*browsers.map(lambda half: walk(half, live_server.url), halves)]
    checked = Counter(view for looks, _ in result for view in looks)
    assert checked == Counter(f"{each} [{scheme}]" for each in every for scheme in RULES)
    assert checked.total() >= 2 * FEWEST
    faults = [line for _, lines in result for line in lines]
    if faults:
        pytest.fail("\n".join(faults))


def shared_out(rounds: Iterable[Round]) -> list[list[Round]]:
    shares: list[list[Round]] = [[], []]
    for each in sorted(rounds, key=lambda each: -len(each.visits)):
        min(shares, key=lambda share: sum(len(other.visits) for other in share)).append(each)
    return shares


def walk(rounds: Iterable[Round], url: str) -> tuple[list[str], list[str]]:
    """Visit all pages; return those visited and the violations."""
    looks, faults = [], []
    with a_browser() as browser:
        context = new_context(browser, base_url=url, viewport=WIDE)
        context.add_init_script(source())
        for each in rounds:
            page = begin(context, each, url)
            for visit in each.visits:
                for view, lines in check_page(page, visit):
                    looks += [view] if view else []
                    faults += lines
            page.close()
    return looks, faults


def begin(context: BrowserContext, person: Round, url: str) -> Page:
    page = context.new_page()
    context.clear_cookies()
    forget = {"origin": url, "storageTypes": "all"}
    context.new_cdp_session(page).send("Storage.clearDataForOrigin", forget)
    context.add_cookies(person.cookies)
    return page


def check_page(page: Page, visit: Visit) -> Iterator[tuple[str, list[str]]]:
    go(page, visit)
    for scheme, only in RULES.items():
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        name = f"{visit} [{scheme}]"
        yield name, [f"{visit}: {line} [{scheme}]" for line in violations(page, only=only)]
    for size in NARROW:
        page.set_viewport_size(size)
        if wide := page.evaluate(TOO_WIDE):
            yield "", [f"{visit}: {wide} [{size['width']} px]"]
    yield "", [f"{visit}: {line} [390 px]" for line in violations(page, only=OF_SIZE)]
    page.set_viewport_size(WIDE)


def go(page: Page, visit: Visit) -> None:
    answer = page.goto(visit.path)
    assert answer is not None
    assert answer.status == visit.status, f"{visit}: {visit.path} answers {answer.status}"
    if page.locator("#judging").count():
        page.locator("#judging[data-ready]").wait_for()
    for name, text in visit.fills.items():
        page.locator(f"main :is([name={name}], #{name})").first.fill(text)
    with page.expect_navigation() if visit.leads_on else contextlib.nullcontext():
        for selector in visit.clicks:
            page.locator(selector).first.click()
    if visit.fills or visit.clicks:
        page.wait_for_load_state("networkidle")


def cookies_of(who: User | Client | None, url: str) -> list[Cookie]:
    return [] if who is None else [session_cookie(who, url)]


@pytest.mark.page_only
def test_no_refusal_breaks_a_rule(context: BrowserContext) -> None:
    def answer(route: Route) -> None:
        name = route.request.url.rpartition("/")[2]
        route.fulfill(body=render_to_string(f"{name}.html", {}), content_type="text/html")

    page = context.new_page()
    page.route("**/refused/*", answer)
    for name in REFUSALS:
        page.goto(f"/refused/{name}")
        assert page.locator("h1").is_visible()
        for scheme, only in RULES.items():
            page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
            assert violations(page, only=only) == [], name


@pytest.mark.page_only
def test_a_page_with_faults_is_detected(context: BrowserContext) -> None:
    page = context.new_page()
    page.goto("/log-in/")
    assert violations(page) == []
    page.evaluate("document.querySelector('label').remove()")
    assert any(line.startswith("label at") for line in violations(page))
    page.goto("/log-in/")
    page.evaluate("document.querySelector('h1').style.color = '#ddd'")
    assert any(line.startswith("color-contrast at") for line in violations(page))


TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
