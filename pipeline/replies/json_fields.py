"""Fields of the JSON values in a reply."""

import json
import re
from collections.abc import Iterator
from typing import Any

from pipeline.rarr.errors import UnreadableReply

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
