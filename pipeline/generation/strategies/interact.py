"""Answer step by step from summaries or snippets, asking for whole passages in between (ALCE,
section 4: Interact)."""

import re

from pipeline.generation.compression import compress_passages
from pipeline.generation.prompting import numbered, numbered_line
from pipeline.generation.tools import Tools
from pipeline.generation.turns import Looked, write_in_turns
from pipeline.generation.types import Answer, Question, Record

AT_ONCE = 3
"""Passages that are shown whole at the same time (appendix C)."""


def answer(question: Question, *, tools: Tools) -> Answer:
    """After it has checked passages the model has to say something, as in the paper."""
    found = compress_passages(question, tools.config.compressed_to, tools=tools)

    def check(wanted: str) -> Looked | None:
        numbers = dict.fromkeys(map(int, re.findall(r"\d{1,3}", wanted)))
        there = [number for number in numbers if 1 <= number <= len(found.passages)][:AT_ONCE]
        if not there:
            return None
        told = "".join(f"[{number}]" for number in there)
        return Looked(
            told=f"Document {told}",
            shown="\n".join(numbered_line(each, found.passages[each - 1]) for each in there),
            problem=f"of {wanted}, {told} are shown" if len(there) < len(numbers) else "",
        )

    text, steps = write_in_turns(
        question,
        "interact",
        verb="check",
        look=check,
        speaks_after_looking=True,
        tools=tools,
        passages=numbered(found.shown),
    )
    return Answer(
        text=text,
        sources=found.passages,
        record=Record(steps=(*found.record.steps, *steps), recall_at=found.record.recall_at),
    )
