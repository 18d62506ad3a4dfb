"""A researcher compares strategies and systems over the same questions, wide and on a phone."""

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from rarrweb.accounts.models import User
from tests.browser.axe import violations
from tests.browser.widths import expect_fits
from tests.support.answer_runs import make_answer_runs

pytestmark = [pytest.mark.browser, pytest.mark.page_only, pytest.mark.django_db(transaction=True)]


@pytest.mark.parametrize("width", [390, 1280])
def test_runs_that_answer_stand_in_one_table(
    page: Page, log_in: Callable[..., User], width: int
) -> None:
    runs = make_answer_runs("vanilla", "extractive", "closed-book", "rarr", "efec")
    page.set_viewport_size({"width": width, "height": 800})
    log_in("ruth", role=User.Role.RESEARCHER)
    page.goto("/compare/")
    table = page.get_by_role("table", name="One row for each system")
    for run in runs:
        expect(table.get_by_role("link", name=run.system, exact=True)).to_be_visible()
    expect_fits(page)
    assert violations(page) == []
    chart = page.get_by_role("img", name=re.compile("has the highest citation recall"))
    chart.scroll_into_view_if_needed()
    expect(chart).to_have_js_property("complete", True)
    if folder := os.environ.get("RARR_PICTURES"):
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
            page.screenshot(path=Path(folder) / f"answers-{width}-{scheme}.png", full_page=True)
    page.get_by_label("Compare with").select_option(str(runs[1].pk))
    page.get_by_label("Difference in").select_option("correctness")
    page.get_by_role("button", name="Show", exact=True).click()
    extractive = table.get_by_role("row").filter(has_text="extractive")
    expect(extractive.get_by_text("reference", exact=True)).to_be_visible()
    if width > 760:  # heads are not shown where rows are stacked
        table.get_by_role("link", name="Citation recall").click()
        expect(table.get_by_role("columnheader", name="Citation recall")).to_have_attribute(
            "aria-sort", "descending"
        )
    page.get_by_text("The table as text").click()
    expect(page.get_by_label("LaTeX with booktabs")).to_have_value(re.compile(r"tabular"))
