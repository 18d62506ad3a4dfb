"""What a model's server says when it refuses a request, and what is learned from that.

Servers that call themselves compatible differ: in how the limit of tokens is called, whether
several samples come by one request, whether a reply can be held to a JSON schema, and which knobs
a reasoning model leaves alone. Each words its refusal in its own way, so the names of what was
sent are looked for in all that it says. What is named is left out once, to see; where the server
then answers, that is remembered for the process.

The server is the administrator's own, or one that they chose, so its words are shown to whoever
runs it; they may be hostile or repeat a key all the same, and `in_a_line` makes them fit for it.
"""

import json
import re
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any
from urllib.parse import quote

import openai

SHOWN = 300
READ = 20_000
"""Characters that are shown, and characters that are looked at."""
_KEYS = re.compile(r"\bsk-[\w-]{8,}|\bBearer +[^\s\"',]+", re.IGNORECASE)
"""What keys look like, other people's too: a server may repeat the key that it uses itself."""
_TAG = re.compile(r"<[^<>]*>")
LIMIT_NAMES = ("max_tokens", "max_completion_tokens")
"""How servers call the limit of tokens; the first is tried first."""
TOKENS_NAMES = ("logprobs", "top_logprobs")
"""How the chances of tokens are asked for: with both, or with neither."""
NAMES = {
    "temperature": r"temperature",
    "n": r"n|best_?of|candidate_?count|candidates|choices?",
    "stop": r"stop|stop_?sequences?",
    "system": r"system|roles? must alternate",
    "response_format": r"response_?(?:format|schema|mime_?type)|json_?schema|schemas?|structured\w*"
    r"|guided_?\w*|grammar",
    **dict.fromkeys(TOKENS_NAMES, r"(?:top_?)?log_?prob(?:abilitie)?s?"),
    **dict.fromkeys(LIMIT_NAMES, r"max_?(?:completion_?|output_?|new_?)?tokens"),
}
"""What a request may do without, or call otherwise, and what servers call it in a refusal. Stop
strings are cut off here, too; an answer is then sampled at the server's own temperature. A system
message then begins the user's."""
_NAMED = {
    # Behind a backslash stands the n of a line break.
    name: re.compile(rf"(?<![A-Za-z0-9_\\])(?:{words})(?![A-Za-z0-9_])", re.IGNORECASE)
    for name, words in NAMES.items()
}
_ABOUT_LENGTH = re.compile(
    r"context[ _](?:length|window|size)|too (?:long|large|many tokens)", re.IGNORECASE
)
"""Words of a refusal that is about the prompt, even where it names the limit of tokens."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """Which parts of a request a model takes, as far as is known."""

    left_out: frozenset[str] = frozenset()
    limit_name: str = LIMIT_NAMES[0]

    def after(self, error: openai.APIError, body: dict[str, Any]) -> "Dialect | None":
        """What to try where the server refused a part of this body; None where it named none."""
        if not isinstance(error, openai.BadRequestError | openai.UnprocessableEntityError):
            return None
        for name in _named(error, body):
            if name in TOKENS_NAMES:
                return replace(self, left_out=self.left_out | {TOKENS_NAMES[0]})
            if name not in LIMIT_NAMES:
                return replace(self, left_out=self.left_out | {name})
            if name == LIMIT_NAMES[0]:
                return replace(self, limit_name=LIMIT_NAMES[1])
        return None


def _named(error: openai.APIStatusError, body: dict[str, Any]) -> list[str]:
    """The parts of the body that a refusal names, in the order in which it names them."""
    param = re.split(r"\W", str(error.param or ""), maxsplit=1)[0]
    if param in NAMES and param in body:
        return [param]
    said = error.response.text[:READ]
    if param in {"prompt", "model"} or _ABOUT_LENGTH.search(said):
        return []
    # A refusal of messages may be about the role of one of them, and about no parameter.
    names = body.keys() & ({"system"} if param == "messages" else NAMES.keys())
    found = {name: _NAMED[name].search(said) for name in names}
    places = {name: match.start() for name, match in found.items() if match}
    return sorted(places, key=places.__getitem__)


class Habits:
    """The dialect of one model, shared by threads."""

    def __init__(self) -> None:
        self.dialect = Dialect()
        self._lock = threading.Lock()

    def keep(self, found: Dialect) -> None:
        """Remember the dialect of a request that succeeded, beside what others have learned
        meanwhile.
        """
        with self._lock:
            known = self.dialect
            self.dialect = Dialect(
                left_out=known.left_out | found.left_out,
                limit_name=max(known.limit_name, found.limit_name, key=LIMIT_NAMES.index),
            )


@lru_cache(maxsize=256)
def habits_of(server: str, model: str, api: str) -> Habits:
    """What this process has learned of a model, by its server's address."""
    return Habits()


def message_of(error: openai.APIStatusError) -> str:
    """The server's message with its code, without the JSON around it.

    As it came: `in_a_line` makes it fit to be shown.
    """
    body: Any = error.body
    if not isinstance(body, Mapping):
        return _text(body)
    said = _text(body.get("message") or body.get("detail") or dict(body))
    code = body.get("code")
    is_news = isinstance(code, str) and not code.isdigit() and code not in said
    return f"{said} ({code})" if is_news else said


def in_a_line(said: object, *, secrets: Sequence[str] = ()) -> str:
    """At most `SHOWN` characters on one line: no tags of a page, no control characters, no keys.

    >>> in_a_line("<h1>502 Bad\\nGateway</h1>"), in_a_line("no k-e-y here", secrets=["k-e-y"])
    ('502 Bad Gateway', 'no … here')
    """
    text = str(said)[:READ]
    if text.lstrip().startswith("<"):
        text = _TAG.sub(" ", text)
    text = "".join(letter if letter.isprintable() else " " for letter in text)
    text = " ".join(text.split())
    # Before the cut, which could leave a part of a key.
    for secret in filter(None, secrets):
        for spelling in {secret, quote(secret, safe=""), json.dumps(secret)[1:-1]}:
            text = text.replace(spelling, "…")
    text = _KEYS.sub("…", text)
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 1]}…"


def _text(value: Any) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    return json.dumps(value, ensure_ascii=False)
