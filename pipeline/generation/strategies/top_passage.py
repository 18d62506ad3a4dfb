"""Quote the best passage whole. Needs no language model (ALCE, appendix D: a shortcut)."""

from pipeline.generation.passages import find_passages, recall_at
from pipeline.generation.tools import Tools
from pipeline.generation.types import Answer, Question, Record
from pipeline.generation.writing import quote
from pipeline.metrics.citation_marks import without_citations


def answer(question: Question, *, tools: Tools, sentences: int | None = None) -> Answer:
    """Cite the passage after each of its sentences; `sentences` limits them."""
    passages = find_passages(question, tools=tools)
    selected = passages[:1]
    # The passage's own "[7]" would read as a citation of the answer.
    texts = [without_citations(each.text) for each in selected]
    cited = [quote(span.of(text), 1) for text in texts for span in tools.splitter(text)[:sentences]]
    return Answer(
        text=" ".join(cited),
        sources=selected,
        record=Record(recall_at=recall_at(question, passages, tools=tools)),
    )
