"""Answer from what the model knows, without any passage or citation (ALCE, section 4: ClosedBook).

Its correctness is what citing is compared with; `post-cite` and `closed-book-rarr` begin with it.
"""

from pipeline.generation.tools import Tools
from pipeline.generation.types import Answer, Question
from pipeline.generation.writing import write_draft


def answer(question: Question, *, tools: Tools) -> Answer:
    return Answer(text=write_draft(question, tools=tools))
