"""Cite the most relevant passage after each statement (ALCE: PostCite)."""

from pipeline.generation.passages import find_passages, recall_at
from pipeline.generation.tools import Tools
from pipeline.generation.types import Answer, Question, Record, Step
from pipeline.generation.writing import claims_of, get_or_generate_draft, insert_citations
from pipeline.metrics.citation_marks import without_citations
from pipeline.rarr.checked_calls import score_relevance


def answer(question: Question, *, tools: Tools) -> Answer:
    """Return the draft with one citation per statement, numbered in order of use."""
    draft = without_citations(get_or_generate_draft(question, tools=tools))
    passages = find_passages(question, tools=tools)
    claims = claims_of(draft, question=question, splitter=tools.splitter)
    scores = iter(
        score_relevance(
            [(claim.text, each.titled_text) for claim in claims for each in passages],
            relevance=tools.relevance,
        )
    )
    numbers: dict[int, int] = {}
    cited, steps = [], [Step(name="draft", text=draft)]
    for claim in claims:
        fits = [next(scores) for _ in passages]
        if not fits:
            continue
        index = fits.index(max(fits))
        number = numbers.setdefault(index, len(numbers) + 1)
        cited.append((claim, [number]))
        steps.append(Step(name="cite", text=f"[{number}] for “{claim.span.of(draft)}”"))
    return Answer(
        text=insert_citations(draft, cited),
        sources=tuple(passages[index] for index in numbers),
        record=Record(steps=tuple(steps), recall_at=recall_at(question, passages, tools=tools)),
    )
