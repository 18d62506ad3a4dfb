"""Log in, run, read, judge and export on a real installation."""

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.support.installation import Installation

pytestmark = [pytest.mark.browser, pytest.mark.worker]


def test_a_newcomer_gets_from_the_log_in_to_an_exported_dataset(
    installation: Installation, road: Page, tmp_path: Path
) -> None:
    page = road

    # A run over the demo passages, which are chosen already, with the mouse.
    page.get_by_role("link", name="Runs", exact=True).first.click()
    page.get_by_role("link", name="Start a run").first.click()
    page.get_by_role("button", name="Start run").click()
    expect(page.locator("#run-state")).to_contain_text("finished", timeout=120_000)

    # A revision that was changed.
    page.get_by_role("link", name="Review revisions").click()
    page.get_by_role("link", name="changed", exact=False).first.click()
    expect(page).to_have_url(re.compile("filter=changed"))
    page.locator("main a[href^='/revisions/']").first.click()
    page.wait_for_url("**/revisions/*/**")
    expect(page.locator("del").first).to_be_visible()
    expect(page.locator("ins").first).to_be_visible()
    expect(page.get_by_text("Attribution report").first).to_be_visible()

    # A campaign of it, judged by the same person, with the keyboard.
    page.locator(".crumbs").get_by_role("link", name=re.compile(r"^Run \d+: ")).click()
    page.get_by_role("link", name="New campaign").first.click()
    page.get_by_label("Name").fill("The first look")
    page.get_by_role("button", name="Start campaign").click()
    page.get_by_role("button", name="Annotate").click()
    expect(page.locator(".s.here")).to_be_visible()  # its script is up: keys count from now on
    sentences = page.locator(".s").count()
    assert sentences >= 1
    page.locator(".s").first.focus()
    for number in range(sentences):
        page.keyboard.press("1" if number % 2 == 0 else "2")
        expect(page.locator("#saved")).to_contain_text("Saved")
        page.keyboard.press("ArrowDown")
    task = page.url
    page.keyboard.press("Control+Enter")
    page.wait_for_url(lambda url: url != task)

    # The dataset, with that judgment in it.
    page.get_by_role("link", name="Campaigns", exact=True).click()
    page.get_by_role("link", name="The first look").first.click()
    page.get_by_role("link", name="Export", exact=True).click()
    with page.expect_download() as download:
        page.get_by_role("link", name="Download HAGRID").click()
    exported = tmp_path / "exported.jsonl"
    download.value.save_as(exported)
    lines = [json.loads(line) for line in exported.read_text(encoding="utf-8").splitlines()]
    assert len(lines) >= 24
    labels = [
        sentence["attributable"]
        for line in lines
        for answer in line["answers"]
        for sentence in answer["sentences"]
    ]
    assert sum(label is not None for label in labels) == sentences
    assert labels.count(1) == (sentences + 1) // 2

    # And it goes back in: what came out is an input format too.
    installation.manage("load_passages", str(exported), "--dataset", "Again", "--format", "hagrid")
