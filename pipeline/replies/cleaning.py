"""Removal of thoughts, special tokens and boxes from a reply; its JSON."""

import json
import re
from collections.abc import Iterator
from typing import Any

from pipeline.rarr.errors import UnreadableReply

_SPECIAL = (
    r"(?:<[|｜][^<>\n]{1,40}[|｜]>|</?s>|<(?:start|end)_of_(?:turn|text)>|<(?:eos|bos|pad)>"
    r"|\[/?INST\])"
)
_FIRST_TOKENS = re.compile(
    rf"\A\s*(?:{_SPECIAL}(?:\s{{0,3}}(?:assistant|model)\b)?\s*)+|\A\s*(?:assistant|model)[ \t]*\n"
)
_END_TOKEN = re.compile(rf"{_SPECIAL}(?=[ \t]{{0,9}}(?:\Z|\n|{_SPECIAL}))")
_FINAL_CHANNEL = re.compile(r"<\|channel\|>final[^<>\n]{0,40}<\|message\|>|assistantfinal")
_THOUGHTS = re.compile(
    r"<(?P<end>/?)(?:think|thinking|thoughts?|reflection|scratchpad|analysis)>"
    r"|\[(?P<end2>/?)THINK\]|◁(?P<end3>/?)think▷",
    re.IGNORECASE,
)
_BOXED = re.compile(r"\$*\\boxed\{(?:\\text(?:bf)?\{)?(?P<text>[^{}\n]*)\}{1,2}\$*")


def reply_text(reply: str) -> str:
    """Return the reply without thoughts, special tokens and outer white space.

    Raises `UnreadableReply` if nothing is left or the reply ends within its thoughts.
    """
    text = re.sub(r"\r\n?", "\n", reply).replace("\ufeff", "").replace("\u200b", "")
    channels = _FINAL_CHANNEL.split(text)
    if len(channels) == 1 and "<|channel|>analysis" in text:
        raise _cut_in_thoughts()
    text = _FIRST_TOKENS.sub("", channels[-1])
    text = _FIRST_TOKENS.sub("", _without_thoughts(text))
    if end := _END_TOKEN.search(text):
        text = text[: end.start()]
    text = _BOXED.sub(lambda box: box["text"], text).strip()
    if not text:
        raise UnreadableReply("The reply is empty.")
    return text


def _without_thoughts(text: str) -> str:
    marks = list(_THOUGHTS.finditer(text))
    is_end = [bool(mark["end"] or mark["end2"] or mark["end3"]) for mark in marks]
    if not any(is_end):
        if marks:
            raise _cut_in_thoughts()
        return text
    last = len(marks) - 1 - is_end[::-1].index(True)
    if last < len(marks) - 1:
        raise _cut_in_thoughts()
    before = "" if is_end[0] else text[: marks[0].start()]
    rest = text[marks[last].end() :].strip() or before.strip()
    if not rest:
        raise _cut_in_thoughts()
    return rest


def _cut_in_thoughts() -> UnreadableReply:
    return UnreadableReply(
        "The reply ends within its thoughts: give the model more tokens (RARR_LLM_EXTRA_TOKENS)."
    )


MAX_JSON_ATTEMPTS = 8
"""Failed attempts at parsing a JSON value, per reply."""

_JSON_START = re.compile(r"(?:^|[\n:`])[ \t]*(?P<start>\{(?=[\s\"}])|\[(?=[\s\"{\]]))")
_JSON_BEGINNING = re.compile(r"\s*(?:```\w{0,9}\s*)?(?:\{\s*\"|\[\s*[\"{])")
_DECODER = json.JSONDecoder(strict=False)
KEY_BREAK = re.compile(r"[_\-\s]+|(?<=[a-z0-9])(?=[A-Z])")


def json_fields(text: str) -> tuple[list[tuple[str, str]], str]:
    """Return the (key, value) pairs of all JSON values in a reply, and the text around them.

    Keys are lower-case words; a list gives one pair per entry. Raises `UnreadableReply` if the
    reply is only a truncated JSON value.

    >>> json_fields('Sure: {"fixedPassage": "It fell."} Bye.')
    ([('fixed passage', 'It fell.')], 'Sure: \\n Bye.')
    """
    pairs: list[tuple[str, str]] = []
    outside: list[str] = []
    at = attempts = 0
    while attempts < MAX_JSON_ATTEMPTS and (start := _JSON_START.search(text, at)):
        try:
            value, end = _DECODER.raw_decode(text, start.start("start"))
        except (ValueError, RecursionError):
            attempts += 1
            outside.append(text[at : start.end()])
            at = start.end()
            continue
        outside += [text[at : start.start("start")], "\n"]
        pairs += _flat(value, "")
        at = end
    outside.append(text[at:])
    if attempts and not pairs and _JSON_BEGINNING.match(text):
        raise UnreadableReply(
            f"The reply is not a whole JSON value, it ends in {text[-20:]!r}: it may need more "
            "tokens (RARR_LLM_EXTRA_TOKENS)."
        )
    return pairs, "".join(outside)


def _flat(value: Any, key: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for name, each in value.items():
            yield from _flat(each, KEY_BREAK.sub(" ", name).strip().lower())
    elif isinstance(value, list):
        for each in value:
            yield from _flat(each, key)
    else:
        text = value.strip() if isinstance(value, str) else json.dumps(value)
        yield key, "" if value is None else text
