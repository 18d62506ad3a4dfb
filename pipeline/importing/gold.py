"""A passage as a question: what was asked, what may be cited, and what is right.

What is right stands in ALCE's data files as `qa_pairs` (ASQA), `answers` (QAMPARI) or `claims`
(ELI5); plain lines have `answers`, the ways to write the one answer.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import ValidationError

from pipeline.generation.types import NoQuestion, Question
from pipeline.importing.alce_answers import AlceAnswer
from pipeline.importing.came_with import documents_of
from pipeline.importing.sources import Source
from pipeline.rarr.types import Evidence

GOLD = ("qa_pairs", "annotations", "answers", "claims", "answer")
"""ALCE's fields that say what is right."""
_ONE_LINE = {ord(end): " " for end in "\r\n"}


def question_of(*, name: str, context: str, text: str, source: Mapping[str, Any]) -> Question:
    """The question that a passage's context asks; raises `NoQuestion` for a blank one."""
    if not context.strip():
        raise NoQuestion(
            f"The passage {name} has no context, so there is no question to answer: import it with "
            "its question as the context."
        )
    return Question(
        id=name,
        text=context.strip(),
        draft=text.strip(),
        sources=tuple(
            Evidence(
                title=each.title,
                url=each.url,
                text=each.text,
                document_id=each.id,
                query=context.strip(),
                relevance=0.0,
            )
            for each in documents_of(source)
        ),
        short_answers=short_answers(source),
        is_list=is_list(source),
    )


def alce_answer(
    *, question: str, output: str, sources: Iterable[Evidence | Source], source: Mapping[str, Any]
) -> AlceAnswer:
    """An answer with what it may cite and what is right, as ALCE's evaluation takes it.

    A field of `source` that is not as ALCE writes it says nothing of what is right; the plain
    lines' `answers` become the short answers of one question. The evaluation reads one line, so
    line breaks become spaces.
    """
    output = output.translate(_ONE_LINE)
    gold = {name: source[name] for name in GOLD if name in source and _is_gold(name, source[name])}
    if "answers" in source and not is_list(source) and (short := short_answers(source)):
        gold.setdefault(
            "qa_pairs", [{"question": question, "short_answers": list(each)} for each in short]
        )
    docs = [{"title": each.title, "text": each.text} for each in sources]
    return AlceAnswer.model_validate({"question": question, "output": output, "docs": docs, **gold})


def is_list(source: Mapping[str, Any]) -> bool:
    """Whether the answer is a list of entities, each with its aliases, as QAMPARI's are."""
    answers = source.get("answers")
    return isinstance(answers, list) and bool(answers) and all(map(_is_aliases, answers))


def short_answers(source: Mapping[str, Any]) -> tuple[tuple[str, ...], ...]:
    """Of each right answer the ways to write it; empty where nobody knows.

    >>> short_answers({"qa_pairs": [{"short_answers": ["Ada Lee", "A. Lee"]}]})
    (('Ada Lee', 'A. Lee'),)
    >>> short_answers({"answers": ["Ada Lee", "A. Lee"]})
    (('Ada Lee', 'A. Lee'),)
    """
    pairs, answers = source.get("qa_pairs"), source.get("answers")
    found: list[Any] = []
    if isinstance(pairs, list) and pairs:
        found = [each.get("short_answers") for each in pairs if isinstance(each, dict)]
    elif is_list(source):
        found = list(answers or ())
    elif _is_aliases(answers):
        found = [answers]
    return tuple(tuple(each) for each in found if _is_aliases(each) and each)


def _is_aliases(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


def _is_gold(name: str, value: Any) -> bool:
    try:
        AlceAnswer.model_validate({"question": "", "output": "", name: value})
    except ValidationError:
        return False
    return True
