"""The output of a RAG system, from its file to a rater, researched in its own contexts."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from pipeline.jobs import queue
from pipeline.models import Run
from pipeline.runs import execution
from rarrweb.accounts.models import User
from tests.browser.widths import expect_fits

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

LINES = [
    {
        "user_input": "When did Marlow Hall open?",
        "retrieved_contexts": [
            "The River Ash ends at Denby.",
            {
                "page_content": "Marlow Hall is a concert hall in Denby. It opened in 1904.",
                "metadata": {"title": "Marlow Hall", "source": "https://example.org/hall"},
            },
        ],
        "response": "Marlow Hall opened in 1902 [2].",
    },
    {"user_input": "Why?", "retrieved_contexts": [], "response": "Nobody knows."},
]


@pytest.fixture(autouse=True)
def folders(tmp_path: Path, settings, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    settings.UPLOAD_DIR = tmp_path / "uploads"
    # The worker's part is played by the test itself.
    monkeypatch.setattr(queue, "send", lambda *args: True)


def test_contexts_are_imported_searched_and_judged(
    page: Page, log_in: Callable[..., User], tmp_path: Path
) -> None:
    log_in("ruth", role=User.Role.RESEARCHER)
    file = tmp_path / "answers.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in LINES))
    page.goto("/datasets/new/")
    expect(page.get_by_role("complementary", name="Formats")).to_contain_text("Contexts")
    page.get_by_label("File of passages").set_input_files(file)
    page.get_by_role("button", name="Check the file").click()
    expect(page.get_by_role("combobox", name="Format")).to_have_value("contexts")
    page.get_by_role("button", name="Import 2 passages").click()
    expect(page.get_by_role("link", name="Judge these answers as they are")).to_be_visible()
    page.get_by_role("link", name="Open the dataset").click()

    # A run needs no corpus; there is none here at all.
    page.get_by_role("link", name="Start a run").click()
    page.get_by_label("Evidence from").select_option(label="the passage’s own sources")
    page.set_viewport_size({"width": 390, "height": 800})
    expect_fits(page)
    page.set_viewport_size({"width": 1280, "height": 800})
    page.get_by_role("button", name="Start run").click()
    expect(page.get_by_text("1 of 2 passages came without the text of any source")).to_be_visible()
    expect(page.get_by_text("evidence from the passages’ own sources")).to_be_visible()
    run = Run.objects.get()
    for row in run.revisions.all():
        execution.revise(row.pk)
    page.reload()
    expect(page.locator("main")).to_contain_text("No own sources", ignore_case=True)

    page.goto(f"/revisions/{run.revisions.earliest('pk').pk}/")
    expect(page.locator("ins").first).to_contain_text("1904")
    expect(page.locator("main")).to_contain_text("It opened in 1904.")

    # A campaign of it: raters see the contexts.
    page.goto(f"/campaigns/new/?run={run.pk}")
    page.get_by_label("Name").fill("Own contexts")
    page.get_by_role("button", name="Start campaign").click()
    page.get_by_role("button", name="Annotate").click()
    expect(page.locator(".s.here")).to_be_visible()  # its script is up: keys count from now on
    expect(page.locator(".evidence-pane")).to_contain_text("It opened in 1904.")
    page.locator(".s").first.focus()
    page.keyboard.press("1")
    expect(page.locator("#saved")).to_contain_text("Saved")
