"""Answer step by step, searching in between; of each search the best passage is shown, for one
step (ALCE, section 4: InlineSearch)."""

from pipeline.generation.passages import find_passages, recall_at, search_passages
from pipeline.generation.prompting import numbered_line
from pipeline.generation.tools import Tools
from pipeline.generation.turns import Looked, write_in_turns
from pipeline.generation.types import Answer, Question, Record
from pipeline.rarr.checked_calls import score_relevance
from pipeline.rarr.types import Evidence

NOTHING = "(nothing was found)"


def answer(question: Question, *, tools: Tools) -> Answer:
    """A passage keeps the number under which it was first shown; all that were are sources.

    Queries are searched among the question's passages, as `search_in` says: they may leave out
    what the question is about.
    """
    is_among = tools.config.search_in == "passages" or tools.retriever is None
    found = find_passages(question, tools=tools) if is_among else None
    shown: dict[tuple[str, str], tuple[int, Evidence]] = {}

    def search(query: str) -> Looked:
        best = (
            _best(query, found, tools)
            if found is not None
            else next(iter(search_passages(query, tools=tools)), None)
        )
        if best is None:
            return Looked(told=query, shown=NOTHING)
        number, passage = shown.setdefault(best.identity, (len(shown) + 1, best))
        return Looked(told=query, shown=numbered_line(number, passage))

    text, steps = write_in_turns(
        question,
        "inline_search",
        verb="search",
        look=search,
        speaks_after_looking=False,
        tools=tools,
    )
    return Answer(
        text=text,
        sources=tuple(passage for _, passage in shown.values()),
        record=Record(steps=steps, recall_at={} if found is None else recall_at(question, found)),
    )


def _best(query: str, passages: tuple[Evidence, ...], tools: Tools) -> Evidence | None:
    """The most relevant passage, of equals the first."""
    pairs = [(query, each.titled) for each in passages]
    scores = score_relevance(pairs, relevance=tools.relevance) if pairs else []
    return passages[scores.index(max(scores))] if pairs else None
