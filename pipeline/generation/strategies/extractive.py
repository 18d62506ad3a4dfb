"""Quote the best-matching sentences. Needs no language model."""

from pipeline.generation.passages import find_passages, recall_at
from pipeline.generation.tools import Tools
from pipeline.generation.types import Answer, Question, Record
from pipeline.generation.writing import quote
from pipeline.metrics.citation_marks import without_citations
from pipeline.rarr.checked_calls import score_relevance
from pipeline.rarr.types import with_title

SENTENCES = 3
"""Maximum of an answer."""
FEWEST_WORDS = 4
"""Shorter sentences are captions or headings."""


def answer(question: Question, *, tools: Tools) -> Answer:
    """Return the most relevant distinct sentences, in the order of their passages."""
    passages = find_passages(question, tools=tools)
    selected = passages[: tools.config.passages]
    sentences = [
        (number, text)
        for number, passage in enumerate(selected, start=1)
        for span in tools.splitter(passage.text)
        # A passage's own "[7]" would read as a citation of the answer.
        for text in [" ".join(without_citations(span.of(passage.text)).split())]
        if len(text.split()) >= FEWEST_WORDS
    ]
    texts = [with_title(text, title=selected[number - 1].title) for number, text in sentences]
    scores = score_relevance([(question.text, t) for t in texts], relevance=tools.relevance)
    best: dict[str, int] = {}
    for index in sorted(range(len(sentences)), key=lambda index: -scores[index]):
        best.setdefault(sentences[index][1], index)
        if len(best) == SENTENCES:
            break
    cited = [sentences[index] for index in sorted(best.values())]
    return Answer(
        text=" ".join(quote(text, number) for number, text in cited),
        sources=selected,
        record=Record(recall_at=recall_at(question, passages, tools=tools)),
    )
