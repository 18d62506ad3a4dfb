"""Answer from gold passages, those that came with the question, in one go (ALCE, appendix G.1:
Oracle); nothing is searched."""

from pipeline.generation.passages import answers_in, recall_at
from pipeline.generation.tools import Tools
from pipeline.generation.types import Answer, NoSources, Question, Record
from pipeline.generation.writing import write_answers
from pipeline.rarr.types import Evidence


def answer(question: Question, *, tools: Tools) -> Answer:
    """Raises `NoSources` where the question brought none."""
    if not question.sources:
        raise NoSources(
            f"The passage {question.id} brought no sources, and oracle looks at no others: import "
            "it with its docs, quotes or contexts, or choose vanilla."
        )
    shown = choose_passages(question, tools.config.passages)
    (text,) = write_answers(question, shown, tools=tools)
    return Answer(
        text=text, sources=shown, record=Record(recall_at=recall_at(question, question.sources))
    )


def choose_passages(question: Question, wanted: int) -> tuple[Evidence, ...]:
    """So many of the question's passages, in their order, that give most of the short answers.

    ALCE's greedy search: those with most answers each, then exchanges of one of them for one of
    the others, in turn, wherever that gives more. The first ones where no answer is known.
    """
    answers = [answers_in(each, question) for each in question.sources]
    places = sorted(range(len(answers)), key=lambda place: -len(answers[place]))
    chosen, others = places[:wanted], places[wanted:]

    def covered(some: list[int]) -> int:
        return len(frozenset().union(*(answers[place] for place in some)))

    for other in others:
        swapped = [[*chosen[:at], other, *chosen[at + 1 :]] for at in range(len(chosen))]
        best = max(swapped, key=covered)
        if covered(best) > covered(chosen):
            chosen = best
    return tuple(question.sources[place] for place in sorted(chosen))
