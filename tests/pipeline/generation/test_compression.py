"""Summaries and snippets: what is asked of each passage, what is left out, what is cited."""

import pytest

from pipeline.generation.types import GenerationConfig
from tests.support.answer_script import HALL, SNIPPET, SUMMARY, WRITTEN, answer
from tests.support.strategy_tools import Script, run


@pytest.mark.parametrize(("name", "short"), [("summ", SUMMARY), ("snippet", SNIPPET)])
def test_relevant_passages_are_shown_in_short_and_cited_whole(name: str, short: str) -> None:
    script = Script()
    written = run(name, script)
    assert written.text == WRITTEN
    assert [(each.title, each.text) for each in written.sources] == [(HALL.title, HALL.text)]
    *compressing, answering = script.prompts
    assert [each.temperature for each in compressing] == [0.0, 0.0]
    assert f"Document: ({HALL.title}) {HALL.text}\n" in compressing[0].text
    assert answering.text.endswith(f"Passages:\n[1] ({HALL.title}) {short}\nAnswer:")
    assert script.steps == [name if name == "snippet" else "summary", "answer"]
    steps = [each.text for each in written.record.steps]
    assert steps == [f"[1] {short}", "Denby Mill: irrelevant"]
    script = Script()
    run(name, script, config=GenerationConfig(compressed_passages=1, passages=5))
    assert len(script.prompts) == 2


def test_a_snippet_that_is_not_of_the_passage_is_named_and_the_passage_shown_whole() -> None:
    script = Script(lambda p: "It shut." if p.text.endswith("Snippet:") else answer(p.text))
    written = run("snippet", script)
    assert [(each.name, each.text) for each in written.record.steps] == [
        ("problem", "not copied from [1]: It shut."),
        ("snippet", "[1] shown whole"),
        ("problem", "not copied from [2]: It shut."),
        ("snippet", "[2] shown whole"),
    ]
    assert f"[1] ({HALL.title}) {HALL.text}\n" in script.prompts[-1].text
    assert len(written.sources) == 2


def test_an_empty_summary_leaves_the_passage_whole() -> None:
    script = Script(lambda prompt: " " if prompt.text.endswith("Summary:") else answer(prompt.text))
    first, second = run("summ", script).record.steps[:2]
    assert (first.text, second.text) == ("The reply is empty.", "[1] shown whole")
    assert HALL.text in script.prompts[-1].text


def test_without_a_relevant_passage_nothing_is_shown() -> None:
    script = Script(lambda p: "irrelevant" if p.text.endswith("Summary:") else "I don't know.")
    written = run("summ", script)
    assert (written.text, written.sources) == ("I don't know.", ())
    assert script.prompts[-1].text.endswith("Passages:\n(none)\nAnswer:")
