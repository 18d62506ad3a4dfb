"""Replies as chat models write them: what each step reads, and what it refuses to guess.

A line of `tests/data/replies.jsonl` has a `step`, a `reply`, the `expected` value (null:
unreadable; "X or unreadable": nothing but X), and `passage` where the step revises one. The
steps of strategies expect "Search: words", "Output: sentence" or "End", a summary "irrelevant".
"""

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.backends.prompted.agreement import read_agreement
from pipeline.backends.prompted.answers import read_answer
from pipeline.backends.prompted.decontextualization import read_sentence
from pipeline.backends.prompted.editing import read_edit
from pipeline.backends.prompted.entailment import read_verdict
from pipeline.backends.prompted.passages import read_explanation, read_turn
from pipeline.backends.prompted.query_generation import read_queries
from pipeline.backends.prompted.rewriting import read_correction, read_response
from pipeline.backends.prompted.sub_claims import read_claims
from pipeline.generation import prompting
from pipeline.generation.compression import read_compressed
from pipeline.generation.interactive_loop import read_action
from pipeline.rarr.errors import UnreadableReply

OR_UNREADABLE = " or unreadable"
FILE = Path(__file__).parents[3] / "data" / "replies.jsonl"
ROWS = [json.loads(line) for line in FILE.read_text("utf-8").splitlines()]
MARKS = (
    "--- ``` ** <passage> </passage> <think> </think> Answer: Verdict: System: Output: End Search["
    " 1. 2) - ( [1] ) {} [] null | \\boxed{} <|im_end|> \ufeff <answer> </answer> # > agrees No. ?"
)
FRAGMENTS = [*MARKS.split(), "\n", "\n\n", '{"verdict": null}', "Fixed passage:", "It fell."]


def step_of(action: tuple[str, str]) -> str:
    name, text = action
    return f"{name.capitalize()}: {text}" if text else name.capitalize()


READERS: Mapping[str, Callable[[str, str], Any]] = {
    "edit": lambda reply, passage: read_edit(reply, current=passage).text,
    "efec": lambda reply, passage: read_correction(reply, current=passage).text,
    "lamda": lambda reply, passage: read_response(reply, current=passage).text,
    "queries": lambda reply, _: [query.text for query in read_queries(reply)],
    "agreement": lambda reply, _: str(read_agreement(reply).verdict),
    "entailment": lambda reply, _: read_verdict(reply).verdict,
    "decontextualization": lambda reply, _: read_sentence(reply),
    "answer": lambda reply, _: read_answer(reply),
    "sub_claims": lambda reply, _: list(read_claims(reply)),
    "passage": lambda reply, _: read_explanation(reply).text,
    "passage_dialog": lambda reply, _: read_turn(reply).text,
    "cited_answer": lambda reply, _: prompting.read_answer(reply),
    "summary": lambda reply, _: read_compressed(reply, "summary"),
    "interact": lambda reply, _: step_of(read_action(reply, "check")),
    "inline_search": lambda reply, _: step_of(read_action(reply, "search")),
}


@pytest.mark.parametrize(
    "row", ROWS, ids=[f"{row['step']}-{number}" for number, row in enumerate(ROWS, 1)]
)
def test_a_reply_is_read_as_a_person_would_read_it(row: Mapping[str, Any]) -> None:
    expected = row["expected"]
    may_be_unreadable = isinstance(expected, str) and expected.endswith(OR_UNREADABLE)
    try:
        value = READERS[row["step"]](row["reply"], row.get("passage", ""))
    except UnreadableReply:
        value = None
    if may_be_unreadable:
        assert value in (None, expected.removesuffix(OR_UNREADABLE))
    else:
        assert value == expected


def test_every_step_has_replies_of_at_least_five_families() -> None:
    families = {
        step: {row.get("family") for row in ROWS if row["step"] == step} for step in READERS
    }
    assert all(len(value - {None}) >= 5 for value in families.values()), families


@given(st.lists(st.sampled_from(FRAGMENTS), max_size=9).map(" ".join))
def test_whatever_a_model_writes_is_read_or_named(reply: str) -> None:
    for read in READERS.values():
        with suppress(UnreadableReply):
            read(reply, "It fell in 1911. It rose.")
