"""Chromium for the browser tests: one process a session, a fresh profile a test.

A page that logs an error to the console, or breaks the content security policy, fails its
test. Where Chromium is missing the tests are skipped and the summary says so; with
RARR_FORBID_SKIPS=1 (CI) that is a failure.
"""

import os
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect
from pytest_django.live_server_helper import LiveServer

from rarrweb.accounts.models import User
from tests.browser.chromium import PATIENCE_MS, a_browser, new_context
from tests.browser.live_site import LiveSite
from tests.browser.logged_in import log_in_as
from tests.support.installation import Installation, running_installation

# Playwright's sync API runs an event loop in this thread, and Django would refuse to query.
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
expect.set_options(timeout=PATIENCE_MS)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with a_browser() as started:
        yield started


@pytest.fixture(scope="session")
def live_site() -> Iterator[LiveSite]:
    site = LiveSite()
    yield site
    site.stop()


@pytest.fixture
def live_server(live_site: LiveSite) -> Iterator[LiveSite]:
    """One server for all tests; requests end before the tables are emptied."""
    live_site.gate.open()
    yield live_site
    live_site.gate.close()


@pytest.fixture
def context(browser: Browser, live_server: LiveServer) -> Iterator[BrowserContext]:
    opened = new_context(browser, base_url=live_server.url, viewport={"width": 1280, "height": 800})
    yield opened
    opened.close()


@pytest.fixture
def console_errors() -> list[str]:
    """Errors that pages logged; clear the list if they are expected."""
    return []


@pytest.fixture
def page(context: BrowserContext, console_errors: list[str]) -> Iterator[Page]:
    opened = context.new_page()
    opened.on("console", lambda m: console_errors.append(m.text) if m.type == "error" else None)
    opened.on("pageerror", lambda error: console_errors.append(str(error)))
    yield opened
    assert console_errors == []


@pytest.fixture
def ruth(context: BrowserContext, live_server: LiveServer, researcher: User) -> None:
    """Log in a researcher without opening a page."""
    log_in_as(context, researcher, live_server.url)


@pytest.fixture(scope="session")
def installation() -> Iterator[Installation]:
    """One installation with a real worker for all tests."""
    with running_installation() as made:
        yield made


@pytest.fixture
def road(browser: Browser, installation: Installation, console_errors: list[str]) -> Iterator[Page]:
    """Log in as a researcher of the installation."""
    context = new_context(browser, base_url=installation.url, accept_downloads=True)
    page = context.new_page()
    page.on("console", lambda m: console_errors.append(m.text) if m.type == "error" else None)
    name, password = installation.logins["researcher"]
    page.goto("/")
    page.get_by_label("User name").fill(name)
    page.get_by_label("Password").fill(password)
    page.keyboard.press("Enter")
    expect(page.get_by_role("link", name="Home")).to_have_attribute("aria-current", "page")
    yield page
    assert console_errors == []
    context.close()
