"""How long a server asks to be left alone, in every spelling that servers have for it."""

from collections.abc import Mapping

import pytest

from pipeline.backends.language_models.openai_compatible import OpenAICompatible
from pipeline.backends.language_models.options import LlmOptions
from pipeline.backends.retries import RetryableError, asked_wait, retry, seconds_of
from pipeline.rarr.errors import TransientError
from pipeline.rarr.ports import Prompt
from tests.support.llm_server import LlmServer, error

NOW = 1445412480.0  # Wed, 21 Oct 2015 07:28:00 GMT


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("6m0s", 360),
        ("1h2m3.5s", 3723.5),
        ("20ms", 0.02),
        ("20 seconds", 20),
        ("2 min", 120),
        ("2015-10-21T07:28:30Z", 30),
        ("2015-10-21 07:28:30", 30),
        ("1445412500", 20),
        ("1445412500000", 20),
        ("20x", 0),
        ("9" * 100_000, 0),
    ],
)
def test_what_one_spelling_asks_for(value: str, seconds: float) -> None:
    assert seconds_of(value, now=lambda: NOW) == pytest.approx(seconds)


@pytest.mark.parametrize(
    ("headers", "said", "seconds"),
    [
        ({"retry-after": "20"}, "", 20),
        ({"retry-after-ms": "1500"}, "", 1.5),
        ({"retry-after-ms": "1500", "retry-after": "2"}, "", 1.5),
        ({"llm_provider-retry-after": "20"}, "", 20),
        ({"llm_provider-retry-after-ms": "1500"}, "", 1.5),
        ({"retry-after": "3", "llm_provider-retry-after": "20"}, "", 3),
        ({"x-ratelimit-reset-requests": "6m0s"}, "", 360),
        ({"llm_provider-x-ratelimit-reset-tokens": "8.64s"}, "", 8.64),
        ({"anthropic-ratelimit-tokens-reset": "2015-10-21T07:28:30Z"}, "", 30),
        ({"x-ratelimit-reset": "1445412500000"}, "", 20),
        ({"ratelimit-reset": "7"}, "", 7),
        ({}, "Rate limit reached. Please try again in 20s. Visit …", 20),
        ({}, "Please try again in 6m0s.", 360),
        ({}, "Please retry after 26 seconds.", 26),
        ({"x-ratelimit-reset-requests": "9h"}, "Please try again in 1.5s", 1.5),
        ({}, "try again in a while", 0),
        ({"x-ratelimit-limit-requests": "60"}, "", 0),
        (
            {"x-ratelimit-reset-requests": "24h", "x-ratelimit-remaining-requests": "99",
             "x-ratelimit-reset-tokens": "6s", "x-ratelimit-remaining-tokens": "0"}, "", 6,
        ),
        ({"x-ratelimit-reset-requests": "24h", "x-ratelimit-reset-tokens": "6s"}, "", 6),
    ],
)  # fmt: skip
def test_what_a_refusal_for_too_many_requests_asks_for(
    headers: Mapping[str, str], said: str, seconds: float
) -> None:
    assert asked_wait(429, headers, said, now=lambda: NOW) == pytest.approx(seconds)


def test_limits_that_stand_in_every_answer_are_no_wait_of_a_broken_server() -> None:
    assert asked_wait(500, {"x-ratelimit-reset-requests": "9h"}) == 0
    assert asked_wait(503, {"retry-after": "9"}) == 9


@pytest.mark.parametrize(
    "header",
    ["Retry_After", "retry_after_ms", "x_ratelimit_reset_requests", "x_ratelimit_reset_tokens"],
)
def test_a_prompt_says_how_long_its_server_asks_to_wait(header: str) -> None:
    value = "300000" if header.endswith("ms") else "300"
    with LlmServer(lambda prompt: error(429, **{header: value})) as server:
        options = LlmOptions(base_url=server.url, patience=0.0)
        reply = OpenAICompatible("stub", options=options).ask([Prompt(text="a")])[0]
    assert isinstance(reply.error, TransientError)
    assert reply.error.wait == 300
    assert "asks to wait 300 s" in str(reply.error)


def test_what_litellm_passes_on_of_its_provider_is_kept_to() -> None:
    fault = error(429)
    fault = type(fault)(status=429, body=fault.body, headers={"llm_provider-retry-after": "300"})
    with LlmServer(lambda prompt: fault) as server:
        options = LlmOptions(base_url=server.url, patience=0.0)
        reply = OpenAICompatible("stub", options=options).ask([Prompt(text="a")])[0]
    assert isinstance(reply.error, TransientError)
    assert reply.error.wait == 300


def test_a_server_that_asks_for_hardly_any_time_again_and_again_is_not_hurried() -> None:
    slept: list[float] = []

    def send() -> None:
        raise RetryableError("busy", after=0.001) if len(slept) < 12 else ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        retry(send, patience=1e9, sleep=slept.append)
    assert sum(slept) > 1
