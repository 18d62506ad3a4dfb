"""Answer step by step from summaries or snippets (ALCE: Interact)."""

import re

from pipeline.generation.compression import compress_passages
from pipeline.generation.interactive_loop import LookupResult, write_interactively
from pipeline.generation.prompting import numbered, numbered_line
from pipeline.generation.tools import Tools
from pipeline.generation.types import Answer, Question, Record

AT_ONCE = 3
"""Most full passages in a prompt (appendix C)."""


def answer(question: Question, *, tools: Tools) -> Answer:
    compressed = compress_passages(question, tools.config.compressed_to, tools=tools)

    def check(wanted: str) -> LookupResult | None:
        numbers = dict.fromkeys(map(int, re.findall(r"\d{1,3}", wanted)))
        available = [number for number in numbers if 1 <= number <= len(compressed.passages)][
            :AT_ONCE
        ]
        if not available:
            return None
        marks = "".join(f"[{number}]" for number in available)
        return LookupResult(
            query=f"Document {marks}",
            prompt_text="\n".join(
                numbered_line(each, compressed.passages[each - 1]) for each in available
            ),
            problem=f"of {wanted}, {marks} are shown" if len(available) < len(numbers) else "",
        )

    text, steps = write_interactively(
        question,
        "interact",
        verb="check",
        lookup=check,
        writes_after_lookup=True,
        tools=tools,
        passages=numbered(compressed.shortened),
    )
    return Answer(
        text=text,
        sources=compressed.passages,
        record=Record(
            steps=(*compressed.record.steps, *steps), recall_at=compressed.record.recall_at
        ),
    )
