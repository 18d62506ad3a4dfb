"""What passes between the steps of a strategy: a question, an answer, and how it came about."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Self, get_args

from pipeline.rarr.configuration import read_number
from pipeline.rarr.errors import BadConfig, RarrError
from pipeline.rarr.types import Evidence

Compression = Literal["summary", "snippet"]
"""How passages are made short (ALCE, section 4)."""
ANSWER_TYPES = ("short", "long")
"""HAGRID's two kinds of answer, each with a prompt of its own (section 3)."""
SEARCH_IN = ("passages", "corpus")
"""Among the passages that the question found or brought, as in ALCE, or anew for each query."""


class NoQuestion(RarrError):
    """A passage has no context, so there is no question to answer."""


class NoDraft(RarrError):
    """A passage has no text to begin with, and there is no language model to write one."""


class NoSources(RarrError):
    """A passage brought no sources, and the strategy looks at no others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question, and what came with it."""

    id: str
    text: str
    """The question, or a dialog whose last turn is to be answered."""
    draft: str = ""
    """An answer that was written without sources; strategies that attribute one begin with it."""
    sources: tuple[Evidence, ...] = ()
    """The passages that came with it, in their order: ALCE's `docs`, HAGRID's `quotes`."""
    short_answers: tuple[tuple[str, ...], ...] = ()
    """What is right: of each answer the ways to write it."""
    is_list: bool = False
    """Whether the answer is a list of entities (QAMPARI)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One thing that a strategy did, told."""

    name: str
    """In a word: search, check, output, summary, draft, …"""
    text: str
    """What came of it, or what was asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """How an answer came about."""

    steps: tuple[Step, ...] = ()
    problems: tuple[str, ...] = ()
    """Where the text is not in the form that was asked for: keys of `answer_format.PROBLEMS`."""
    recall_at: Mapping[int, float] = field(default_factory=dict)
    """Of so many best passages: the share of the short answers that stand in them, 0.0 to 1.0.
    Empty where nobody knows the short answers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a strategy makes of a question."""

    text: str
    """With its citations: `[n]` is the n-th of `sources`."""
    sources: tuple[Evidence, ...] = ()
    record: Record = field(default_factory=Record)


@dataclass(frozen=True, slots=True, kw_only=True)
class GenerationConfig:
    """Every number that a strategy goes by (ALCE, section 4 and appendix)."""

    passages: int = 5
    """k: passages that the model is shown."""
    compressed_passages: int = 10
    """Passages that are summarised, or cut to snippets, before they are shown."""
    compressed_to: Compression = "summary"
    """What `interact` shows first."""
    retrieved: int = 100
    """Passages that the search ranks; recall is measured in them."""
    passage_words: int = 100
    """The length that documents are cut to."""
    documents: int = 20
    """Documents taken from the search, before they are cut."""
    answer_temperature: float = 0.5
    answer_number: int = 1
    """Which of several answers to the same question: number 2 is drawn as the second sample."""
    answer_samples: int = 4
    """Answers among which `rerank` chooses."""
    answer_tokens: int = 300
    """The longest answer."""
    answer_type: str = "short"
    """One of `ANSWER_TYPES`: what `hagrid` asks for."""
    turns: int = 20
    """Steps after which `interact` and `inline-search` end, whatever the model says."""
    search_in: str = "passages"
    """One of `SEARCH_IN`: where `inline-search` looks."""

    def __post_init__(self) -> None:
        for name in ("passages", "compressed_passages", "retrieved", "passage_words", "documents",
                     "answer_samples", "answer_tokens", "answer_number", "turns"):  # fmt: skip
            if getattr(self, name) < 1:
                raise BadConfig(f"{name} is {getattr(self, name)}: write 1 or more.")
        for name, choices in (("answer_type", ANSWER_TYPES), ("search_in", SEARCH_IN),
                              ("compressed_to", get_args(Compression))):  # fmt: skip
            if (given := getattr(self, name)) not in choices:
                raise BadConfig(f"{name}={given!r}: choose one of {', '.join(choices)}.")
        if not 0 <= self.answer_temperature <= 2:
            raise BadConfig(
                f"answer_temperature is {self.answer_temperature}: write a number from 0 to 2."
            )
        if self.answer_number > 1 and not self.answer_temperature:
            raise BadConfig(
                "answer_temperature is 0, so that several answers to a question would all be the "
                "same: write more, or leave answer_number at 1."
            )

    def with_settings(self, settings: Mapping[str, Any]) -> Self:
        """A copy with `settings` (names to values or their text) put in place.

        Raises `BadConfig` for a value of the wrong kind.
        """
        values: dict[str, Any] = {}
        for name, given in settings.items():
            kind = type(getattr(self, name))
            values[name] = str(given) if kind is str else read_number(name, given, kind=kind)
        return replace(self, **values)
