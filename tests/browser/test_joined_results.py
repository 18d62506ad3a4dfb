"""The table of systems: comparing and copying."""

from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from rarrweb.accounts.models import User
from tests.browser.widths import OUTSIDE, expect_fits
from tests.support.study import JoinedStudy

pytestmark = [pytest.mark.browser, pytest.mark.page_only, pytest.mark.django_db(transaction=True)]


def test_systems_are_compared_and_copied(
    page: Page, context: BrowserContext, log_in: Callable[..., User]
) -> None:
    study = JoinedStudy("rarr", "efec", "rarr", "rarr-no-agreement")
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    log_in("ruth", role=User.Role.RESEARCHER)
    page.goto("/results/")
    table = page.get_by_role("table")
    expect(table.get_by_role("rowheader", name="Unrevised")).to_be_visible()
    page.get_by_label("Compare with").select_option(str(study.runs[1].pk))
    page.get_by_role("button", name="Show", exact=True).click()
    expect(table.get_by_text("mean of 2 repeated runs")).to_be_visible()
    efec = table.get_by_role("row").filter(has_text="efec")
    expect(efec.get_by_text("reference", exact=True)).to_be_visible()
    page.get_by_role("button", name="Copy LaTeX").click()
    expect(page.get_by_text("✓ Copied")).to_be_visible()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert r"\begin{tabular}" in copied
    assert "rarr (2 runs" in copied


def test_the_table_fits_windows_of_every_width(page: Page, log_in: Callable[..., User]) -> None:
    JoinedStudy("rarr", "efec", "rarr-no-agreement", "rarr-query-sentence")
    log_in("ruth", role=User.Role.RESEARCHER)
    page.goto("/results/")
    for width in (320, 640, 761, 1001, 1280, 1920):
        page.set_viewport_size({"width": width, "height": 800})
        expect_fits(page)
        assert page.evaluate(OUTSIDE, "table.joined") == [], width
