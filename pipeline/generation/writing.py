"""What a language model writes in one go: a draft from nothing, an answer from passages shown."""

from collections.abc import Sequence
from dataclasses import replace

from pipeline.generation.prompting import numbered, read_answer
from pipeline.generation.tools import Tools
from pipeline.generation.types import NoDraft, Question
from pipeline.rarr.errors import UnreadableReply
from pipeline.rarr.types import Evidence


def write_answers(
    question: Question, shown: Sequence[Evidence], *, tools: Tools, samples: int = 1
) -> tuple[str, ...]:
    """Answers that cite the passages shown by their places; one or more, at most `samples`.

    A sample that is empty is left out; raises `UnreadableReply` where all are.
    """
    prompt = tools.prompt(
        "cited_list" if question.is_list else "cited_answer", question, passages=numbered(shown)
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


def write_draft(question: Question, *, tools: Tools) -> str:
    """An answer without citations, by the language model."""
    prompt = tools.prompt("uncited_list" if question.is_list else "uncited_answer", question)
    ((reply,),) = tools.complete("draft", [prompt])
    return tools.read_reply("draft", reply, read_answer)


def take_draft(question: Question, *, tools: Tools) -> str:
    """The draft that came with the question, or one by the language model.

    Raises `NoDraft` where there is neither.
    """
    if question.draft.strip():
        return question.draft.strip()
    if tools.model is None:
        raise NoDraft(
            f"The passage {question.id} has no text to begin with, and the compact models write "
            "none: import answers as its text, or set llm to openai:MODEL or hf:NAME_OR_PATH."
        )
    return write_draft(question, tools=tools)
