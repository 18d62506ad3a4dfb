"""Write several answers, select that with best citation recall (ALCE: Rerank)."""

from functools import partial

from pipeline.generation.passages import find_passages, recall_at
from pipeline.generation.tools import Tools
from pipeline.generation.types import Answer, Question, Record, Step
from pipeline.generation.writing import write_answers
from pipeline.metrics.alce_reference import MAX_SOURCES
from pipeline.metrics.citation_corrections import listed, parts, statement
from pipeline.metrics.citation_support import CitedAnswer, Entailments, citation_support
from pipeline.rarr.checked_calls import entailment_probabilities
from pipeline.rarr.types import Evidence


def answer(question: Question, *, tools: Tools) -> Answer:
    """Return the first best of `answer_samples` answers, of a single one at temperature 0."""
    passages = find_passages(question, tools=tools)
    selected = passages[: tools.config.passages]
    samples = tools.config.answer_samples if tools.config.answer_temperature else 1
    texts = write_answers(question, selected, tools=tools, samples=samples)
    known = Entailments(partial(entailment_probabilities, entailment=tools.entailment))
    support = citation_support([_cited(each, question, selected, tools) for each in texts], known)
    recalls = [each.recall for each in support]
    ranks = [-1.0 if each is None else each for each in recalls]
    steps = []
    for text, recall in zip(texts, recalls, strict=True):
        value = "unknown" if recall is None else f"{recall:.2f}"
        steps.append(Step(name="candidate", text=f"citation recall {value}: {text}"))
    return Answer(
        text=texts[ranks.index(max(ranks))],
        sources=selected,
        record=Record(steps=tuple(steps), recall_at=recall_at(question, passages, tools=tools)),
    )


def _cited(
    text: str, question: Question, selected: tuple[Evidence, ...], tools: Tools
) -> CitedAnswer:
    spans = [(span.start, span.end) for span in tools.splitter(text)]
    before = f"{question.text} " if question.is_list else ""
    return CitedAnswer(
        statements=[
            statement(each, passages=len(selected), at_most=MAX_SOURCES, before=before)
            for each in (listed(text) if question.is_list else parts(text, spans))
        ],
        passages=[f"Title: {each.title}\n{each.text}" for each in selected],
    )
