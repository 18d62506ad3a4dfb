"""Read servers' refusals, and learn which parameters their models refuse.

A parameter that a refusal names is dropped, and for the rest of the process where the server then
responds.
"""

import json
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any
from urllib.parse import quote

import httpx2

MAX_DISPLAYED, MAX_SEARCHED = 300, 20_000
"""Characters shown, and characters searched."""
RETRIED = {408, 409, 429}
"""Statuses below 500 that the library retries."""
_KEYS = re.compile(r"\bsk-[\w-]{8,}|\bBearer +[^\s\"',]+", re.IGNORECASE)
"""Keys of this and other accounts: a server may repeat its own."""
_PARAMETERS = {
    name: re.compile(rf"(?<![A-Za-z0-9_\\])(?:{words})(?![A-Za-z0-9_])", re.IGNORECASE)
    for name, words in {
        "temperature": "temperature",
        "top_p": "top_?p",
        "n": "n|best_?of|candidate_?count|candidates|choices?",
        "stop": "stop|stop_?sequences?",
        "system": "system (?:role|message|prompt)s?|[\"']system[\"']|developer instruction"
        "|roles? must alternate",
        "logprobs": "(?:top_?)?log_?prob(?:abilitie)?s?",
        "top_logprobs": "(?:top_?)?log_?prob(?:abilitie)?s?",
        "max_tokens": "max_?(?:completion_?|output_?|new_?)?tokens",
        "max_completion_tokens": "max_?(?:completion_?|output_?|new_?)?tokens",
    }.items()
}
"""Parameters that a request may lack or rename, and their names in refusals."""
_ABOUT_PROMPT = re.compile(
    r"context[ _](?:length|window|size)|too (?:long|large|many tokens)", re.IGNORECASE
)
_UNSUPPORTED = re.compile(
    r"support|unexpected|unknown|unrecognized|invalid|not (?:allowed|permitted)", re.IGNORECASE
)
_SPENT = re.compile(
    r"insufficient[ _](?:quota|credit|balance|funds)|exceeded_current_quota|billing_"
    r"|credit balance is too low",
    re.IGNORECASE,
)


def refused_parameter(response: httpx2.Response, request: httpx2.Request) -> str:
    """Return the refused parameter, or ""; "system" for the system message.

    It is `error.param`, or the first that the message names; from status 500, only beside
    "unsupported" or similar.
    """
    error, status = error_of(response), response.status_code
    param = re.split(r"\W", str(error.get("param") or ""), maxsplit=1)[0]
    text = response.text[:MAX_SEARCHED]
    if request.method != "POST" or status < 400 or status in {401, 402, 403, 404, *RETRIED}:
        return ""
    sent = json.loads(request.content)
    names = set(sent) & set(_PARAMETERS)
    if param in names:
        return param
    if param in {"prompt", "model"} or _ABOUT_PROMPT.search(text):
        return ""
    if param == "messages":
        names = set()
    if any(each["role"] == "system" for each in sent.get("messages", ())):
        names.add("system")
    if status >= 500 and not _UNSUPPORTED.search(text):
        return ""
    matches = {name: _PARAMETERS[name].search(text) for name in names}
    starts = {name: match.start() for name, match in matches.items() if match}
    return min(starts, key=starts.__getitem__, default="")


def is_spent(response: httpx2.Response) -> bool:
    error = error_of(response)
    words = (error.get(key) for key in ("code", "type", "message"))
    return response.status_code == 402 or any(_SPENT.search(str(each)) for each in words)


def error_of(response: httpx2.Response) -> Mapping[str, Any]:
    """Return an error in OpenAI's form: `message`, `type`, `param`, `code`."""
    try:
        body = response.json()
    except (ValueError, RecursionError):
        return {"message": response.text[:MAX_SEARCHED]}
    if isinstance(body, list) and body:
        body = body[0]  # Gemini's
    error = body.get("error") or body if isinstance(body, dict) else body
    return error if isinstance(error, dict) else {"message": error}


def message_of(response: httpx2.Response) -> str:
    error = error_of(response)
    message = error.get("message") or error.get("detail") or dict(error)
    text = message if isinstance(message, str) else json.dumps(message, ensure_ascii=False)
    code = error.get("code")
    is_new = isinstance(code, str) and not code.isdigit() and code not in text
    return f"{text} ({code})" if is_new else text


@lru_cache(maxsize=256)
def unsupported_by(server: str, model: str, api: str) -> set[str]:
    """Return parameters that a model refused in this process."""
    return set()


def in_a_line(text: str, *, secrets: Sequence[str] = ()) -> str:
    """Clean a message for one line: no tags, control characters or keys.

    >>> in_a_line("<h1>502 Bad\\nGateway</h1>"), in_a_line("no k-e-y here", secrets=["k-e-y"])
    ('502 Bad Gateway', 'no … here')
    """
    text = text[:MAX_SEARCHED]
    if text.lstrip().startswith("<"):
        text = re.sub(r"<[^<>]*>", " ", text)
    text = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    # Before the cut, which could keep a part of a key.
    for secret in filter(None, secrets):
        for spelling in {secret, quote(secret, safe=""), json.dumps(secret)[1:-1]}:
            text = text.replace(spelling, "…")
    text = _KEYS.sub("…", text)
    return text if len(text) <= MAX_DISPLAYED else f"{text[: MAX_DISPLAYED - 1]}…"
