"""What a server with OpenAI's interface answered: texts, counts, and the chances of tokens."""

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

from pipeline.backends.language_models.accounted import Reply
from pipeline.backends.language_models.server_quirks import READ
from pipeline.backends.retries import RetryableError
from pipeline.rarr.ports import Token

MOST_TOKENS = 2**31 - 1
LEAST = -9999.0
"""Of a token that is as good as impossible."""


def read_body(content: bytes, *, stop: Sequence[str], most: int, no_model: str) -> Reply:
    """The texts of at most `most` choices, with token counts and, where they came, their tokens.

    Raises `RetryableError` where the body is malformed; `no_model` is the fix that it names.
    """
    try:
        body = json.loads(content)
        choices = body["choices"]
        texts = [_text_of(choice) for choice in choices]
        usage = body.get("usage") or {}
        counts = [_count(usage.get(name)) for name in ("prompt_tokens", "completion_tokens")]
    except (ValueError, LookupError, TypeError, AttributeError, OverflowError, RecursionError):
        said = content[:READ].decode(errors="replace")
        raise RetryableError("answered what is no completion", fix=no_model, said=said) from None
    if not texts:
        raise RetryableError("answered without a choice", fix="look into the log of that server")
    return Reply(
        texts=tuple(cut_at(text, stop) for text in texts[:most]),
        tokens=tuple(map(tokens_of, choices[:most])),
        input_tokens=counts[0],
        output_tokens=counts[1],
    )


def tokens_of(choice: Mapping[str, Any]) -> tuple[Token, ...]:
    """The tokens of a choice with their likeliest alternatives; () where it tells none.

    Both of OpenAI's forms: a list of objects (chat), and lists side by side (completions).

    >>> tokens_of({"logprobs": {"tokens": ["yes"], "token_logprobs": [-0.5],
    ...                         "top_logprobs": [{"yes": -0.5, "no": -1.0}]}})
    (Token(text='yes', alternatives=(('yes', -0.5), ('no', -1.0))),)
    """
    try:
        told = choice.get("logprobs") or {}
        if told.get("content"):
            rows = [
                (each["token"], each["logprob"], _pairs(each.get("top_logprobs") or ()))
                for each in told["content"]
            ]
        else:
            names, own = told.get("tokens") or (), told.get("token_logprobs") or ()
            likeliest = told.get("top_logprobs") or [{}] * len(names)
            rows = [
                (name, chance, list((some or {}).items()))
                for name, chance, some in zip(names, own, likeliest, strict=True)
            ]
        return tuple(_token(*row) for row in rows)
    except (LookupError, TypeError, ValueError, AttributeError, OverflowError):
        return ()  # a server's slip in what is only wanted beside the answer


def _pairs(likeliest: Sequence[Mapping[str, Any]]) -> list[tuple[str, float]]:
    return [(each["token"], each["logprob"]) for each in likeliest]


def _token(text: str, own: float, likeliest: Sequence[tuple[str, float]]) -> Token:
    """Itself among its alternatives; what is no log-probability raises `ValueError`."""
    known = dict(likeliest) | {text: own}
    if not all(isinstance(name, str) and not math.isnan(chance) for name, chance in known.items()):
        raise ValueError("no token, or no number")
    # Rounding leaves some servers' certainty a little above 0, and JSON knows no infinity.
    return Token(
        text=text,
        alternatives=tuple((name, max(min(float(c), 0.0), LEAST)) for name, c in known.items()),
    )


def _count(given: Any) -> int:
    """So many tokens; a server's slip neither gives a budget back nor fits into no column."""
    return min(max(int(given or 0), 0), MOST_TOKENS)


def _text_of(choice: Mapping[str, Any]) -> str:
    """A choice's text; "" where the model said nothing, which is for its reader to judge."""
    text = choice["message"].get("content") if "message" in choice else choice["text"]
    if text is not None and not isinstance(text, str):
        raise TypeError
    return text or ""


def cut_at(text: str, stop: Sequence[str]) -> str:
    """The text before any of the stop strings: some servers do not know them, or not all.

    >>> cut_at("one\\ntwo END three", ["END", "\\n"])
    'one'
    """
    return text[: min((place for each in stop if (place := text.find(each)) >= 0), default=None)]
