"""Tokens in a server's response, in both forms, and invalid ones."""

import json
from typing import Any

import pytest

from pipeline.backends.language_models.completions import MIN_LOGPROB, read_completion, tokens_of
from pipeline.language_model import Prompt, Token

TOP = [{"token": "yes", "logprob": -0.1}, {"token": "no", "logprob": -2.5}]


def test_a_token_is_among_its_alternatives_with_bounded_numbers() -> None:
    content = [{"token": "maybe", "logprob": -3.0, "top_logprobs": TOP}]
    [token] = tokens_of({"logprobs": {"content": content}})
    assert dict(token.alternatives) == {"yes": -0.1, "no": -2.5, "maybe": -3.0}
    alone = {"logprobs": {"content": [{"token": "a", "logprob": -1, "top_logprobs": None}]}}
    assert tokens_of(alone) == (Token(text="a", alternatives=(("a", -1.0),)),)
    first = {"logprobs": {"tokens": ["a"], "token_logprobs": [-1], "top_logprobs": [None]}}
    assert tokens_of(first) == tokens_of(alone)
    body = json.loads('[{"token": "a", "logprob": 0.0001}, {"token": "b", "logprob": -Infinity}]')
    content = [{"token": "a", "logprob": 0.0001, "top_logprobs": body}]
    [token] = tokens_of({"logprobs": {"content": content}})
    assert token.alternatives == (("a", 0.0), ("b", MIN_LOGPROB))


NO_LOGPROBS = (None, float("nan"), 10**400)


@pytest.mark.parametrize(
    "logprobs",
    [
        *(None, {}, [], "yes", {"content": None}),
        *({"content": [{"token": "a", "logprob": number}]} for number in NO_LOGPROBS),
        *({"content": [token]} for token in ({"token": "a"}, {"token": 3, "logprob": 0}, 3)),
        {"tokens": ["a"], "token_logprobs": []},
        {"tokens": ["a", "b"], "token_logprobs": [-1, -1], "top_logprobs": [{}]},
    ],
)
def test_what_is_no_list_of_tokens_is_none_and_costs_no_answer(logprobs: Any) -> None:
    assert tokens_of({"logprobs": logprobs}) == ()
    body = {"choices": [{"message": {"content": "yes"}, "logprobs": logprobs}]}
    reply = read_completion(body, Prompt(text="a"))
    assert (reply.texts, reply.tokens) == (("yes",), ((),))


def body_of(text: str, tokens: str) -> Any:
    usage = f'{{"prompt_tokens": {tokens}, "completion_tokens": {tokens}}}'
    return json.loads(f'{{"choices": [{{"text": {text}}}], "usage": {usage}}}')


@pytest.mark.parametrize(
    ("tokens", "counted"),
    [("-9", 0), ("9" * 40, 2**31 - 1), ("null", 0), ('"many"', 0), ("1e400", 2**31 - 1)],
)
def test_counts_give_no_budget_back_and_fit_into_their_columns(tokens: str, counted: int) -> None:
    reply = read_completion(body_of('"yes"', tokens), Prompt(text="a"))
    assert (reply.input_tokens, reply.output_tokens) == (counted, counted)


def test_what_no_database_can_store_is_excluded() -> None:
    reply = read_completion(body_of(r'"It\u0000 fell \ud83d."', "1"), Prompt(text="a"))
    assert reply.texts == ("It fell ?.",)
