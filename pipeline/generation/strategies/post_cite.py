"""Give each statement of an answer that was written without sources the passage that fits it best
(ALCE, section 4: PostCite)."""

from pipeline.generation.citing import cite_claims, claims_of
from pipeline.generation.passages import find_passages, recall_at
from pipeline.generation.tools import Tools
from pipeline.generation.types import Answer, Question, Record, Step
from pipeline.generation.writing import take_draft
from pipeline.metrics.citation_marks import without_citations
from pipeline.rarr.checked_calls import score_relevance


def answer(question: Question, *, tools: Tools) -> Answer:
    """The draft, which stays word for word, with a citation behind each statement.

    Of equally relevant passages the first is cited. Passages are numbered as they are first
    cited; citations that the draft had are left out.
    """
    draft = without_citations(take_draft(question, tools=tools))
    found = find_passages(question, tools=tools)
    claims = claims_of(draft, question=question, splitter=tools.splitter)
    scores = iter(
        score_relevance(
            [(claim.text, each.titled) for claim in claims for each in found],
            relevance=tools.relevance,
        )
    )
    numbers: dict[int, int] = {}
    cited, steps = [], [Step(name="draft", text=draft)]
    for claim in claims:
        fits = [next(scores) for _ in found]
        if not fits:
            continue
        place = fits.index(max(fits))
        number = numbers.setdefault(place, len(numbers) + 1)
        cited.append((claim, [number]))
        steps.append(Step(name="cite", text=f"[{number}] for “{claim.span.of(draft)}”"))
    return Answer(
        text=cite_claims(draft, cited),
        sources=tuple(found[place] for place in numbers),
        record=Record(steps=tuple(steps), recall_at=recall_at(question, found)),
    )
