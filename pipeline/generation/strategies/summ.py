"""Answer from summaries of more passages than fit whole (ALCE: Summ)."""

from pipeline.generation.compression import answer_compressed
from pipeline.generation.tools import Tools
from pipeline.generation.types import Answer, Question


def answer(question: Question, *, tools: Tools) -> Answer:
    return answer_compressed(question, "summary", tools=tools)
