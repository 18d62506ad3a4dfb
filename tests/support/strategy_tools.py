"""A strategy run over scripted models and a shelf of two documents."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from pipeline.generation.strategies import load_strategy
from pipeline.generation.tools import Tools
from pipeline.generation.types import Answer, GenerationConfig, Question
from pipeline.rarr.ports import Completion, LanguageModel, Prompt
from pipeline.rarr.prompts import load_prompts
from pipeline.rarr.types import Document, Evidence, Revision
from tests.support.answer_script import HALL, MILL, QUESTION, answer
from tests.support.rarr_fakes import Nli, SharedWords, Shelf, Splitter, StandAlone

Reply = str | Sequence[str]
"""The text of every sample, or one text a sample."""


class Script:
    """A language model that answers by a function, or the same to all."""

    def __init__(self, says: Reply | Callable[[str], Reply] = answer) -> None:
        self.says = says
        self.prompts: list[Prompt] = []
        self.steps: list[str] = []

    def for_step(self, step: str) -> LanguageModel:
        self.steps.append(step)
        return self

    def complete(self, prompts: Sequence[Prompt]) -> list[Completion]:
        self.prompts += prompts
        return [Completion(texts=self._texts(each)) for each in prompts]

    def _texts(self, prompt: Prompt) -> tuple[str, ...]:
        said = self.says(prompt.text) if callable(self.says) else self.says
        return (said,) * prompt.samples if isinstance(said, str) else tuple(said)


def brought(*documents: Document) -> tuple[Evidence, ...]:
    """Documents as the sources of a question."""
    return tuple(
        Evidence(
            text=each.text,
            title=each.title,
            url=each.url,
            document_id=each.id,
            query=QUESTION,
            relevance=0.0,
        )
        for each in documents
    )


def make_tools(script: Script | None = None, **values: Any) -> Tools:
    return Tools(
        **{
            "config": GenerationConfig(),
            "splitter": Splitter(),
            "relevance": SharedWords(),
            "entailment": Nli(),
            "decontextualizer": StandAlone(),
            "revise": lambda passage: Revision(passage=passage, text=passage.text),
            "retriever": Shelf({QUESTION: [MILL, HALL]}),
            "model": script.for_step if script else None,
            "prompts": load_prompts(),
            **values,
        }
    )


def run(
    name: str,
    script: Script | None = None,
    *,
    tools: Tools | None = None,
    config: GenerationConfig | None = None,
    **question: Any,
) -> Answer:
    """The strategy's answer to the question about the hall."""
    tools = tools or make_tools(script)
    return load_strategy(name)(
        Question(**{"id": "1", "text": QUESTION, **question}),
        tools=replace(tools, config=config or tools.config),
    )
