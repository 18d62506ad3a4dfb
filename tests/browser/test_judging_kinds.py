"""The judging pages of the other questionnaires."""

import pytest
from playwright.sync_api import Locator, Page, expect

from annotation.models import Judgment
from tests.browser.judging import Open, on_item, open_item, rows, saved
from tests.support import kinds
from tests.support.campaigns import TEXT
from tests.support.factories import make_passage, make_revision

__all__ = ["open_item"]  # a fixture

pytestmark = [pytest.mark.browser, pytest.mark.page_only, pytest.mark.django_db(transaction=True)]


def answers_saved() -> dict[str, dict[int, int | None]]:
    return {
        criterion: rows(criterion) for (criterion,) in Judgment.objects.values_list("criterion")
    }


def question(page: Page, key: str) -> Locator:
    return page.locator(f"fieldset#{key}")


def counts(page: Page, words: str) -> None:
    expect(page.locator("#counts")).to_have_text(words)


def test_a_pair_is_compared_with_the_keyboard_alone(open_item: Open) -> None:
    page = open_item("intent")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#gaps")).to_contain_text("is not compared")
    for key in ("1", "0", "2", "Control+z", "Control+z", "Control+Shift+z"):
        page.keyboard.press(key)
    expect(page.get_by_role("radio", checked=True)).to_have_count(0)
    page.keyboard.press("3")
    saved(page)
    page.keyboard.press("Control+Enter")
    on_item(page, 2)
    assert answers_saved() == {"intent": {0: 2}}


def test_an_answer_is_judged_with_the_keyboard_alone(open_item: Open) -> None:
    page = open_item("answer_quality")
    for key in ("2", "1"):  # part 1: not informative, attributable
        page.keyboard.press(key)
    expect(page.get_by_role("group", name="Part 2 of 3 Informative")).to_have_class("question here")
    page.keyboard.press("q")
    expect(page.get_by_label("About")).to_have_value("2")
    page.keyboard.press("Escape")
    expect(page.get_by_role("heading", name="Part 3 of 3")).to_be_visible()
    expect(page.locator("#part-3")).to_contain_text("Not attributable: no source")
    for key in ("1", "1", "2"):  # part 2: both; part 3: not informative
        page.keyboard.press(key)
    counts(page, "5 of 5 answered")
    saved(page)
    page.locator("#comment").fill("The third part answers another question.")
    page.keyboard.press("Control+Enter")  # submits from the comment too
    page.wait_for_url("**/tasks/next/**")
    assert answers_saved() == {"attributable": {0: 1, 1: 1}, "informative": {0: 0, 1: 1, 2: 0}}


def test_citations_are_judged_with_the_mouse_alone(open_item: Open) -> None:
    page = open_item("citation")
    expect(page.locator(".evidence-pane, #part-1")).to_have_count(2)
    expect(page.locator(".evidence-pane:visible, #part-1:visible")).to_have_count(0)
    question(page, "utility-0").get_by_text("Agree", exact=True).click()
    expect(page.locator(".evidence-pane, #part-1").first).to_be_visible()
    expect(question(page, "citation_recall-0")).to_have_count(0)  # one source: asked once
    question(page, "citation_recall-2").get_by_text("Do not support").click()
    page.locator("[data-to-evidence='2']").first.click()
    expect(page.locator("#evidence-2")).to_be_focused()
    page.get_by_role("button", name="Submit and next").click()
    expect(page.locator("#gaps")).to_contain_text(
        "Sentence 1 of 4: “Source 2 alone” is not judged. "
        "Sentence 3 of 4: “Source 1 alone”, “Source 2 alone” are not judged."
    )
    for number, words in enumerate(("Fully supports", "Partially supports", "Does not support")):
        question(page, f"citation_precision-{number}").get_by_text(words).click()
    counts(page, "5 of 5 answered")
    expect(page.locator("#gaps")).to_be_hidden()
    saved(page)
    assert answers_saved() == {
        "citation_precision": {0: 2, 1: 1, 2: 0},
        "citation_recall": {0: 1, 2: 0},
        "utility": {0: 4},
    }


def test_a_passage_is_revised_and_the_change_counted_displayed_and_saved(open_item: Open) -> None:
    page = open_item("manual_revision", sides="before")
    expect(page.locator("#distance")).to_have_text("Nothing changed")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#gaps")).to_contain_text("not revised yet")
    field = page.get_by_label("The passage, to edit")
    field.fill(TEXT.replace("1934", "1932 [d]"))
    expect(page.locator("#distance")).to_contain_text("5 characters changed")
    expect(page.locator("#changes del")).to_contain_text("1934")
    expect(page.locator("#changes ins")).to_contain_text("1932 [d]")
    saved(page)
    assert Judgment.objects.get().text == TEXT.replace("1934", "1932 [d]")
    page.get_by_role("button", name="Start over").click()
    expect(field).to_have_value(TEXT)
    page.get_by_role("button", name="Undo").click()
    expect(field).to_have_value(TEXT.replace("1934", "1932 [d]"))
    field.press("End")
    page.keyboard.type("!")
    page.keyboard.press("Control+Enter")
    on_item(page, 2)
    row = Judgment.objects.get()
    assert (row.value, row.text.count("!")) == (1, 1)
    page.get_by_role("button", name="No change needed").click()
    saved(page)
    second = Judgment.objects.select_related("assignment__item").latest("pk")
    assert second.text == second.assignment.item.text == TEXT


def test_an_answer_of_five_parts_fits_one_screen(
    open_item: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    part = "The harbour bridge at the bay carries two railway lines and six lanes of road [1]. "
    monkeypatch.setattr(kinds, "CITING", (part * 5).strip())
    run = kinds.make_citing_run()
    another = make_passage(run.dataset, context="When?", source={"quotes": kinds.QUOTES})
    text, report = kinds.CITING, kinds.REPORT
    make_revision(run, passage=another, state="done", text=text, result=report)
    page = open_item("answer_quality", run=run)
    page.set_viewport_size({"width": 1280, "height": 800})
    for number in (1, 2):
        on_item(page, number)
        for question in page.locator("fieldset.question").all():
            question.locator("label.level").first.click()
        if number == 2:
            assert page.locator(".scroll").evaluate("pane => pane.scrollTop") == 0
        page.get_by_role("button", name="Submit and next").click()
    page.wait_for_url("**/tasks/next/**")
