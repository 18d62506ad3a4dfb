"""The whole way from the first page to an exported dataset, on a real installation."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.judging import ready
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
    page.get_by_role("navigation", name="Run").get_by_role("link", name="Passages").click()
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
    page.get_by_label("Intent similarity").uncheck()
    page.get_by_text("Options", exact=True).click()
    page.get_by_label("Name").fill("The first look")
    page.get_by_role("button", name="Start campaign").click()
    page.get_by_role("button", name="Judge items yourself").click()
    page.get_by_role("button", name="Start judging").click()
    expect(page.locator(".s.here")).to_be_visible()  # its script is up: keys count from now on
    sentences = page.locator(".s").count()
    assert sentences >= 1
    page.locator(".s").first.focus()
    for number in range(sentences):
        page.keyboard.press("1" if number % 2 == 0 else "2")
        expect(page.locator("#saved")).to_contain_text("Saved")
    for number in range(1, page.locator("article.evidence").count() + 1):
        page.locator(f"#evidence-{number}").get_by_role("button", name="Useful", exact=True).click()
    expect(page.locator("#saved")).to_contain_text("Saved")
    task = page.url
    page.keyboard.press("Control+Enter")
    page.wait_for_url(lambda url: url != task)

    # The dataset, with that judgment in it.
    page.locator(".task-head summary").click()
    page.get_by_role("link", name="Campaign", exact=True).click()
    page.get_by_role("link", name="Export", exact=True).click()
    with page.expect_download() as download:
        page.get_by_role("link", name="JSON Lines of HAGRID").click()
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


QUESTIONS = 30
BY_HAND = 3


def judge_by_hand(page: Page) -> None:
    ready(page)
    questions = page.locator("fieldset.question")
    for number in range(questions.count()):
        questions.nth(number).locator("label.level").first.click()
        expect(page.locator("#saved")).to_contain_text("Saved")
    here = page.url
    page.keyboard.press("Control+Enter")
    page.wait_for_url(lambda url: url != here)


def judge_by_request(page: Page) -> None:
    number = page.url.rstrip("/").rsplit("/", 1)[-1]
    token = page.locator("input[name=csrfmiddlewaretoken]").first.input_value()
    questions = page.locator("fieldset.question").evaluate_all(
        "all => all.map((each) => [each.dataset.criterion, Number(each.dataset.target)])"
    )
    answers: list[dict[str, Any]] = [
        {
            "criterion": criterion,
            "target": target,
            # The second part of each answer is said to lack support.
            "value": int(criterion == "informative" or target != 1),
            "sequence": 1,
        }
        for criterion, target in questions
    ]
    assert answers
    saved = page.request.put(
        f"/api/tasks/{number}/judgments/", data={"answers": answers}, headers={"X-CSRFToken": token}
    )
    assert saved.ok, saved.text()
    done = page.request.post(
        f"/tasks/{number}/submit/", form={"csrfmiddlewaretoken": token}, max_redirects=0
    )
    assert done.status == 302
    page.goto(done.headers["location"])


def test_thirty_questions_become_a_labelled_set(
    installation: Installation, road: Page, tmp_path: Path
) -> None:
    page = road
    page.goto("/datasets/demo-passages/")
    page.get_by_role("link", name="Start a run").click()
    page.locator("[name=system][value=rarr]").uncheck()
    page.get_by_text("More systems and answers with citations").click()
    page.locator("[name=system][value=extractive]").check()
    page.get_by_role("button", name="Start run").click()
    expect(page.locator("#run-state")).to_contain_text("finished", timeout=120_000)

    page.get_by_role("link", name="New campaign").first.click()
    expect(page.get_by_role("checkbox", name="Answer quality")).to_be_checked()
    page.get_by_label("Name").fill("Thirty questions")
    page.get_by_role("button", name="Start campaign").click()
    expect(page.get_by_text("30 items").first).to_be_visible()

    page.get_by_role("button", name="Judge items yourself").click()
    page.get_by_role("button", name="Start judging").click()
    for number in range(QUESTIONS):
        expect(page.locator(".task-head")).to_contain_text(f"item {number + 1} ")
        (judge_by_hand if number < BY_HAND else judge_by_request)(page)

    page.goto("/campaigns/thirty-questions/results/statistics/")
    expect(page.get_by_text("Attributable, sentences")).to_be_visible()
    page.goto("/campaigns/thirty-questions/export/")
    with page.expect_download() as download:
        page.get_by_role("link", name="JSON Lines of HAGRID").click()
    exported = tmp_path / "exported.jsonl"
    download.value.save_as(exported)

    lines = [json.loads(line) for line in exported.read_text(encoding="utf-8").splitlines()]
    assert len({line["query_id"] for line in lines}) == len(lines) == QUESTIONS
    for line in lines:
        assert line["query"]
        (answer,) = line["answers"]
        known = {quote["idx"] for quote in line["quotes"]}
        assert {int(n) for n in re.findall(r"\[(\d+)\]", answer["answer"])} <= known
        assert answer["informative"] == 1
        labels = [sentence["attributable"] for sentence in answer["sentences"]]
        assert set(labels) <= {0, 1}
        assert answer["attributable"] == min(labels)
    assert {answer["attributable"] for line in lines for answer in line["answers"]} == {0, 1}
    # Not into a dataset of another test: the same ids have other answers there.
    installation.manage("load_passages", str(exported), "--dataset", "Labels", "--format", "hagrid")
