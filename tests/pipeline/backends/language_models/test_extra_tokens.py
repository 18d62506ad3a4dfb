"""Limits that leave room to think, and models that refuse a part of a request."""

from typing import Any

import pytest

from pipeline.backends.answers import Answers, key_of
from pipeline.backends.language_models.accounted import AccountedModel
from pipeline.backends.language_models.openai_compatible import OpenAICompatible
from pipeline.backends.language_models.options import LlmOptions, read_extra_tokens
from pipeline.rarr.errors import BadConfig
from pipeline.rarr.ports import Prompt
from tests.pipeline.backends.language_models.memory import MemoryAnswers
from tests.support.llm_server import LlmServer


def model_at(
    server: LlmServer, *, answers: Answers | None = None, **options: Any
) -> AccountedModel:
    defaults: dict[str, Any] = {"base_url": server.url, "timeout": 60.0, "patience": 0.0}
    source = OpenAICompatible("stub", options=LlmOptions(**defaults | options))
    return AccountedModel(source, answers=answers or MemoryAnswers(), step="agreement")


def test_the_key_of_an_answer_covers_what_decides_it() -> None:
    answers = MemoryAnswers()
    with LlmServer(lambda prompt: "yes") as server:
        model = model_at(server, answers=answers)
        model.complete([Prompt(text="a", stop=("x",))])
        expected = key_of(
            "completion",
            model=dict(model.source.identity),
            text="a", temperature=0.0, max_tokens=256, stop=["x"], sample=0,
        )  # fmt: skip
    assert list(answers.held) == [expected]


@pytest.mark.parametrize(
    ("extra", "limit"), [("", 256), ("1000", 1256), ("edit=9", 256), ("agreement=500,edit=9", 756)]
)
def test_a_sub_task_may_have_more_tokens_to_think(extra: str, limit: int) -> None:
    with LlmServer() as server:
        model_at(server, extra_tokens=read_extra_tokens(extra)).complete([Prompt(text="a")])
    assert server.requests[0].body["max_tokens"] == limit


@pytest.mark.parametrize(
    "text", ["many", "-1", "agreement", "dreams=5", "edit=1,edit=2", "edit=2e3", "9999999"]
)
def test_wrong_extra_tokens_are_refused_with_the_setting_named(text: str) -> None:
    with pytest.raises(BadConfig, match="RARR_LLM_EXTRA_TOKENS"):
        read_extra_tokens(text)


def test_a_reasoning_model_that_refuses_knobs_is_asked_without_them() -> None:
    with LlmServer(lambda prompt: "one END two", refuses=["temperature", "stop"]) as server:
        model = model_at(server)
        found = model.complete([Prompt(text="a", stop=("END",))])
        model.complete([Prompt(text="b", stop=("END",))])
    assert found[0].texts == ("one ",)
    assert not {"temperature", "stop"} & set(server.requests[-1].body)
    assert len(server.requests) == 4, "learned twice, then asked at once"
