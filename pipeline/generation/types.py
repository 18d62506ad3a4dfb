"""What passes between the steps of a strategy: a question, an answer, and how it came about."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Literal, Self, get_args

from pydantic import Field, model_validator
from pydantic.dataclasses import dataclass as pydantic_dataclass

from pipeline.rarr.configuration import Count
from pipeline.rarr.errors import BadConfig, RarrError
from pipeline.rarr.types import Evidence

Compression = Literal["summary", "snippet"]
"""How passages are made short (ALCE, section 4)."""
AnswerType = Literal["short", "long"]
"""HAGRID's two kinds of answer, each with a prompt of its own (section 3)."""
ANSWER_TYPES = get_args(AnswerType)
SearchIn = Literal["passages", "corpus"]
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


@pydantic_dataclass(frozen=True, slots=True, kw_only=True)
class GenerationConfig:
    """Every number that a strategy goes by (ALCE, section 4 and appendix)."""

    passages: Count = 5
    """k: passages that the model is shown."""
    compressed_passages: Count = 10
    """Passages that are summarised, or cut to snippets, before they are shown."""
    compressed_to: Compression = "summary"
    """What `interact` shows first."""
    retrieved: Count = 100
    """Passages that the search ranks; recall is measured in them."""
    passage_words: Count = 100
    """The length that documents are cut to."""
    documents: Count = 20
    """Documents taken from the search, before they are cut."""
    answer_temperature: Annotated[float, Field(ge=0, le=2, allow_inf_nan=False)] = 0.5
    answer_number: Count = 1
    """Which of several answers to the same question: number 2 is drawn as the second sample."""
    answer_samples: Count = 4
    """Answers among which `rerank` chooses."""
    answer_tokens: Count = 300
    """The longest answer."""
    answer_type: AnswerType = "short"
    """What `hagrid` asks for."""
    turns: Count = 20
    """Steps after which `interact` and `inline-search` end, whatever the model says."""
    search_in: SearchIn = "passages"
    """Where `inline-search` searches."""

    @model_validator(mode="after")
    def _check_samples(self) -> Self:
        if self.answer_number > 1 and not self.answer_temperature:
            raise BadConfig(
                "answer_temperature is 0, so that several answers to a question would all be the "
                "same: write more, or leave answer_number at 1.",
                field="answer_temperature",
            )
        return self
