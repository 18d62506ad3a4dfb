"""A person reads one passage as several systems revised it, by keys, wide and on a phone."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from django.core.cache import cache
from playwright.sync_api import Page, expect

from pipeline.models import Passage, Revision, Run
from rarrweb.accounts.models import User
from tests.browser.widths import expect_fits
from tests.support.compared import compare_intent, make_compared_runs, make_kind, revise_alike, say
from tests.support.revision_rows import ORIGINAL

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

SYSTEMS = ("rarr", "rarr-no-agreement", "efec", "none")


@pytest.fixture
def study() -> tuple[list[Run], list[Passage]]:
    """Four systems over three passages, of which two differ; raters judged the first."""
    cache.clear()
    runs = make_compared_runs(systems=SYSTEMS)
    passages = [
        revise_alike(runs, text=ORIGINAL, is_changed=False, attribution_after=0.4),
        revise_alike(runs),
        revise_alike(runs, text=ORIGINAL, is_changed=False),
    ]
    first = Revision.objects.get(run=runs[0], passage=passages[0])
    say(
        make_kind(runs, "attribution"), first, (True, False, True, False), (True, False, True, True)
    )
    compare_intent(make_kind(runs, "intent"), first, 2, 2, 1)
    return runs, passages


def test_passages_are_walked_by_keys(
    page: Page, log_in: Callable[..., User], study: tuple[list[Run], list[Passage]]
) -> None:
    runs, passages = study
    log_in("ruth", role=User.Role.RESEARCHER)
    page.goto("/compare/")
    page.get_by_role("link", name="Where the systems differ 2").click()
    expect(page.get_by_role("heading", name=passages[0].external_id)).to_be_visible()
    expect(page.locator("#place")).to_have_text("1 of 2")
    for run in runs:  # every diff begins on the first screen
        box = page.locator(f"#run-{run.pk} .words").first.bounding_box()
        assert box is not None
        assert box["y"] + box["height"] < 800
    page.keyboard.press("]")
    expect(page.get_by_role("heading", name=passages[2].external_id)).to_be_visible()
    expect(page.locator("#place")).to_have_text("2 of 2")
    page.keyboard.press("[")
    expect(page.get_by_role("heading", name=passages[0].external_id)).to_be_visible()
    sources = page.locator(f"#run-{runs[0].pk} .sources blockquote").first
    expect(sources).to_be_hidden()
    page.keyboard.press("e")
    expect(sources).to_be_visible()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
    page.keyboard.press("]")  # dead while the list of keys is open
    page.keyboard.press("Escape")
    expect(page.get_by_role("heading", name=passages[0].external_id)).to_be_visible()


@pytest.mark.parametrize("width", [390, 1280])
def test_it_fits(
    page: Page,
    log_in: Callable[..., User],
    study: tuple[list[Run], list[Passage]],
    width: int,
) -> None:
    runs, passages = study
    page.set_viewport_size({"width": width, "height": 800})
    log_in("ruth", role=User.Role.RESEARCHER)
    page.goto(f"/compare/passages/{passages[0].pk}/")
    expect(page.locator(f"#run-{runs[0].pk}").get_by_text("⚠ they differ")).to_be_visible()
    expect_fits(page)
    page.locator(".sources summary").first.click()
    expect_fits(page)
    if folder := os.environ.get("RARR_PICTURES"):
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
            page.screenshot(path=Path(folder) / f"passage-{width}-{scheme}.png", full_page=True)
            page.screenshot(path=Path(folder) / f"passage-{width}-{scheme}-first.png")
