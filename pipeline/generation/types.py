"""Questions, answers and configuration of strategies."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Literal, Self, get_args

from pydantic import Field, model_validator
from pydantic.dataclasses import dataclass as pydantic_dataclass

from pipeline.rarr.configuration import Count
from pipeline.rarr.errors import BadConfig, RarrError
from pipeline.rarr.types import Evidence

Compression = Literal["summary", "snippet"]
"""Ways to shorten passages (ALCE, section 4)."""
AnswerType = Literal["short", "long"]
"""HAGRID's two kinds of answer, each with its prompt (section 3)."""
ANSWER_TYPES = get_args(AnswerType)
Instruction = Literal["full", "light"]
"""ALCE's complete instruction or its short one (appendix G.2)."""
ClaimRecall = Literal["off", "on"]
SearchIn = Literal["passages", "corpus"]
"""Search among the question's passages, as in ALCE, or in the corpus for each query."""


class NoQuestion(RarrError):
    """A passage has no context, so no question."""


class NoDraft(RarrError):
    """A passage has no text, and no language model can write one."""


class NoSources(RarrError):
    """A passage has no sources, and the strategy searches for none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    id: str
    text: str
    """A question, or a dialog whose last turn is to be answered."""
    draft: str = ""
    """An answer written without sources, for strategies that attribute one."""
    sources: tuple[Evidence, ...] = ()
    """Its own passages, in order: ALCE's `docs`, HAGRID's `quotes`."""
    short_answers: tuple[tuple[str, ...], ...] = ()
    """The correct answers, each with its spellings."""
    claims: tuple[str, ...] = ()
    """What a correct answer entails (ELI5)."""
    is_list: bool = False
    """Is the answer a list of entities (QAMPARI)?"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    name: str
    """A word: search, check, output, summary, draft, …"""
    text: str
    """Its input or result."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    steps: tuple[Step, ...] = ()
    problems: tuple[str, ...] = ()
    """Keys of `answer_format.PROBLEMS`."""
    recall_at: Mapping[int, float] = field(default_factory=dict)
    """Share of short answers, or of claims, in the n best passages, 0.0 to 1.0, by n; empty if
    unknown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    text: str
    """With citations: `[n]` is the n-th of `sources`."""
    sources: tuple[Evidence, ...] = ()
    record: Record = field(default_factory=Record)


@pydantic_dataclass(frozen=True, slots=True, kw_only=True)
class GenerationConfig:
    """The hyper-parameters of strategies (ALCE, section 4 and appendix)."""

    passages: Count = 5
    """k: passages in the prompt."""
    compressed_passages: Count = 10
    """Passages to summarize or cut to snippets."""
    compressed_to: Compression = "summary"
    """For `interact`."""
    retrieved: Count = 100
    """Passages that the search ranks; recall is measured in them."""
    passage_words: Count = 100
    """Length of passages cut from documents."""
    documents: Count = 20
    """Documents per search."""
    answer_temperature: Annotated[float, Field(ge=0, le=2, allow_inf_nan=False)] = 0.5
    top_p: Annotated[float, Field(gt=0, le=1, allow_inf_nan=False)] = 1.0
    """Of sampling at `answer_temperature`; ALCE has 0.95 for open models."""
    answer_number: Count = 1
    """Number of the answer to the same question: 2 uses the second sample."""
    answer_samples: Count = 4
    """Candidates of `rerank`."""
    answer_tokens: Count = 300
    """Limit of an answer."""
    demonstrations: Annotated[int, Field(ge=0)] = 2
    """Most demonstrations in a prompt, drawn from those of its file."""
    demonstration_seed: Annotated[int, Field(ge=0)] = 0
    instruction: Instruction = "full"
    """Of answers from passages in one go."""
    claim_recall: ClaimRecall = "off"
    """Recall of ELI5's claims, too: an NLI decision for each claim and retrieved passage."""
    answer_type: AnswerType = "short"
    """For `hagrid`."""
    turns: Count = 10
    """Most steps of `interact` and `inline-search`."""
    search_in: SearchIn = "passages"
    """For `inline-search`."""

    @model_validator(mode="after")
    def _check_samples(self) -> Self:
        if self.answer_number > 1 and not self.answer_temperature:
            raise BadConfig(
                "answer_temperature is 0, so that several answers to a question would all be the "
                "same: write more, or leave answer_number at 1.",
                field="answer_temperature",
            )
        return self
