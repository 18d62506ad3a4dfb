"""A person chooses runs and reads them side by side, on a wide page and on a phone."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from pipeline.models import Revision, Run
from rarrweb.accounts.models import User
from tests.browser.widths import expect_fits
from tests.support.factories import make_dataset, make_passage, make_revision, make_run

pytestmark = [pytest.mark.browser, pytest.mark.page_only, pytest.mark.django_db(transaction=True)]

SYSTEMS = {"rarr": "1904", "rarr-no-agreement": "1905", "efec": "1904", "none": "1902"}


@pytest.fixture
def runs() -> list[Run]:
    """Four systems over six passages."""
    dataset = make_dataset(slug="halls", name="Halls of the north")
    texts = [
        f"Hall {number} opened in 1902. Since then it has been rebuilt twice, and its "
        "organ is played every Sunday by somebody from the town."
        for number in range(6)
    ]
    passages = [make_passage(dataset, text=text) for text in texts]
    made = []
    for place, (system, year) in enumerate(SYSTEMS.items()):
        run = make_run(
            dataset=dataset, system=system, passage_count=6, state=Run.State.FINISHED,
            config={"system": system, "rarr": {"report_size": 5 - place % 2}},
        )  # fmt: skip
        for number, passage in enumerate(passages):
            make_revision(
                run,
                passage=passage,
                state=Revision.State.DONE,
                text=passage.text.replace("1902", year),
                attribution_before=0.3 + number / 20,
                attribution_after=0.8 - place / 10 + number / 50,
                preservation=0.99 - place / 50,
                usage={"seconds": 0.4 + place, "model_calls": 9, "cost": 0.0012 * (place + 1)},
            )
        made.append(run)
    return made


@pytest.mark.parametrize("width", [390, 1280])
def test_runs_are_chosen_and_stand_side_by_side(
    page: Page, log_in: Callable[..., User], runs: list[Run], width: int
) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    log_in("ruth", role=User.Role.RESEARCHER)
    page.goto("/compare/")
    expect(page.get_by_text("The latest run of each system on this dataset")).to_be_visible()
    table = page.get_by_role("table", name="One row for each system")
    for run in runs:
        expect(table.get_by_role("link", name=run.system, exact=True)).to_be_visible()
    left_out = runs[-1]
    page.get_by_text("Choose other runs").click()
    page.get_by_label(f"{left_out.system} · run {left_out.pk}").uncheck()
    page.get_by_role("button", name="Compare").click()
    expect(table.get_by_role("link", name=left_out.system, exact=True)).to_have_count(0)
    page.get_by_text("Choose other runs").click()
    page.get_by_label(f"{left_out.system} · run {left_out.pk}").check()
    page.get_by_role("button", name="Compare").click()
    expect(page.get_by_role("heading", name="Figures over 6 passages")).to_be_visible()
    for run in runs:
        expect(table.get_by_role("link", name=run.system, exact=True)).to_be_visible()
    expect(page.get_by_text("6 passages that every run has revised")).to_be_visible()
    expect_fits(page)
    if folder := os.environ.get("RARR_PICTURES"):
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
            page.screenshot(path=Path(folder) / f"compare-{width}-{scheme}.png", full_page=True)
