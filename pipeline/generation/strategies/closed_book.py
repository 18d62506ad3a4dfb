"""Answer from the model's knowledge, uncited (ALCE: ClosedBook)."""

from pipeline.generation.tools import Tools
from pipeline.generation.types import Answer, Question
from pipeline.generation.writing import generate_draft


def answer(question: Question, *, tools: Tools) -> Answer:
    return Answer(text=generate_draft(question, tools=tools))
