"""Answer from the best passages in one go, citing as it writes (ALCE, section 4: Vanilla)."""

from pipeline.generation.passages import find_passages, recall_at
from pipeline.generation.tools import Tools
from pipeline.generation.types import Answer, Question, Record
from pipeline.generation.writing import write_answers


def answer(question: Question, *, tools: Tools) -> Answer:
    found = find_passages(question, tools=tools)
    shown = found[: tools.config.passages]
    (text,) = write_answers(question, shown, tools=tools)
    return Answer(text=text, sources=shown, record=Record(recall_at=recall_at(question, found)))
