"""The replies that a strategy reads, counted by step."""

from contextlib import suppress
from dataclasses import replace

import pytest

from pipeline.backends.readings import ReplyCounter
from pipeline.rarr.errors import UnreadableReply
from tests.support.answer_script import answer
from tests.support.strategy_tools import Script, make_tools, run


def counts_of(name: str, script: Script) -> ReplyCounter:
    counter = ReplyCounter()
    tools = replace(make_tools(script), count_reply=counter.count)
    with suppress(UnreadableReply):
        run(name, tools=tools)
    return counter


@pytest.mark.parametrize(
    ("name", "steps"),
    [
        ("vanilla", {"answer": 1}),
        ("rerank", {"answer": 4}),
        ("closed-book", {"draft": 1}),
        ("hagrid", {"answer": 1}),
        ("summ", {"summary": 2, "answer": 1}),
        ("snippet", {"snippet": 2, "answer": 1}),
        ("inline-search", {"step": 4}),
    ],
)
def test_each_reply_that_is_read_counts(name: str, steps: dict[str, int]) -> None:
    result = counts_of(name, Script()).by_step
    assert {step: counts.at_once for step, counts in result.items()} == steps
    assert not any(counts.unreadable for counts in result.values())


@pytest.mark.parametrize("name", ["vanilla", "closed-book", "hagrid"])
def test_an_empty_answer_counts_as_unreadable(name: str) -> None:
    (counts,) = counts_of(name, Script("Answer:")).by_step.values()
    assert (counts.at_once, counts.unreadable) == (0, 1)
    assert counts.examples[0].reply == "Answer:"


def test_one_empty_sample_counts_next_to_those_that_were_read() -> None:
    script = Script(lambda prompt: ["It opened in 1904 [1].", "", "It is old [1].", ""])
    counts = counts_of("rerank", script).by_step["answer"]
    assert (counts.at_once, counts.unreadable) == (2, 2)


def test_a_step_that_is_no_action_counts_as_unreadable() -> None:
    replies = iter(["Let me think.", "Output: It opened in 1904 [1].", "End"])
    script = Script(lambda p: next(replies) if "\nSteps:\n" in p.text else answer(p.text))
    counts = counts_of("inline-search", script).by_step["step"]
    assert (counts.at_once, counts.unreadable) == (2, 1)
