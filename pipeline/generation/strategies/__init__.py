"""Strategies that answer with citations, by name; docs/systems.md describes them."""

from importlib import import_module
from typing import Protocol, cast

from pipeline.generation.tools import Tools
from pipeline.generation.types import Answer, Question
from pipeline.rarr.errors import BadConfig

_HERE = "pipeline.generation.strategies"
STRATEGIES = {
    "vanilla": f"{_HERE}.vanilla.answer",
    "summ": f"{_HERE}.summ.answer",
    "snippet": f"{_HERE}.snippet.answer",
    "interact": f"{_HERE}.interact.answer",
    "inline-search": f"{_HERE}.inline_search.answer",
    "rerank": f"{_HERE}.rerank.answer",
    "oracle": f"{_HERE}.oracle.answer",
    "hagrid": f"{_HERE}.hagrid.answer",
    "closed-book": f"{_HERE}.closed_book.answer",
    "post-cite": f"{_HERE}.post_cite.answer",
    "closed-book-rarr": f"{_HERE}.closed_book_rarr.answer",
    "extractive": f"{_HERE}.extractive.answer",
    "top-passage": f"{_HERE}.top_passage.answer",
    "top-sentences": f"{_HERE}.top_sentences.answer",
}
"""Dotted paths, imported on first use."""

TAKES_DRAFT = {"post-cite", "closed-book-rarr"}
"""Strategies that begin with the passage's text."""

WITHOUT_MODEL = {"extractive", "top-passage", "top-sentences", *TAKES_DRAFT}
"""Strategies that need a language model at most for a draft."""

WITHOUT_SEARCH = {"closed-book", "oracle"}
"""Strategies that do not search."""


class Strategy(Protocol):
    def __call__(self, question: Question, *, tools: Tools) -> Answer: ...


def load_strategy(name: str) -> Strategy:
    """Import a strategy's function; raises `BadConfig` for an unknown name."""
    if name not in STRATEGIES:
        known = ", ".join(STRATEGIES)
        raise BadConfig(f"{name!r} is no strategy: choose one of {known}.", field="system")
    module, _, function = STRATEGIES[name].rpartition(".")
    return cast(Strategy, getattr(import_module(module), function))
