"""The prompts' pages in a browser: filling one, on a small screen, in the dark."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from pipeline.rarr.prompts import load_prompts
from rarrweb.accounts.models import User
from tests.browser.widths import expect_fits
from tests.support.factories import make_dataset, make_passage

pytestmark = [pytest.mark.browser, pytest.mark.page_only, pytest.mark.django_db(transaction=True)]


def test_a_prompt_is_filled_with_a_passage_and_compared_with_the_shipped_one(
    page: Page, log_in: Callable[..., User], settings: Any, tmp_path: Path
) -> None:
    settings.RARR_LLM = "openai:stub"
    settings.RARR_PROMPTS = str(tmp_path)
    shipped = load_prompts()["agreement"].content
    (tmp_path / "agreement.txt").write_text(shipped.replace("Compare what", "Look at what"))
    make_passage(make_dataset(name="Halls"), external_id="h1", text="<b>Marlow</b> opened in 1904.")
    log_in("ruth", role=User.Role.RESEARCHER)
    page.emulate_media(color_scheme="dark")
    page.set_viewport_size({"width": 390, "height": 800})

    page.goto("/runs/")
    page.get_by_role("link", name="Prompts").click()
    page.get_by_role("link", name="Agreement (section 3.2)").click()
    page.get_by_label("Dataset").select_option("Halls")
    page.get_by_role("button", name="Fill the prompt").click()

    expect(page.locator(".prompt mark").first).to_have_text("<b>Marlow</b> opened in 1904.")
    expect(page.get_by_role("heading", name="Filled with h1")).to_be_visible()
    lines = page.get_by_role("list", name="Lines of both prompts")
    expect(lines.locator("ins")).to_have_count(1)
    expect(lines.locator("ins")).to_contain_text("Look at what")
    expect_fits(page)

    page.goto("/prompts/")
    cells = page.locator("td .mono")
    widths = cells.evaluate_all("all => all.map(each => each.getBoundingClientRect().right)")
    assert max(widths) <= 374  # inside of the card, not only of the screen
