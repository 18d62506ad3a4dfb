"""Answer from the best passages in one call (ALCE: Vanilla)."""

from pipeline.generation.passages import find_passages, recall_at
from pipeline.generation.tools import Tools
from pipeline.generation.types import Answer, Question, Record
from pipeline.generation.writing import write_answers


def answer(question: Question, *, tools: Tools) -> Answer:
    passages = find_passages(question, tools=tools)
    selected = passages[: tools.config.passages]
    (text,) = write_answers(question, selected, tools=tools)
    return Answer(
        text=text,
        sources=selected,
        record=Record(recall_at=recall_at(question, passages, tools=tools)),
    )
