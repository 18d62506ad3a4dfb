"""Errors quote a server's words: one line, cut, without the key."""

import json
import re

import pytest

from pipeline.backends.language_models.completions import FILTERED, THOUGHTS_ONLY
from pipeline.backends.language_models.refusals import MAX_DISPLAYED, in_a_line
from pipeline.language_model import Prompt
from pipeline.rarr.errors import BadConfig, RarrError, RefusedPrompt, TransientError
from tests.support.llm_server import Fault, LlmServer, body, completion, error, model_at, page

KEY = "a+secret/key=1"
QUOTA, FILTER = "insufficient_quota", "content_filter"


def explained(fault: Fault, *, key: str = KEY, text: str = "a") -> RarrError:
    with LlmServer(lambda prompt: fault) as server:
        reply = model_at(server, api_key=key).ask([Prompt(text=text)])[0]
    assert reply.error is not None
    return reply.error


def coded(status: int, message: str, code: int | str, **more: str) -> Fault:
    return body(status, {"error": {"message": message, "code": code, **more}})


CHOICE = {"index": 0, "delta": {"role": "assistant", "content": "1."}}
CHUNK = {"object": "chat.completion.chunk", "choices": [CHOICE]}
STREAM = Fault(
    body=f"data: {json.dumps(CHUNK)}\n\ndata: [DONE]\n\n".encode(),
    headers={"Content-Type": "text/event-stream"},
)
NO_CREDIT = "no quota or credit left for this key"
NO_SUCH_MODEL = body(404, {"error": "model 'm' not found, try pulling it first"})
CONFIGURATION = [
    (error(401, "Invalid proxy key"), "rejected the API key.*Invalid proxy key"),
    (coded(200, "No auth.", "401"), "rejected the API key"),
    (error(403, "Your region is not served"), "region is not served"),
    # OpenRouter, DeepSeek, Anthropic, OpenAI, a proxy
    (coded(200, "Insufficient credits", 402), rf"{NO_CREDIT} \(402: Insufficient credits\)"),
    (error(402, "Insufficient balance"), f"{NO_CREDIT}.*Insufficient balance"),
    (error(400, "Your credit balance is too low to access the API."), NO_CREDIT),
    (coded(429, "Pay first", QUOTA), rf"{NO_CREDIT}.*Pay first \({QUOTA}\)"),
    (coded(503, "no", QUOTA), NO_CREDIT),
    (NO_SUCH_MODEL, "has no model 'stub'.*try pulling it first.*RARR_LLM_BASE_URL"),  # Ollama
    (Fault(status=307, headers={"Location": "http://127.0.0.1:1/v1"}), "redirects"),
    *((fault, "sent a stream, which was not requested") for fault in (STREAM, body(200, CHUNK))),
]
AZURE = "The response was filtered due to the prompt triggering the content management policy."
OPEN_ROUTER = "Your chosen model requires moderation and your input was flagged."
VLLM = (
    "This model's maximum context length is 512 tokens. However, you requested 900 tokens (516 in "
    "the messages, 384 in the completion). Reduce max_tokens."
)
OF_THIS_PROMPT = [
    (error(400, "too\nlong\x00"), r"rejected the request \(400\): .*too long"),
    (body(422, {"detail": [{"msg": "value is too small"}]}), "value is too small"),
    (body(400, {"message": "blocked", "code": FILTER}), rf"blocked \({FILTER}\)"),
    (error(400, "System role not supported"), "System role not supported"),
    (coded(400, AZURE, FILTER, param="prompt"), "content management policy"),
    (error(403, OPEN_ROUTER), "your input was flagged"),
    (error(400, VLLM), "maximum context length is 512 tokens"),
    (completion(None, FILTER), re.escape(FILTERED)),
    (completion(None, refusal="I cannot help with that."), re.escape(FILTERED)),
    (completion("", "length", reasoning_content="I think"), re.escape(THOUGHTS_ONLY)),
    (completion(None, reasoning="I think"), re.escape(THOUGHTS_ONLY)),
    (completion("\n", "length"), re.escape(THOUGHTS_ONLY)),
    (completion("<think>\nI think", "length"), re.escape(THOUGHTS_ONLY)),
]
LATER = error(429, Retry_After="Fri, 01 Jan 2100 00:00:00 GMT")


@pytest.mark.parametrize(
    ("fault", "kind", "expected"),
    [
        *((fault, BadConfig, expected) for fault, expected in CONFIGURATION),
        *((fault, RefusedPrompt, expected) for fault, expected in OF_THIS_PROMPT),
        (LATER, TransientError, "asks to wait"),
    ],
)
def test_a_permanent_refusal_is_final(fault: Fault, kind: type[RarrError], expected: str) -> None:
    with LlmServer(lambda prompt: fault) as server:
        reply = model_at(server, patience=60.0).ask([Prompt(text="a")])[0]
    assert type(reply.error) is kind
    assert re.search(expected, str(reply.error))
    assert "\n" not in str(reply.error)
    assert len(server.requests) == 1


def test_the_key_to_check_is_named() -> None:
    """The wrong one may be the proxy's own, of which the administrator knows nothing."""
    for status in (401, 402, 403):
        message = str(explained(error(status, "AuthenticationError: wrong key: sk-proj-****abcd")))
        assert "Check RARR_LLM_API_KEY; behind a proxy, check the proxy's own key" in message
        assert "sk-proj-****abcd" in message, "masked, it helps to find it"


@pytest.mark.parametrize("status", [200, 400, 401, 404, 413, 429, 500])
@pytest.mark.parametrize(
    "echo",
    [
        f"got {KEY}",
        f"got {'x' * (MAX_DISPLAYED - 10)}{KEY}",  # over the place of the cut
        "got a%2Bsecret%2Fkey%3D1",
        f"Authorization: Bearer {KEY}",
    ],
)
def test_a_key_that_the_server_repeats_is_not_revealed(status: int, echo: str) -> None:
    fault = error(status, echo) if status != 200 else Fault(body=echo.encode())
    message = str(explained(fault))
    for part in (KEY, KEY[:5], "a%2Bsecret", "secret"):
        assert part not in message


def test_a_key_of_the_provider_behind_the_server_is_not_revealed() -> None:
    fault = error(500, "OpenAIException: key sk-proj-abcdef0123456789 has no credit")
    message = str(explained(fault))
    assert "abcdef" not in message
    assert "has no credit" in message


@pytest.mark.parametrize("key", ["line\nbreak-of-a-key", "schlüssel"])
def test_a_key_that_cannot_be_sent_is_a_wrong_setting_and_not_reported(key: str) -> None:
    message = explained(error(500), key=key)
    assert isinstance(message, BadConfig)
    assert "RARR_LLM_API_KEY" in str(message)
    assert key[-5:] not in str(message)


def test_a_long_message_is_cut_and_on_one_line() -> None:
    message = in_a_line("first\r\n\x1b[31m\u202eline " + "x" * 1000)
    assert message.startswith("first [31m line x")
    assert len(message) == MAX_DISPLAYED


def test_a_request_that_is_too_large_is_named_with_its_size_and_the_setting() -> None:
    message = explained(page(413, "413 Request Entity Too Large"), text="word " * 3000)
    assert isinstance(message, RefusedPrompt)
    assert "rejects requests of 15 kB (413: 413 Request Entity Too Large)" in str(message)
    assert "client_max_body_size" in str(message)
