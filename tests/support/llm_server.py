"""A server with OpenAI's interface that answers from a function.

    with LlmServer(lambda prompt: "Which sea?", delay=0.2) as server:
        ...  # server.url is the base URL; server.requests is what came

What the function gives for a prompt is the text of every sample, a list with one text a sample,
or a `Fault`. `server.faults` are used up first, one a request, whatever the prompt.
"""

import json
import math
import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler
from typing import Any

from pipeline.backends.language_models.openai_compatible import OpenAICompatible
from pipeline.backends.language_models.options import LlmOptions
from pipeline.backends.language_models.refusals import unsupported_by
from pipeline.backends.language_models.transport import limits_of
from tests.support.local_server import LocalServer


@dataclass(frozen=True, kw_only=True)
class Fault:
    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    silence: float = 0.0
    """Seconds without a word before it; ends early when the server is closed."""
    cut: bool = False
    """Close the connection before the announced end of the body."""


def error(status: int, message: str = "", *, param: str = "", **headers: str) -> Fault:
    """Format an error as OpenAI's servers do; `Retry_After="1"` is a header."""
    fields = {"message": message or f"status {status}", "type": "stub", "param": param}
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return replace(body(status, {"error": fields}), headers=named)


def body(status: int, value: Any) -> Fault:
    return Fault(status=status, body=json.dumps(value).encode())


def page(status: int, title: str) -> Fault:
    text = f"<html><head><title>{title}</title></head></html>"
    return Fault(status=status, body=text.encode(), headers={"Content-Type": "text/html"})


def completion(content: Any, finish_reason: str = "stop", **more: Any) -> Fault:
    message = {"role": "assistant", "content": content, **more}
    usage = {"prompt_tokens": 7, "completion_tokens": 5}
    choice = {"finish_reason": finish_reason, "message": message}
    return body(200, {"choices": [choice], "usage": usage})


GARBAGE = Fault(body=b"<html>\xff\xfe not JSON at all")
HALF_JSON = Fault(body=b'{"id": "1", "choices": [{"mess')
CUT_OFF = Fault(body=b'{"id": "1", "choices": [{"mess', cut=True)
NOTHING = Fault(body=b"")
NO_CHOICES = Fault(body=b'{"id": "1", "object": "chat.completion", "choices": []}')


Answer = str | Sequence[str] | Fault


@dataclass(frozen=True, kw_only=True)
class Request:
    path: str
    body: Mapping[str, Any]
    headers: Mapping[str, str]
    """By their names in small letters."""
    prompt: str
    """Of a chat its last message."""
    system: str
    """Of a chat its system message; "" without one."""
    at: float
    """`time.monotonic()` of its arrival."""


class LlmServer(LocalServer):
    """See the module. Where it `ignores_n`, it gives one choice, as Ollama.

    `refuses` names parts of a request that are answered with 400, such as temperature or system
    (a system message), or with the fault that stands behind their name. `chances` gives the
    probabilities of the words that could stand in the place of one of them, to requests that want
    those; None tells none.
    """

    def __init__(
        self,
        answer: Callable[[str], Answer] = lambda prompt: "yes",
        *,
        delay: float = 0.0,
        ignores_n: bool = False,
        models: Sequence[str] = ("stub",),
        faults: Sequence[Fault] = (),
        refuses: Sequence[str] | Mapping[str, Fault] = (),
        chances: Callable[[str], Mapping[str, float]] | None = None,
    ) -> None:
        self.answer, self.delay, self.models, self.key = answer, delay, models, ""
        self.ignores_n = ignores_n
        self.faults, self.chances = list(faults), chances
        if not isinstance(refuses, Mapping):
            refuses = {name: error(400, f"Unsupported: '{name}'.", param=name) for name in refuses}
        self.refuses = dict(refuses)
        self.requests: list[Request] = []
        self.most_at_once = 0
        """How many requests were in work at the same time, at most."""
        self._at_once = 0
        self._counts: Counter[str] = Counter()
        self._lock = threading.Lock()
        super().__init__(_handler(self))
        self.url = f"http://{self.host}/v1"

    def __exit__(self, *_: object) -> None:
        super().__exit__()
        # What this process knows of the address: another server may get the port.
        unsupported_by.cache_clear()
        limits_of.cache_clear()

    @property
    def prompts(self) -> list[str]:
        return [request.prompt for request in self.requests]

    def read(self, path: str) -> Fault:
        if not path.endswith("/models"):
            return error(404)
        data = [{"id": name, "object": "model"} for name in self.models]
        fault = self.faults.pop(0) if self.faults else None
        return fault or body(200, {"object": "list", "data": data})

    def reply(self, request: Request) -> Fault:
        with self._lock:
            self.requests.append(request)
            self._at_once += 1
            self.most_at_once = max(self.most_at_once, self._at_once)
            fault = self.faults.pop(0) if self.faults else None
        try:
            if self.delay:
                self._closing.wait(self.delay)
            return fault or self._right(request)
        finally:
            with self._lock:
                self._at_once -= 1

    def _right(self, request: Request) -> Fault:
        wanted = int(request.body.get("n") or 1)
        for name, fault in self.refuses.items():
            if name in request.body or (name == "system" and request.system):
                return fault
        answer = self.answer(request.prompt)
        if isinstance(answer, Fault):
            return answer
        texts = [answer] if isinstance(answer, str) else list(answer)
        count = 1 if self.ignores_n else wanted
        with self._lock:
            first = self._counts[request.prompt]
            self._counts[request.prompt] += count
        chosen = [texts[position % len(texts)] for position in range(first, first + count)]
        is_chat = request.path.endswith("/chat/completions")
        choices = [
            {"index": i, "finish_reason": "stop"}
            | ({"message": {"role": "assistant", "content": text}} if is_chat else {"text": text})
            | self._logprobs(request, text, is_chat=is_chat)
            for i, text in enumerate(chosen)
        ]
        usage = {
            "prompt_tokens": len(request.prompt.split()),
            "completion_tokens": sum(len(text.split()) for text in chosen),
        }
        return body(200, {"choices": choices, "usage": usage})

    def _logprobs(self, request: Request, text: str, *, is_chat: bool) -> dict[str, Any]:
        """Of each token of the text; a token is a word or mark with the blank before it."""
        if self.chances is None or not request.body.get("logprobs"):
            return {}
        chances = self.chances(request.prompt)
        most = request.body["top_logprobs" if is_chat else "logprobs"]
        rows: list[tuple[str, dict[str, float]]] = []
        for token in re.findall(r"\s*(?:\w+|[^\w\s])", text):
            word = token.strip()
            some = chances if word in chances else {word: 1.0}
            blank = token[: token.index(word)]
            likeliest = sorted(some.items(), key=lambda each: -each[1])[:most]
            rows.append((token, {blank + name: math.log(p) for name, p in likeliest}))
        if not is_chat:
            tokens, tops = [token for token, _ in rows], [some for _, some in rows]
            mine = [some.get(token, -9.0) for token, some in rows]
            return {"logprobs": {"tokens": tokens, "token_logprobs": mine, "top_logprobs": tops}}
        content = []
        for token, some in rows:
            tops = [{"token": name, "logprob": p} for name, p in some.items()]
            row = {"token": token, "logprob": some.get(token, -9.0), "bytes": None}
            content.append(row | {"top_logprobs": tops})
        return {"logprobs": {"content": content}}


def model_at(server: LlmServer, name: str = "stub", **options: Any) -> OpenAICompatible:
    """The model of a server, with a minute for each request and none to ask again."""
    given = {"base_url": server.url, "timeout": 60.0, "patience": 0.0} | options
    return OpenAICompatible(name, options=LlmOptions(**given))


@contextmanager
def installed(answer: Callable[[str], Answer], settings: Any) -> Iterator[LlmServer]:
    settings.RARR_LLM = "openai:stub"
    with LlmServer(answer) as running:
        settings.RARR_LLM_BASE_URL = running.url
        yield running


def _handler(server: LlmServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *args: object) -> None:
            pass

        def do_GET(self) -> None:
            self._send(server.read(self.path))

        def do_POST(self) -> None:
            sent = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            messages = sent.get("messages")
            has_system = messages and messages[0]["role"] == "system"
            request = Request(
                path=self.path,
                body=sent,
                headers={name.lower(): value for name, value in self.headers.items()},
                prompt=messages[-1]["content"] if messages else sent.get("prompt", ""),
                system=messages[0]["content"] if has_system else "",
                at=time.monotonic(),
            )
            self._send(server.reply(request))

        def _send(self, fault: Fault) -> None:
            if server.key and self.headers.get("Authorization") != f"Bearer {server.key}":
                fault = error(401, "Incorrect API key.")
            if fault.silence:
                server._closing.wait(fault.silence)
            more = len(fault.body) if fault.cut else 0
            headers = {
                "Content-Type": "application/json",
                **fault.headers,
                "Content-Length": str(len(fault.body) + more),
            }
            head = f"HTTP/1.1 {fault.status} Stub\r\n" + "".join(
                f"{name}: {value}\r\n" for name, value in headers.items()
            )
            # One write: head and body apart would wait for each other's acknowledgement.
            self.wfile.write(head.encode() + b"\r\n" + fault.body)
            if fault.cut:
                self.close_connection = True

    return Handler
