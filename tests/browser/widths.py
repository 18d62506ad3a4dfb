"""Pages fit the window without horizontal scrolling."""

from playwright.sync_api import Page, expect

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
