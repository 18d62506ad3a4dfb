"""The citation recall of answers while they are chosen among (ALCE, sections 3.3 and 4.3)."""

from collections.abc import Sequence

from pipeline.generation.tools import Tools
from pipeline.generation.types import Question
from pipeline.metrics.alce_reference import AT_MOST
from pipeline.metrics.citation_corrections import listed, statement
from pipeline.metrics.citation_corrections import parts as statement_parts
from pipeline.metrics.citation_support import (
    CitedAnswer,
    Entailments,
    Statement,
    citation_support,
)
from pipeline.rarr.types import Evidence


def citation_recalls(
    texts: Sequence[str], *, question: Question, sources: Sequence[Evidence], tools: Tools
) -> list[float | None]:
    """Of each answer the share of its statements that the passages they cite entail, 0.0 to 1.0.

    None for an answer without a statement. The premise is what a statement cites and nothing
    else: the reference's own rerank reads all passages.
    """
    passages = [f"Title: {each.title}\n{each.text}" for each in sources]
    answers = [
        CitedAnswer(statements=_statements(each, question, len(sources), tools), passages=passages)
        for each in texts
    ]
    known = Entailments(
        lambda pairs: [each.entailed for each in tools.entailment.score(list(pairs))]
    )
    return [each.recall for each in citation_support(answers, known)]


def _statements(text: str, question: Question, passages: int, tools: Tools) -> list[Statement]:
    spans = [(span.start, span.end) for span in tools.splitter.split(text)]
    parts = listed(text) if question.is_list else statement_parts(text, spans)
    before = f"{question.text} " if question.is_list else ""
    return [statement(each, passages=passages, at_most=AT_MOST, before=before) for each in parts]
