"""What a model's server says where it gives no answer is told: in a line, cut, without a key."""

import json

import pytest

from pipeline.backends.language_models.openai_compatible import OpenAICompatible
from pipeline.backends.language_models.options import LlmOptions
from pipeline.backends.language_models.refusals import MAX_SHOWN, in_a_line
from pipeline.rarr.errors import BadConfig, RarrError, TransientError
from pipeline.rarr.ports import Prompt
from tests.support.llm_server import GARBAGE, Fault, LlmServer, error

KEY = "a+secret/key=1"


def said_of(fault: Fault, *, key: str = KEY, text: str = "a") -> RarrError:
    with LlmServer(lambda prompt: fault) as server:
        options = LlmOptions(base_url=server.url, api_key=key, patience=0.0)
        reply = OpenAICompatible("stub", options=options).ask([Prompt(text=text)])[0]
    assert reply.error is not None
    return reply.error


def body(status: int, said: object) -> Fault:
    return Fault(status=status, body=json.dumps(said).encode())


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        (error(500, "CUDA out of memory"), "CUDA out of memory"),
        (body(500, {"detail": "engine died"}), "engine died"),
        (body(503, {"error": "loading model"}), "loading model"),
        (Fault(status=502, body=b"<html><h1>502 Bad\nGateway</h1></html>"), "502 Bad Gateway"),
        (Fault(status=500, body=b"upstream connect error"), "upstream connect error"),
        (GARBAGE, "not JSON at all"),
    ],
)  # fmt: skip
def test_the_servers_words_are_told_where_another_try_may_help(fault: Fault, says: str) -> None:
    said = said_of(fault)
    assert isinstance(said, TransientError)
    assert says in str(said)


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        (error(401, "Invalid proxy key"), "Invalid proxy key"),
        (error(403, "Your region is not served"), "region is not served"),
        (error(402, "Insufficient balance"), "Insufficient balance"),
        (
            body(429, {"error": {"message": "Pay first", "code": "insufficient_quota"}}),
            "Pay first (insufficient_quota)",
        ),
        (body(422, {"detail": [{"msg": "value is too small"}]}), "value is too small"),
        (body(400, {"message": "blocked", "code": "content_filter"}), "blocked (content_filter)"),
    ],
)
def test_the_servers_words_are_told_where_no_other_try_helps(fault: Fault, says: str) -> None:
    said = said_of(fault)
    assert isinstance(said, BadConfig)
    assert says in str(said)


@pytest.mark.parametrize("status", [401, 402, 403])
def test_the_key_to_check_is_named(status: int) -> None:
    """The wrong one may be the proxy's own, of which the administrator knows nothing."""
    message = str(said_of(error(status, "AuthenticationError: wrong key: sk-proj-****abcd")))
    assert "Check RARR_LLM_API_KEY; behind a proxy, check the proxy's own key" in message
    assert "sk-proj-****abcd" in message, "masked, it helps to find it"


@pytest.mark.parametrize("status", [200, 400, 401, 404, 413, 429, 500])
@pytest.mark.parametrize(
    "echo",
    [
        f"got {KEY}",
        f"got {'x' * (MAX_SHOWN - 10)}{KEY}",  # over the place of the cut
        "got a%2Bsecret%2Fkey%3D1",
        f"Authorization: Bearer {KEY}",
    ],
)
def test_a_key_that_the_server_repeats_is_not_told(status: int, echo: str) -> None:
    fault = error(status, echo) if status != 200 else Fault(body=echo.encode())
    said = str(said_of(fault))
    for part in (KEY, KEY[:5], "a%2Bsecret", "secret"):
        assert part not in said


def test_a_key_of_the_provider_behind_the_server_is_not_told() -> None:
    said = str(said_of(error(500, "OpenAIException: key sk-proj-abcdef0123456789 has no credit")))
    assert "abcdef" not in said
    assert "has no credit" in said


@pytest.mark.parametrize("key", ["line\nbreak-of-a-key", "schlüssel"])
def test_a_key_that_cannot_be_sent_is_a_wrong_setting_and_not_told(key: str) -> None:
    said = said_of(error(500), key=key)
    assert isinstance(said, BadConfig)
    assert "RARR_LLM_API_KEY" in str(said)
    assert key[-5:] not in str(said)


def test_a_long_message_is_cut_and_on_one_line() -> None:
    said = in_a_line("first\r\n\x1b[31m\u202eline " + "x" * 1000)
    assert said.startswith("first [31m line x")
    assert len(said) == MAX_SHOWN


def test_a_request_that_is_too_large_is_named_with_its_size_and_the_setting() -> None:
    page = b"<html><head><title>413 Request Entity Too Large</title></head></html>"
    said = said_of(Fault(status=413, body=page), text="word " * 3000)
    assert isinstance(said, BadConfig)
    assert "takes no request of 15 kB (413: 413 Request Entity Too Large)" in str(said)
    assert "client_max_body_size" in str(said)
