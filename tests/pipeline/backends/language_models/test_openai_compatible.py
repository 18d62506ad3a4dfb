"""A model behind OpenAI's interface, against a server on this machine."""

import re
import subprocess
import sys
import threading
from dataclasses import replace
from typing import Any

import pytest

from pipeline.backends.language_models.accounted import AccountedModel, Reply
from pipeline.backends.language_models.openai_compatible import OpenAICompatible
from pipeline.backends.language_models.options import LlmOptions, read_extra_tokens
from pipeline.language_model import Prompt
from pipeline.rarr.errors import BadConfig, TransientError
from tests.support.llm_server import (
    CUT_OFF,
    GARBAGE,
    HALF_JSON,
    NO_CHOICES,
    NOTHING,
    Fault,
    LlmServer,
    body,
    completion,
    error,
    model_at,
    page,
)


def ask(server: LlmServer, *prompts: Prompt, **options: Any) -> list[Reply]:
    return list(model_at(server, **{"patience": 5.0} | options).ask(prompts))


def test_the_library_finds_no_half_imported_httpx() -> None:
    """It looks for that among the modules; spaCy imports it, in whatever thread loads first."""
    code = f"import sys, {OpenAICompatible.__module__}; sys.modules['httpx'].Timeout"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize("api", ["chat", "completions"])
def test_a_prompt_is_sent_unchanged_and_its_answer_counted(
    api: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_ADMIN_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"):
        monkeypatch.setenv(name, "of-another-account")
    # Some servers do not know stop strings.
    with LlmServer(lambda prompt: "the Irish Sea\n\nAnd so on") as server:
        prompt = Prompt(text="Which sea?\n", max_tokens=9, stop=("\n\n",), temperature=0.0)
        reply = ask(server, prompt, api=api, api_key="secret")[0]
        ask(server, replace(prompt, top_p=0.95), api=api)
    assert reply.texts == ("the Irish Sea",)
    assert (reply.input_tokens, reply.output_tokens) == (2, 6)
    assert (reply.requests, reply.attempts, reply.error) == (1, 1, None)
    sent = server.requests[0]
    assert sent.path == ("/v1/chat/completions" if api == "chat" else "/v1/completions")
    assert sent.prompt == prompt.text
    assert sent.body["model"] == "stub"
    assert (sent.body["max_tokens"], sent.body["stop"]) == (9, ["\n\n"])
    assert sent.body["temperature"] == 0
    assert {"n", "top_p"}.isdisjoint(sent.body)
    assert server.requests[1].body["top_p"] == 0.95
    assert sent.headers["authorization"] == "Bearer secret"
    assert all("of-another-account" not in str(request.headers) for request in server.requests)


@pytest.mark.parametrize(
    ("api", "sent"),
    [
        ("chat", ("Reply with a name.", "Which sea?")),
        ("completions", ("", "Reply with a name.\n\nWhich sea?")),
    ],
)
def test_the_system_text_is_a_message_only_in_a_chat(api: str, sent: tuple[str, str]) -> None:
    with LlmServer() as server:
        ask(server, Prompt(text="Which sea?", system="Reply with a name."), api=api)
    assert (server.requests[0].system, server.requests[0].prompt) == sent
    assert "system" not in server.requests[0].body


@pytest.mark.parametrize("concurrency", [2, 6])
def test_prompts_are_sent_concurrently_and_answered_in_order(concurrency: int) -> None:
    texts = [f"question {number}" for number in range(6)]
    meet = threading.Barrier(concurrency)

    def answer(prompt: str) -> str:
        meet.wait(60)  # nobody is answered before so many have asked
        return prompt.upper()

    with LlmServer(answer) as server:
        replies = ask(server, *(Prompt(text=text) for text in texts), concurrency=concurrency)
    assert [reply.texts for reply in replies] == [(text.upper(),) for text in texts]
    assert (server.most_at_once, len(server.requests)) == (concurrency, 6)


THREE = Prompt(text="Ask.", samples=3, temperature=0.7)


@pytest.mark.parametrize("habit", [{"ignores_n": True}, {"refuses": ["n"]}])
def test_a_server_with_one_sample_a_request_gets_three_requests(habit: Any) -> None:
    with LlmServer(lambda prompt: ["a", "b", "c"], **habit) as server:
        model = model_at(server)
        replies = [*model.ask([THREE])]
        first = len(server.requests)
        replies += model.ask([replace(THREE, text="More.")])
    assert [sorted(reply.texts) for reply in replies] == [["a", "b", "c"]] * 2
    assert replies[1].requests == 3
    assert len(server.requests) == first + 3, "n was tried again"


QUOTA = "You exceeded your current quota, please check your plan and billing details."
GEMINI = {"code": 429, "status": "RESOURCE_EXHAUSTED", "message": f"{QUOTA} Please retry in 1s."}
PROVIDER = {"code": 502, "message": "Provider returned error"}
OPEN_ROUTER = {"error": PROVIDER, "finish_reason": "error", "message": {"content": ""}}
NO_CHOICE = [{"message": {"content": 7}}, {"text": 3}, "yes"]


@pytest.mark.parametrize(
    "fault",
    [
        *map(error, (429, 500)),
        error(503, Retry_After="0.05"),
        error(429, retry_after_ms="5"),  # Azure
        error(429, Retry_After="Wed, 21 Oct 2015 07:28:00 GMT"),
        body(429, [{"error": GEMINI}]),
        page(502, "502 Bad Gateway"),
        page(524, "524: A timeout occurred"),  # Cloudflare
        body(529, {"type": "error", "error": {"type": "overloaded_error"}}),  # Anthropic
        body(503, {"error": {"code": 503, "message": "Loading model"}}),  # llama.cpp
        body(200, {"error": PROVIDER}),
        body(200, {"choices": [OPEN_ROUTER]}),
        *(GARBAGE, HALF_JSON, CUT_OFF, NOTHING, NO_CHOICES, Fault(body=b"[1, 2]")),
        *(body(200, {"choices": [choice]}) for choice in NO_CHOICE),
        *(body(200, plain) for plain in ({"choices": {}}, {}, [], "yes", None)),
    ],
)
def test_a_temporary_failure_is_retried(fault: Fault) -> None:
    with LlmServer(faults=[fault]) as server:
        reply = ask(server, Prompt(text="a"))[0]
    assert (reply.texts, reply.error) == (("yes",), None)
    assert (reply.requests, reply.attempts) == (1, 2)


@pytest.mark.parametrize(
    ("fault", "expected"),
    [
        (error(429, Retry_After="300"), "answered 429 and asks to wait 300 s"),
        (error(429, "Rate limit reached"), "answered 429.*Rate limit.*RARR_LLM_CONCURRENCY"),
        (error(500, "CUDA out of memory"), "answered 500, [0-9]+ times: CUDA out of memory"),
        (body(500, {"detail": "engine died"}), "engine died"),
        (body(503, {"error": "loading model"}), "loading model"),
        (page(502, "502 Bad\nGateway"), r"answered 502, \d+ times: 502 Bad Gateway.*; look into"),
        (Fault(status=500, body=b"upstream connect error"), "upstream connect error"),
        (GARBAGE, "answered 200 without a completion.*RARR_LLM_BASE_URL"),
        (GARBAGE, "not JSON at all"),
        *((fault, "answered 200 without a completion") for fault in (NOTHING, NO_CHOICES)),
        (CUT_OFF, "cannot be reached"),
    ],
)
def test_what_does_not_pass_is_named_when_the_patience_ends(fault: Fault, expected: str) -> None:
    with LlmServer(lambda prompt: fault) as server:
        reply = ask(server, Prompt(text="a"), patience=0.1)[0]
    assert reply.texts == ()
    with pytest.raises(TransientError, match=f"{server.url}.*{expected}"):
        raise reply.error or AssertionError(reply)
    assert (len(server.requests) > 1) is ("wait 300 s" not in expected)


@pytest.mark.parametrize(
    ("reply", "texts", "counts"),
    [
        ({"content": [{"type": "text", "text": "yes"}]}, ("yes",), (0, 0)),
        ({"content": "yes", "reasoning_content": "Hm. Verdict: agrees"}, ("yes",), (0, 0)),
        (completion("", "length"), (), (7, 5)),
    ],
    ids=["parts", "DeepSeek", "thoughts"],
)
def test_completions_of_other_forms_and_tokens_of_thoughts_are_read(
    reply: Any, texts: tuple[str, ...], counts: tuple[int, int]
) -> None:
    if isinstance(reply, dict):
        reply = body(200, {"choices": [{"message": reply}]})
    with LlmServer(faults=[reply]) as server:
        read = ask(server, Prompt(text="a"))[0]
    assert (read.texts, (read.input_tokens, read.output_tokens)) == (texts, counts)
    assert (read.error is None) is bool(texts)


def test_samples_need_one_request_and_an_empty_one_leaves_the_others() -> None:
    choices = [
        {"message": {"content": text}, "finish_reason": "length" if not text else "stop"}
        for text in ("yes", "", "no")
    ]
    with LlmServer(faults=[body(200, {"choices": choices})]) as server:
        reply = ask(server, THREE)[0]
    assert (reply.texts, reply.requests) == (("yes", "", "no"), 1)
    assert server.requests[0].body["n"] == 3


def test_a_silent_or_missing_server_is_retried_and_named() -> None:
    with LlmServer(faults=[Fault(silence=5.0)]) as server:
        assert ask(server, Prompt(text="a"), timeout=0.5)[0].texts == ("yes",)
    with LlmServer(faults=[Fault(silence=40)] * 5) as server:
        silent = ask(server, Prompt(text="a"), timeout=0.2, patience=0.3)[0].error
    gone = ask(server, Prompt(text="a"), patience=0.0)[0].error
    assert isinstance(silent, TransientError)
    assert re.search(r"did not answer within 0\.2 s.*RARR_LLM_TIMEOUT", str(silent))
    assert isinstance(gone, TransientError)
    assert "cannot be reached" in str(gone)


def test_one_prompt_that_fails_leaves_the_others_their_answers() -> None:
    with LlmServer(lambda p: error(500) if p == "bad" else "good") as server:
        replies = ask(server, *(Prompt(text=text) for text in ("a", "bad", "b")), patience=0.1)
    assert [reply.texts for reply in replies] == [("good",), (), ("good",)]
    assert isinstance(replies[1].error, TransientError)


@pytest.mark.parametrize("fault", [GARBAGE, error(404)])
def test_a_server_lists_its_models_and_another_address_is_named(fault: Fault) -> None:
    with LlmServer(models=["a/b", "c"]) as server:
        assert model_at(server).models() == ["a/b", "c"]
    with pytest.raises(TransientError, match="cannot be reached"):
        model_at(server).models()
    with (
        LlmServer(faults=[fault]) as server,
        pytest.raises(BadConfig, match=r"no list of models at .* set RARR_LLM_BASE_URL"),
    ):
        model_at(server).models()


def test_a_password_in_the_address_is_displayed_nowhere() -> None:
    options = LlmOptions(base_url="http://me:hidden@127.0.0.1:1/v1", patience=0.0)
    model = OpenAICompatible("m", options=options)
    assert model.identity["base_url"] == "http://127.0.0.1:1/v1"
    reply = model.ask([Prompt(text="a")])[0]
    assert "http://127.0.0.1:1/v1" in str(reply.error)
    assert "hidden" not in str(reply.error)


@pytest.mark.parametrize(
    ("extra", "limit"), [("", 256), ("1000", 1256), ("edit=9", 256), ("agreement=500,edit=9", 756)]
)
def test_a_sub_task_may_have_more_tokens_to_think(extra: str, limit: int) -> None:
    with LlmServer() as server:
        model = model_at(server, extra_tokens=read_extra_tokens(extra))
        AccountedModel(model, step="agreement").complete([Prompt(text="a")])
    assert server.requests[0].body["max_tokens"] == limit


@pytest.mark.parametrize(
    "text", ["many", "-1", "agreement", "dreams=5", "edit=1,edit=2", "edit=2e3", "9999999"]
)
def test_wrong_extra_tokens_are_refused_with_the_setting_named(text: str) -> None:
    with pytest.raises(BadConfig, match="RARR_LLM_EXTRA_TOKENS"):
        read_extra_tokens(text)
