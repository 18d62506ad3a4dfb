"""Summaries and snippets of passages, to fit more into a prompt (ALCE, section 4)."""

import re
from dataclasses import dataclass, replace
from functools import partial

from pipeline.generation.passages import find_passages, recall_at
from pipeline.generation.prompting import line
from pipeline.generation.tools import Tools
from pipeline.generation.types import Answer, Compression, Question, Record, Step
from pipeline.generation.writing import write_answers
from pipeline.rarr.errors import UnreadableReply
from pipeline.rarr.types import Evidence
from pipeline.replies.cleaning import reply_text
from pipeline.replies.labels import labelled_parts, only_value
from pipeline.replies.markup import plain_answer
from pipeline.replies.remarks import refuse_apology

TOKENS = 150
"""Limit of a summary or snippet; passages have 100 words."""
IRRELEVANT = "irrelevant"
"""Reply for an unhelpful passage."""
_LABELS = r"(?:short |brief |final )?(?:summary|snippet|extract|excerpt|answer)"
_IRRELEVANT = re.compile(
    r"\W{0,4}(?:(?:the|this) (?:document|passage|text|article) (?:is|appears"
    r"|seems)(?: to be)? (?:entirely |completely )?)?"
    r"(?:irrelevant|not relevant|unrelated)(?=\W*$|[\"'”’*_]*[.,;:!(–—-]| (?:to|because|as|since"
    r"|for)\b)"
    r"|(?:the|this) (?:document|passage|text|article) (?:does not|doesn['’]t|says nothing"
    r"|contains no"
    r"|tells nothing|has no|provides no)\b(?![^.]*\b(?:but|however|although|though|only|except"
    r"|while)\b)[^.]*\.?\s*$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Compressed:
    """Relevant passages, best first."""

    passages: tuple[Evidence, ...] = ()
    """In full, to be cited."""
    shortened: tuple[Evidence, ...] = ()
    """Parallel to `passages`."""
    record: Record


def compress_passages(question: Question, kind: Compression, *, tools: Tools) -> Compressed:
    """Shorten the best `compressed_passages`, without those that the model calls irrelevant.

    A passage stays whole, with a recorded problem, if the reply is unreadable or its snippet no
    quotation.
    """
    passages = find_passages(question, tools=tools)
    candidates = passages[: tools.config.compressed_passages]
    prompts = [
        replace(
            tools.prompt(kind, question, document=line(each)), max_tokens=TOKENS, temperature=0.0
        )
        for each in candidates
    ]
    replies = tools.complete(kind, prompts) if prompts else []
    relevant: list[tuple[Evidence, Evidence]] = []
    steps = []
    for passage, (reply,) in zip(candidates, replies, strict=True):
        try:
            text = tools.read_reply(kind, reply, partial(read_compressed, kind=kind))
        except UnreadableReply as error:
            steps.append(Step(name="problem", text=str(error)))
            text = ""
        if text == IRRELEVANT:
            steps.append(Step(name=kind, text=f"{passage.title}: {IRRELEVANT}"))
            continue
        number = len(relevant) + 1
        if kind == "snippet" and text and text not in " ".join(passage.text.split()):
            steps.append(Step(name="problem", text=f"not copied from [{number}]: {text}"))
            text = ""
        steps.append(Step(name=kind, text=f"[{number}] {text or 'shown whole'}"))
        relevant.append((passage, replace(passage, text=text) if text else passage))
    return Compressed(
        passages=tuple(passage for passage, _ in relevant),
        shortened=tuple(short for _, short in relevant),
        record=Record(steps=tuple(steps), recall_at=recall_at(question, passages, tools=tools)),
    )


def answer_compressed(question: Question, kind: Compression, *, tools: Tools) -> Answer:
    """Answer from shortened passages, citing the whole ones."""
    compressed = compress_passages(question, kind, tools=tools)
    (text,) = write_answers(question, compressed.shortened, tools=tools)
    return Answer(text=text, sources=compressed.passages, record=compressed.record)


def read_compressed(reply: str, kind: Compression) -> str:
    """Return the summary or snippet on one line, or `IRRELEVANT`.

    Raises `UnreadableReply` for neither.
    """
    text = reply_text(reply)
    parts = labelled_parts(text, {}, {"short": _LABELS})
    labelled = [part for name, part in parts if name == "short" and part]
    answer = plain_answer(only_value(labelled, kind.capitalize()) if labelled else parts[0][1])
    if any(map(_IRRELEVANT.match, (answer.split("\n")[0], answer[-len(IRRELEVANT) - 2 :]))):
        return IRRELEVANT
    text = " ".join(answer.split())
    if not text:
        raise UnreadableReply(f"The {kind} is empty.")
    refuse_apology(text)
    return text.strip('"“” ') if kind == "snippet" else text
