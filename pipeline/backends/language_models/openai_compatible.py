"""Language models behind OpenAI's interface: vLLM, Ollama, llama.cpp, vendors.

This process sends a refused parameter only once.
"""

import re
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cached_property
from typing import Any
from urllib.parse import urlsplit

import httpx  # noqa: F401 - openai fails where it finds it half imported by another thread
import httpx2
import openai

from pipeline.backends.language_models.accounted import Reply
from pipeline.backends.language_models.completions import read_completion
from pipeline.backends.language_models.options import LlmOptions
from pipeline.backends.language_models.refusals import (
    RETRIED,
    in_a_line,
    is_spent,
    message_of,
    refused_parameter,
    unsupported_by,
)
from pipeline.backends.language_models.transport import ServerTransport, limits_of
from pipeline.backends.retries import retry_after
from pipeline.backends.web.addresses import PORTS, read_trusted
from pipeline.backends.web.guarded import GuardedClient
from pipeline.language_model import Prompt
from pipeline.rarr.errors import BadConfig, RarrError, RefusedPrompt, TransientError

NO_KEY = "none"
"""Sent where no key is set: the library requires one."""
WHOSE_KEY = "Check RARR_LLM_API_KEY; behind a proxy, check the proxy's own key and account."
WRONG_KEY = BadConfig, f"rejected the API key ({{status}}: {{message}}). {WHOSE_KEY}"
SPENT = (
    BadConfig,
    f"has no quota or credit left for this key ({{status}}: {{message}}). {WHOSE_KEY}",
)
REFUSED_PROMPT = RefusedPrompt, "rejected the request ({status}): {message}"
REDIRECT = BadConfig, "redirects to another address: set RARR_LLM_BASE_URL to that address."
REFUSALS: dict[int, tuple[type[RarrError], str]] = {
    401: WRONG_KEY,
    403: WRONG_KEY,
    404: (
        BadConfig,
        "has no model {model!r}, or not this interface (404: {message}): correct RARR_LLM or "
        "RARR_LLM_BASE_URL (it often ends in /v1), or set RARR_LLM_API={other}.",
    ),
    413: (
        RefusedPrompt,
        "or a proxy before it rejects requests of {size:,.0f} kB (413: {message}): raise its limit "
        "(of nginx: client_max_body_size), or shorten the passage.",
    ),
    501: (BadConfig, "does not support the request (501: {message})."),
}
"""The meaning of a status, after the server's name. Others refuse only the prompt."""
MAX_RETRIES = 1_000
"""More than any patience allows."""
TOP_LOGPROBS = 5
"""As many alternatives as every server sends."""


class OpenAICompatible:
    def __init__(self, model: str, *, options: LlmOptions) -> None:
        self.model = model
        self.name = f"openai:{model}"
        self.options = options
        self._server = options.base_url.rstrip("/")
        self._limits = limits_of(
            self._server, concurrency=options.concurrency, per_minute=options.per_minute
        )
        self.unsupported = unsupported_by(self._server, model, options.api)
        """Parameters that the model refused."""

    @property
    def identity(self) -> Mapping[str, Any]:
        return {
            "backend": "openai",
            "base_url": self.address,
            "model": self.model,
            "api": self.options.api,
        }

    @property
    def address(self) -> str:
        """Without a password."""
        parts = urlsplit(self._server)
        return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()

    def prepare(self) -> None: ...

    def ask(self, prompts: Sequence[Prompt], *, first: Sequence[int] = ()) -> Sequence[Reply]:
        if len(prompts) == 1:
            return [self._ask_one(prompts[0])]
        pool = ThreadPoolExecutor(self.options.concurrency, "llm")
        try:
            return list(pool.map(self._ask_one, prompts))
        finally:
            # An interrupt neither sends new prompts nor waits for replies.
            pool.shutdown(wait=False, cancel_futures=True)

    def models(self) -> list[str]:
        """Return the server's model names; raises `BadConfig` or `TransientError`."""
        transport = self._transport()
        try:
            response = self._client(transport).get("/models", cast_to=httpx2.Response)
            return [str(each["id"]) for each in response.json()["data"]]
        except (openai.NotFoundError, ValueError, LookupError, TypeError):
            raise BadConfig(
                f"There is no list of models at {self.address}/models: set RARR_LLM_BASE_URL to "
                "the address of an OpenAI-compatible interface; it often ends in /v1."
            ) from None
        except openai.APIError as error:
            raise self._problem(error, attempts=transport.attempts) from error

    @cached_property
    def _guarded(self) -> GuardedClient:
        url = httpx2.URL(self._server)
        return GuardedClient(trusted=read_trusted(f"{url.host}:{url.port or PORTS[url.scheme]}"))

    def _transport(self) -> ServerTransport:
        return ServerTransport(self._guarded, limits=self._limits, patience=self.options.patience)

    def _client(self, transport: ServerTransport) -> openai.OpenAI:
        key = self.options.api_key or NO_KEY
        if not (key.isascii() and key.isprintable()):
            raise BadConfig(
                "RARR_LLM_API_KEY has a line break or a letter that keys do not have: correct it."
            )
        return openai.OpenAI(
            base_url=self._server,
            api_key=key,
            # Only the RARR_ settings count, not the OPENAI_ variables.
            organization="",
            project="",
            timeout=self.options.timeout,
            max_retries=MAX_RETRIES,
            http_client=httpx2.Client(
                transport=transport,
                headers={"Accept-Encoding": "gzip"},
                follow_redirects=False,
                trust_env=False,
            ),
        )

    def _ask_one(self, prompt: Prompt) -> Reply:
        """Request all samples, and learn which parameters the model refuses."""
        start = time.perf_counter()
        transport, refused = self._transport(), set[str]()
        path = "/chat/completions" if self.options.api == "chat" else "/completions"
        reply: Reply | None = None
        while reply is None:
            body = self._body(prompt, without=self.unsupported | refused)
            try:
                response = self._client(transport).post(path, body=body, cast_to=httpx2.Response)
                # Only now: a refusal may have been of the prompt, whose words it repeats.
                self.unsupported |= refused
                reply = read_completion(response.json(), prompt)
            except openai.APIError as error:
                name = ""
                if isinstance(error, openai.APIStatusError):
                    name = refused_parameter(error.response, error.request)
                if name and name != "max_completion_tokens":
                    refused.add("logprobs" if name == "top_logprobs" else name)
                else:
                    reply = Reply(error=self._problem(error, attempts=transport.attempts))
            except RarrError as error:
                reply = Reply(error=error)
        # An empty reply has no tokens to report: it shows nothing about the server.
        if prompt.wants_tokens and any(
            text and not tokens for text, tokens in zip(reply.texts, reply.tokens, strict=True)
        ):
            self.unsupported.add("logprobs")
        reply = replace(reply, seconds=time.perf_counter() - start, attempts=transport.attempts)
        missing = prompt.samples - len(reply.texts)
        if reply.error or not missing:
            return reply
        self.unsupported.add("n")
        return reply + self._ask_one(replace(prompt, samples=missing))

    def _body(self, prompt: Prompt, *, without: set[str]) -> dict[str, Any]:
        limit = "max_completion_tokens" if "max_tokens" in without else "max_tokens"
        body: dict[str, Any] = {
            "model": self.model,
            "temperature": prompt.temperature,
            limit: prompt.max_tokens,
        }
        if self.options.api == "completions":
            body["prompt"] = prompt.joined
        elif prompt.system and "system" not in without:
            body["messages"] = [
                {"role": "system", "content": prompt.system},
                {"role": "user", "content": prompt.text},
            ]
        else:
            body["messages"] = [{"role": "user", "content": prompt.joined}]
        if prompt.stop:
            body["stop"] = list(prompt.stop)
        if prompt.top_p < 1:
            body["top_p"] = prompt.top_p
        if prompt.samples > 1:
            body["n"] = prompt.samples
        if prompt.wants_tokens and "logprobs" not in without:
            if self.options.api == "chat":
                body |= {"logprobs": True, "top_logprobs": TOP_LOGPROBS}
            else:
                body["logprobs"] = TOP_LOGPROBS
        return {name: value for name, value in body.items() if name not in without}

    def _problem(self, error: openai.APIError, *, attempts: int) -> RarrError:
        where = f"The language model's server {self.address}"
        tries = f", {attempts} times" if attempts > 1 else ""
        if isinstance(error, openai.APITimeoutError):
            return TransientError(
                f"{where} did not answer within {self.options.timeout:g} s{tries}: check that it "
                "runs, or raise RARR_LLM_TIMEOUT."
            )
        if not isinstance(error, openai.APIStatusError):
            why = self._clean(error.message)
            return TransientError(
                f"{where} cannot be reached ({why}){tries}: check that it runs, and check "
                "RARR_LLM_BASE_URL."
            )
        response, status = error.response, error.status_code
        message = self._clean(message_of(response)) or "no reason given"
        kind, reason = REFUSALS.get(status, REFUSED_PROMPT)
        if is_spent(response):
            kind, reason = SPENT
        elif status == 403 and re.search("moderat|flagged", message):  # OpenRouter's filter
            kind, reason = REFUSED_PROMPT
        elif 300 <= status < 400:
            kind, reason = REDIRECT
        elif status not in REFUSALS and (status in RETRIED or status >= 500):
            wait = retry_after(response.headers)
            asks = f" and asks to wait {wait:.0f} s" if wait else ""
            what, fix = f"answered {status}", "look into its log"
            if not response.extensions.get("is_completion", True):
                what, fix = "answered 200 without a completion", "check RARR_LLM_BASE_URL"
            elif status == 429:
                fix = "lower RARR_LLM_CONCURRENCY or RARR_LLM_PER_MINUTE"
            return TransientError(f"{where} {what}{asks}{tries}: {message}; {fix}.", wait=wait)
        other = "completions" if self.options.api == "chat" else "chat"
        size = len(error.request.content) / 1000
        reason = reason.format(
            status=status, message=message, model=self.model, other=other, size=size
        )
        return kind(f"{where} {reason}")

    def _clean(self, text: str) -> str:
        secrets = [self.options.api_key, urlsplit(self._server).password or ""]
        return in_a_line(text, secrets=secrets)
