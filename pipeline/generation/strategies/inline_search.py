"""Answer step by step, searching in between (ALCE: InlineSearch)."""

from pipeline.generation.interactive_loop import LookupResult, write_interactively
from pipeline.generation.passages import find_passages, recall_at, search_passages
from pipeline.generation.prompting import numbered_line
from pipeline.generation.tools import Tools
from pipeline.generation.types import Answer, Question, Record
from pipeline.rarr.checked_calls import score_relevance
from pipeline.rarr.types import Evidence

NOTHING = "(nothing was found)"


def answer(question: Question, *, tools: Tools) -> Answer:
    """Number passages in order of first use.

    By default queries search the question's passages, since they may omit its subject.
    """
    is_among = tools.config.search_in == "passages" or tools.retriever is None
    passages = find_passages(question, tools=tools) if is_among else None
    sources: dict[tuple[str, str], tuple[int, Evidence]] = {}

    def search(query: str) -> LookupResult:
        best = (
            _best(query, passages, tools)
            if passages is not None
            else next(iter(search_passages(query, tools=tools)), None)
        )
        if best is None:
            return LookupResult(query=query, prompt_text=NOTHING)
        number, passage = sources.setdefault(best.identity, (len(sources) + 1, best))
        return LookupResult(query=query, prompt_text=numbered_line(number, passage))

    text, steps = write_interactively(
        question,
        "inline_search",
        verb="search",
        lookup=search,
        writes_after_lookup=False,
        tools=tools,
    )
    return Answer(
        text=text,
        sources=tuple(passage for _, passage in sources.values()),
        record=Record(
            steps=steps,
            recall_at={} if passages is None else recall_at(question, passages, tools=tools),
        ),
    )


def _best(query: str, passages: tuple[Evidence, ...], tools: Tools) -> Evidence | None:
    pairs = [(query, each.titled_text) for each in passages]
    scores = score_relevance(pairs, relevance=tools.relevance) if pairs else []
    return passages[scores.index(max(scores))] if pairs else None
