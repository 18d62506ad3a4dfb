"""Answers by one prompt (ALCE, section 4: Vanilla, Summ, Snippet, ClosedBook)."""

from pipeline.generation.compression import compress_passages
from pipeline.generation.passages import find_passages, recall_at
from pipeline.generation.tools import Tools
from pipeline.generation.types import Answer, Compression, Question, Record
from pipeline.generation.writing import generate_draft, write_answers


def vanilla(question: Question, *, tools: Tools) -> Answer:
    """Answer from the best passages."""
    passages = find_passages(question, tools=tools)
    selected = passages[: tools.config.passages]
    (text,) = write_answers(question, selected, tools=tools)
    return Answer(
        text=text, sources=selected, record=Record(recall_at=recall_at(question, passages))
    )


def summ(question: Question, *, tools: Tools) -> Answer:
    """Answer from summaries of more passages than fit whole."""
    return _answer_compressed(question, "summary", tools)


def snippet(question: Question, *, tools: Tools) -> Answer:
    """Answer from snippets of more passages than fit whole."""
    return _answer_compressed(question, "snippet", tools)


def _answer_compressed(question: Question, kind: Compression, tools: Tools) -> Answer:
    compressed = compress_passages(question, kind, tools=tools)
    (text,) = write_answers(question, compressed.shortened, tools=tools)
    return Answer(text=text, sources=compressed.passages, record=compressed.record)


def closed_book(question: Question, *, tools: Tools) -> Answer:
    """Answer from the model's knowledge, uncited."""
    return Answer(text=generate_draft(question, tools=tools))
