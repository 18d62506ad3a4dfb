"""Replies held to a JSON schema where the server has it, and limits that leave room to think."""

import json
from typing import Any

import pytest

from pipeline.backends.answers import Answers, key_of
from pipeline.backends.language_models.accounted import AccountedModel
from pipeline.backends.language_models.openai_compatible import OpenAICompatible
from pipeline.backends.language_models.options import LlmOptions, read_extra_tokens
from pipeline.backends.prompted.agreement import PromptedAgreement
from pipeline.backends.prompted.query_generation import PromptedQueryGenerator
from pipeline.rarr.errors import BadConfig, UnreadableReply
from pipeline.rarr.ports import Prompt
from pipeline.rarr.prompts import load_prompts
from pipeline.rarr.types import Agreement, Passage, Query, Verdict
from tests.pipeline.backends.language_models.memory import MemoryAnswers
from tests.pipeline.backends.prompted.scripted import EVIDENCE, PASSAGE, QUERY
from tests.support.llm_server import LlmServer

PLAIN = "Verdict: disagrees"
OBJECT = json.dumps(
    {
        "passage_implies": "It opened in 1931.",
        "evidence_says": "It opened in 1934.",
        "reasoning": "The years\ndiffer.",
        "verdict": "disagrees",
    }
)


def model_at(
    server: LlmServer, *, answers: Answers | None = None, **options: Any
) -> AccountedModel:
    defaults: dict[str, Any] = {"base_url": server.url, "timeout": 60.0, "patience": 0.0}
    source = OpenAICompatible("stub", options=LlmOptions(**defaults | options))
    return AccountedModel(source, answers=answers or MemoryAnswers(), step="agreement")


def judged(model: AccountedModel) -> Agreement | UnreadableReply:
    gate = PromptedAgreement(model=model, prompts=load_prompts())
    (answer,) = gate.judge_all(passage=PASSAGE, current=PASSAGE.text, asked=[(QUERY, EVIDENCE)])
    return answer


def formats(server: LlmServer) -> list[bool]:
    """Of each request, whether it asked for a schema."""
    return ["response_format" in request.body for request in server.requests]


def talks(prompt: str) -> str:
    """A model that rambles, unless it is held to an object."""
    return OBJECT if "one JSON object" in prompt else "Well, hard to say."


def test_the_repair_asks_for_an_object_where_the_plain_reply_could_not_be_read() -> None:
    with LlmServer(talks) as server:
        found = judged(model_at(server))
    assert found == Agreement(
        verdict=Verdict.DISAGREES,
        reason="The years differ.",
        passage_answer="It opened in 1931.",
        evidence_answer="It opened in 1934.",
    )
    assert formats(server) == [False, True]
    sent = server.requests[1].body
    schema = sent["response_format"]["json_schema"]["schema"]
    assert schema["required"] == ["passage_implies", "evidence_says", "reasoning", "verdict"]
    assert schema["properties"]["verdict"]["enum"] == ["agrees", "disagrees", "irrelevant"]
    assert "stop" not in sent


@pytest.mark.parametrize(("way", "asked"), [("off", [False, False]), ("on", [True])])
def test_the_setting_says_when_objects_are_asked_for(way: str, asked: list[bool]) -> None:
    with LlmServer(talks) as server:
        found = judged(model_at(server, structured=way))
    assert formats(server) == asked
    assert isinstance(found, UnreadableReply) == (way == "off")


def test_a_server_that_refuses_schemas_is_asked_in_words_and_remembered() -> None:
    with LlmServer(talks, refuses=["response_format"]) as server:
        model = model_at(server, structured="on")
        assert isinstance(judged(model), Agreement), "the object was asked for in words"
        first = len(server.requests)
        model.complete([Prompt(text="Another.", schema='{"required": ["a"]}')])
    assert formats(server) == [True, False, False]
    assert first == 2


def test_a_server_that_passes_over_the_schema_is_read_as_ever() -> None:
    with LlmServer(lambda prompt: PLAIN) as server:
        found = judged(model_at(server, structured="on"))
    assert isinstance(found, Agreement)
    assert found.verdict is Verdict.DISAGREES


@pytest.mark.parametrize(
    ("reply", "says"),
    [
        (OBJECT[:60], "no whole JSON object"),
        ('{"verdict": "disagrees"}', "no line"),
        (OBJECT.replace("disagrees", "partly"), "partly"),
    ],
)
def test_half_an_object_or_a_wrong_one_is_no_verdict(reply: str, says: str) -> None:
    with LlmServer(lambda prompt: reply) as server:
        found = judged(model_at(server, structured="on"))
    assert isinstance(found, UnreadableReply)
    assert says in str(found)


def test_questions_come_as_a_list() -> None:
    reply = json.dumps({"questions": ["Who built it?", "When did it open?"]})
    with LlmServer(lambda prompt: reply) as server:
        generator = PromptedQueryGenerator(
            model=model_at(server, structured="on"), prompts=load_prompts()
        )
        found = generator.generate(Passage(id="1", text="A hall."), samples=1, temperature=0.0)
    assert list(found) == [[Query(text="Who built it?"), Query(text="When did it open?")]]


def test_kept_answers_tell_objects_from_plain_replies() -> None:
    answers = MemoryAnswers()
    with LlmServer(lambda prompt: OBJECT if "JSON" in prompt else PLAIN) as server:
        for way in ("off", "auto", "on"):
            assert isinstance(judged(model_at(server, structured=way, answers=answers)), Agreement)
    # "off" and "auto" ask the same here: nothing had to be repaired.
    assert formats(server) == [False, True]


def test_a_prompt_without_a_schema_keeps_the_key_it_always_had() -> None:
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


def test_completing_servers_are_asked_for_no_schema() -> None:
    with LlmServer(talks) as server:
        judged(model_at(server, structured="on", api="completions"))
    assert formats(server) == [False, False]


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
