"""Quote two sentences of the best passage. Needs no language model (ALCE, appendix D)."""

from pipeline.generation.strategies import top_passage
from pipeline.generation.tools import Tools
from pipeline.generation.types import Answer, Question


def answer(question: Question, *, tools: Tools) -> Answer:
    """Quote the passage's first two sentences."""
    return top_passage.answer(question, tools=tools, sentences=2)
