"""Answer from summaries of more passages than would fit whole; irrelevant ones are left out
(ALCE, section 4: Summ)."""

from pipeline.generation.compression import answer_compressed
from pipeline.generation.tools import Tools
from pipeline.generation.types import Answer, GenerationConfig, Question


def answer(question: Question, *, tools: Tools, config: GenerationConfig) -> Answer:
    return answer_compressed(question, "summary", tools=tools, config=config)
