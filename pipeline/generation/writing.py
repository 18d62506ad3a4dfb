"""Drafts and answers that a language model writes in a single call."""

from collections.abc import Sequence
from dataclasses import replace

from pipeline.generation.prompting import numbered, read_answer
from pipeline.generation.tools import Tools
from pipeline.generation.types import NoDraft, Question
from pipeline.rarr.errors import UnreadableReply
from pipeline.rarr.types import Evidence


def write_answers(
    question: Question, passages: Sequence[Evidence], *, tools: Tools, samples: int = 1
) -> tuple[str, ...]:
    """Write 1 to `samples` answers that cite `passages` by number.

    Empty samples are dropped; raises `UnreadableReply` if all are.
    """
    prompt = tools.prompt(
        "cited_list" if question.is_list else "cited_answer", question, passages=numbered(passages)
    )
    (replies,) = tools.complete("answer", [replace(prompt, samples=samples)])
    texts, wrong = [], []
    for reply in replies:
        try:
            texts.append(tools.read_reply("answer", reply, read_answer))
        except UnreadableReply as error:
            wrong.append(error)
    if not texts:
        raise wrong[0] if wrong else UnreadableReply("The language model gave no answer.")
    return tuple(texts)


def generate_draft(question: Question, *, tools: Tools) -> str:
    """Write an answer without citations."""
    prompt = tools.prompt("uncited_list" if question.is_list else "uncited_answer", question)
    ((reply,),) = tools.complete("draft", [prompt])
    return tools.read_reply("draft", reply, read_answer)


def get_or_generate_draft(question: Question, *, tools: Tools) -> str:
    """Return the question's draft, or let the language model write one.

    Raises `NoDraft` without either.
    """
    if question.draft.strip():
        return question.draft.strip()
    if tools.model is None:
        raise NoDraft(
            f"The passage {question.id} has no text to begin with, and the compact models write "
            "none: import answers as its text, or set llm to openai:MODEL or hf:NAME_OR_PATH."
        )
    return generate_draft(question, tools=tools)
