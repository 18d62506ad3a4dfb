"""That a page is as wide as the window, and asks nobody to scroll sideways."""

from playwright.sync_api import Page, expect


def expect_fits(page: Page) -> None:
    """Waits: a page that is on its way has no width yet. Expect something of it first."""
    window = page.viewport_size
    assert window is not None
    expect(page.locator("html")).to_have_js_property("scrollWidth", window["width"])
