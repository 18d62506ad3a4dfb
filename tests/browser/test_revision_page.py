"""A revision by keyboard, by mouse, on a phone, and while it runs."""

import re
from dataclasses import replace

import pytest
from playwright.sync_api import Page, expect

from pipeline.models import Revision, Run
from tests.browser.chromium import expect_fits
from tests.support.answer_rows import make_answer
from tests.support.factories import make_passage, make_revision, make_run
from tests.support.revision_rows import (
    ORIGINAL,
    REVISED,
    VIADUCT_AFTER,
    make_finished,
    make_viaduct,
    plain_sentences,
    scored,
    span_of,
    viaduct,
)

pytestmark = [pytest.mark.browser, pytest.mark.page_only, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def run(ruth: None) -> Run:
    return make_run(config={"entailment": "compact"})


def test_the_brackets_walk_through_the_filtered_run(page: Page, run: Run) -> None:
    make_viaduct(run, external_id="first")
    make_revision(run, passage=make_passage(run.dataset, external_id="left out"))
    make_viaduct(run, external_id="last")
    page.goto(f"/runs/{run.pk}/revisions/?filter=changed")
    page.get_by_role("link", name="first").click()
    shows(page, "first")
    page.keyboard.press("]")
    shows(page, "last")
    page.keyboard.press("]")  # nothing follows
    shows(page, "last")
    page.keyboard.press("[")
    shows(page, "first")


def shows(page: Page, name: str) -> None:
    expect(page.get_by_role("heading", name=name)).to_be_visible()
    page.wait_for_load_state("load")


def test_the_diff_is_above_the_fold_and_sentences_lead_to_evidence(page: Page, run: Run) -> None:
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto(make_viaduct(run).get_absolute_url())
    for part in ("#before-1", "#after-1", "del", "ins"):
        expect(page.locator(part).first).to_be_in_viewport(ratio=1)
    assert page.locator(".pairs").bounding_box()["y"] < 400  # type: ignore[index]
    # A sentence leads to its evidence, and back.
    sentence, evidence = page.locator("#after-3"), page.locator("#evidence-1")
    expect(evidence).not_to_have_class(re.compile("lit"))
    sentence.hover()
    expect(evidence).to_have_class(re.compile("lit"))
    expect(page.locator("#evidence-2")).not_to_have_class(re.compile("lit"))
    sentence.get_by_role("link", name="by evidence 1").click()
    expect(page).to_have_url(re.compile("#evidence-1$"))
    expect(evidence).to_be_in_viewport()
    evidence.get_by_role("link", name="sentence 2").click()
    expect(page.locator("#after-2")).to_be_in_viewport()


def test_evidence_unfolds_with_its_answer_marked_and_quiet_steps_hide(page: Page, run: Run) -> None:
    page.goto(make_viaduct(run).get_absolute_url())
    turn = page.locator("#step-2")
    answer = turn.locator("mark", has_text="1874")
    expect(answer).to_be_hidden()
    turn.get_by_text("Evidence: Wenna Viaduct").click()
    expect(answer).to_be_visible()
    turns = page.locator(".trace > li:visible")
    expect(turns).to_have_count(4)
    page.get_by_text("3 steps without an edit").click()
    expect(turns).to_have_count(7)


def test_a_mark_and_the_verdict_that_differs_lead_to_each_other(page: Page, run: Run) -> None:
    first, *others = viaduct().trace
    assert first.agreement is not None
    placed = replace(first.agreement, passage_span=span_of(ORIGINAL, "the coast railway"))
    revision = replace(viaduct(), trace=(replace(first, agreement=placed), *others))
    figures = ((0.2, 0, 0.9, 1), *VIADUCT_AFTER[1:])
    sentences = plain_sentences(scored(ORIGINAL, *figures), scored(REVISED, *figures))
    page.goto(make_finished(revision, sentences, run=run).get_absolute_url())
    sentence, step = page.locator("#after-1"), page.locator("#step-1")
    expect(step).to_be_hidden()
    sentence.get_by_role("link", name="step 1").click()
    expect(step).to_be_in_viewport()
    step.get_by_role("link", name="sentence 1").click()
    expect(sentence).to_be_in_viewport()


def test_the_result_appears_by_itself_and_the_page_stops_asking(page: Page, run: Run) -> None:
    finished = make_viaduct(run)
    waiting = make_revision(run, passage=make_passage(run.dataset))
    page.goto(waiting.get_absolute_url())
    expect(page.get_by_text("waits for a worker")).to_be_visible()
    Revision.objects.filter(pk=waiting.pk).update(
        state=Revision.State.DONE,
        original_text=finished.original_text,
        text=finished.text,
        result=finished.result,
        sentences=finished.sentences,
        is_changed=True,
    )
    expect(page.get_by_text("3 of 4 sentences attributed")).to_be_visible()
    expect(page.locator("main [hx-get]")).to_have_count(0)


LONG = " ".join(
    f"Marlow Hall opened in 19{n:02} [1][2]. {'Nobodyknowswhy' * 12} [3]." for n in range(40)
)


def test_a_citation_that_has_the_focus_lights_its_source_and_leads_to_it(
    page: Page, ruth: None
) -> None:
    page.goto(make_answer().get_absolute_url())
    source = page.locator("#evidence-2")
    expect(source).not_to_have_class("evidence lit")
    page.get_by_role("link", name="source 2, irrelevant").focus()
    expect(source).to_have_class("evidence lit")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("#evidence-2$"))
    expect(source).to_be_in_viewport()


def test_a_long_answer_fits(page: Page, ruth: None) -> None:
    answer = make_answer(text=LONG)
    for width in (1280, 390, 320):
        page.set_viewport_size({"width": width, "height": 800})
        page.goto(answer.get_absolute_url())
        expect(page.locator("#statement-80")).to_have_count(1)
        expect_fits(page)
