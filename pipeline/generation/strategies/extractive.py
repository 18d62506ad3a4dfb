"""Pick the sentences of the best passages that answer the question, and cite them; no language
model is needed, so everything can be tried without one."""

from pipeline.generation.citing import cite
from pipeline.generation.passages import find_passages, recall_at
from pipeline.generation.tools import Tools
from pipeline.generation.types import Answer, Question, Record
from pipeline.metrics.citation_marks import without_citations
from pipeline.rarr.checked_calls import score_relevance
from pipeline.rarr.types import titled

SENTENCES = 3
"""Of an answer, at most."""
FEWEST_WORDS = 4
"""A shorter sentence is a caption or a heading."""


def answer(question: Question, *, tools: Tools) -> Answer:
    """The sentences of the passages shown that the relevance model ranks first.

    They stand in the order of their passages, each once, with the number of its passage.
    """
    found = find_passages(question, tools=tools)
    shown = found[: tools.config.passages]
    sentences = [
        (number, text)
        for number, passage in enumerate(shown, start=1)
        for span in tools.splitter(passage.text)
        # A passage may cite, too: "[7]" would be taken for a citation of ours.
        for text in [" ".join(without_citations(span.of(passage.text)).split())]
        if len(text.split()) >= FEWEST_WORDS
    ]
    scores = score_relevance(
        [
            (question.text, titled(title=shown[number - 1].title, text=text))
            for number, text in sentences
        ],
        relevance=tools.relevance,
    )
    # Of the same words in two passages the first is kept.
    best: dict[str, int] = {}
    for place in sorted(range(len(sentences)), key=lambda place: -scores[place]):
        best.setdefault(sentences[place][1], place)
        if len(best) == SENTENCES:
            break
    said = [sentences[place] for place in sorted(best.values())]
    return Answer(
        text=" ".join(cite(_ended(text), [number]) for number, text in said),
        sources=shown,
        record=Record(recall_at=recall_at(question, found)),
    )


def _ended(sentence: str) -> str:
    return sentence if sentence[-1] in ".!?" else f"{sentence}."
