"""Answer from gold passages, without a search (ALCE: Oracle)."""

from pipeline.generation.passages import answers_in, recall_at
from pipeline.generation.tools import Tools
from pipeline.generation.types import Answer, NoSources, Question, Record
from pipeline.generation.writing import write_answers
from pipeline.rarr.types import Evidence


def answer(question: Question, *, tools: Tools) -> Answer:
    """Raises `NoSources` for a question without sources."""
    if not question.sources:
        raise NoSources(
            f"The passage {question.id} brought no sources, and oracle looks at no others: import "
            "it with its docs, quotes or contexts, or choose vanilla."
        )
    selected = choose_passages(question, tools=tools)
    (text,) = write_answers(question, selected, tools=tools)
    return Answer(
        text=text,
        sources=selected,
        record=Record(recall_at=recall_at(question, question.sources, tools=tools)),
    )


def choose_passages(question: Question, *, tools: Tools) -> tuple[Evidence, ...]:
    """Return the question's `passages` passages, in order, with most right answers.

    ALCE's greedy search, then exchanges that add answers. The first passages without known answers.
    """
    wanted = tools.config.passages
    answers = answers_in(question, question.sources, tools=tools)
    if answers is None:
        return question.sources[:wanted]
    order = sorted(range(len(answers)), key=lambda index: -len(answers[index]))
    chosen, others = order[:wanted], order[wanted:]

    def covered(some: list[int]) -> int:
        return len(frozenset().union(*(answers[index] for index in some)))

    for other in others:
        swapped = [[*chosen[:at], other, *chosen[at + 1 :]] for at in range(len(chosen))]
        best = max(swapped, key=covered)
        if covered(best) > covered(chosen):
            chosen = best
    return tuple(question.sources[index] for index in sorted(chosen))
