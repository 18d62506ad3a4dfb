"""Responses of servers with OpenAI's interface."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from pipeline.backends.language_models.accounted import Reply
from pipeline.language_model import Prompt, Token
from pipeline.rarr.errors import RefusedPrompt

MAX_COUNT = 2**31 - 1
MIN_LOGPROB = -9999.0
"""The least log-probability that is stored."""
FILTERED = (
    "The server's content filter removed the reply to this prompt: shorten or reword the passage, "
    "or relax the filter."
)
THOUGHTS_ONLY = (
    "The model spent all its tokens on thoughts: allow more with "
    "RARR_LLM_EXTRA_TOKENS, such as RARR_LLM_EXTRA_TOKENS=4000."
)


def texts_of(body: Any) -> list[str]:
    """Return each choice's text, or "".

    Raises `ValueError`, `LookupError`, `TypeError` or `AttributeError`.
    """
    first, *others = body["choices"]
    return [_text_of(choice) for choice in (first, *others)]


def read_completion(body: Any, prompt: Prompt) -> Reply:
    """Read the prompt's samples, or an error where a filter or the token limit left none."""
    choices, texts = body["choices"][: prompt.samples], texts_of(body)[: prompt.samples]
    usage = body.get("usage")
    counts = usage if isinstance(usage, dict) else {}
    problem = "" if any(map(str.strip, texts)) else next(filter(None, map(_why_empty, choices)), "")
    return Reply(
        texts=() if problem else tuple(cut_at(text, prompt.stop) for text in texts),
        tokens=() if problem else tuple(map(tokens_of, choices)),
        input_tokens=_count(counts.get("prompt_tokens")),
        output_tokens=_count(counts.get("completion_tokens")),
        error=RefusedPrompt(problem) if problem else None,
    )


def tokens_of(choice: Mapping[str, Any]) -> tuple[Token, ...]:
    """Return a choice's tokens, or (), in OpenAI's form for chats or completions.

    >>> tokens_of({"logprobs": {"tokens": ["yes"], "token_logprobs": [-0.5],
    ...                         "top_logprobs": [{"yes": -0.5, "no": -1.0}]}})
    (Token(text='yes', alternatives=(('yes', -0.5), ('no', -1.0))),)
    """
    try:
        logprobs = choice.get("logprobs") or {}
        if rows := logprobs.get("content"):
            return tuple(
                _token(
                    row["token"],
                    row["logprob"],
                    {each["token"]: each["logprob"] for each in row.get("top_logprobs") or ()},
                )
                for row in rows
            )
        names = logprobs.get("tokens") or ()
        top = logprobs.get("top_logprobs") or [{}] * len(names)
        parallel = zip(names, logprobs.get("token_logprobs") or (), top, strict=True)
        return tuple(_token(name, logprob, some or {}) for name, logprob, some in parallel)
    except (LookupError, TypeError, ValueError, AttributeError, OverflowError):
        return ()  # the text counts without log-probabilities


def _token(text: str, logprob: float, top: Mapping[str, float]) -> Token:
    known = dict(top) | {text: logprob}
    if not all(isinstance(name, str) and not math.isnan(value) for name, value in known.items()):
        raise ValueError("no token, or no number")
    # Rounding lifts some values above 0, and JSON has no infinity.
    bounded = {name: max(min(float(p), 0.0), MIN_LOGPROB) for name, p in known.items()}
    return Token(text=text, alternatives=tuple(bounded.items()))


def _count(given: Any) -> int:
    return int(min(max(given, 0), MAX_COUNT)) if isinstance(given, int | float) else 0


def _text_of(choice: Mapping[str, Any]) -> str:
    """Return a choice's text, or ""; also for thoughts cut by the token limit."""
    text = choice["message"].get("content") if "message" in choice else choice["text"]
    if isinstance(text, list):
        text = "".join(part.get("text") or "" for part in text)
    if text is not None and not isinstance(text, str):
        raise TypeError
    is_cut = choice.get("finish_reason") == "length"
    is_thought = (text or "").lstrip().startswith("<think") and "</think" not in (text or "")
    return "" if is_cut and is_thought else text or ""


def _why_empty(choice: Mapping[str, Any]) -> str:
    message = choice.get("message") or {}
    if choice.get("finish_reason") == "content_filter" or message.get("refusal"):
        return FILTERED
    has_thoughts = bool(message.get("reasoning_content") or message.get("reasoning"))
    return THOUGHTS_ONLY if has_thoughts or choice.get("finish_reason") == "length" else ""


def cut_at(text: str, stop: Sequence[str]) -> str:
    """Cut at a stop string: some servers ignore them.

    >>> cut_at("one\\ntwo END three", ["END", "\\n"])
    'one'
    """
    return text[: min((start for each in stop if (start := text.find(each)) >= 0), default=None)]
