"""Strategies with scripted models and two documents."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from pipeline.generation.prompts import load_prompts
from pipeline.generation.strategies import load_strategy
from pipeline.generation.tools import Tools
from pipeline.generation.types import Answer, GenerationConfig, Question
from pipeline.language_model import Prompt
from pipeline.rarr.types import Document, Evidence, Revision
from tests.support.answer_script import HALL, MILL, QUESTION, answer
from tests.support.rarr_fakes import Nli, SharedWords, Shelf, Splitter, StandAlone
from tests.support.scripted_model import Reply, ScriptedModel


class Script(ScriptedModel):
    def __init__(
        self, reply: Reply | Callable[[Prompt], Reply] = lambda prompt: answer(prompt.text)
    ) -> None:
        super().__init__(reply)


def brought(*documents: Document) -> tuple[Evidence, ...]:
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
    tools = tools or make_tools(script)
    return load_strategy(name)(
        Question(**{"id": "1", "text": QUESTION, **question}),
        tools=replace(tools, config=config or tools.config),
    )
