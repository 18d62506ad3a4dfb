"""Starts Chromium headless and offline."""

import contextlib
import os
import shutil
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


PATIENCE_MS = 60_000
"""How long a page and its elements are waited for: other work may keep all processors busy."""

NAMES = [
    "chromium-headless-shell",  # the same engine with no windows: a page takes a third of the time
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
]


def chromium_path() -> str | None:
    return next(filter(None, map(shutil.which, NAMES)), None)


@contextlib.contextmanager
def a_browser() -> Iterator[Browser]:
    """Start a Chromium for one thread, or skip the test if there is none."""
    path = chromium_path()
    if path is None:
        if os.environ.get("RARR_FORBID_SKIPS") == "1":
            pytest.fail("Chromium is missing and skips are forbidden.")
        pytest.skip("CHROMIUM IS MISSING: no browser test ran. Install chromium-headless-shell.")
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield started
        started.close()


def new_context(browser: Browser, **options: Any) -> BrowserContext:
    context = browser.new_context(**options)
    context.set_default_timeout(PATIENCE_MS)
    return context


OUTSIDE = """tables => [...document.querySelectorAll(tables)].flatMap((table) => {
    const edge = table.parentElement.getBoundingClientRect().right + 1;
    const inside = table.querySelectorAll("th, td, td *, tbody th *");
    return [...inside].filter((each) => !each.closest(".sr, thead") || innerWidth > 760)
        .filter((each) => each.getBoundingClientRect().right > edge)
        .map((each) => each.textContent.trim().slice(0, 60));
})"""
"""The words of cells that stand beyond the edge of their table's place."""


def expect_fits(page: Page) -> None:
    window = page.viewport_size
    assert window is not None
    expect(page.locator("html")).to_have_js_property("scrollWidth", window["width"])
