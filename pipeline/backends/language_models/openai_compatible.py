"""A language model behind OpenAI's interface: vLLM, Ollama, llama.cpp, a vendor.

Prompts are asked concurrently. A parameter that the model does not take is left out after its
first refusal, for as long as the process runs.
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
from pipeline.backends.language_models.limits import limits_of
from pipeline.backends.language_models.options import LlmOptions
from pipeline.backends.language_models.refusals import (
    RETRIED,
    in_a_line,
    is_spent,
    message_of,
    refused_parameter,
    unsupported_by,
)
from pipeline.backends.language_models.transport import ServerTransport
from pipeline.backends.retries import retry_after
from pipeline.backends.web.addresses import PORTS, read_trusted
from pipeline.backends.web.guarded import GuardedClient
from pipeline.language_model import Prompt
from pipeline.rarr.errors import BadConfig, RarrError, RefusedPrompt, TransientError

NO_KEY = "none"
"""What is sent where no key is set: the library insists on one."""
WHOSE_KEY = "Check RARR_LLM_API_KEY; behind a proxy, check the proxy's own key and account."
WRONG_KEY = BadConfig, f"rejected the API key ({{status}}: {{said}}). {WHOSE_KEY}"
SPENT = (
    BadConfig,
    f"has no quota or credit left for this key ({{status}}: {{said}}). {WHOSE_KEY}",
)
REFUSED_PROMPT = RefusedPrompt, "refuses the request ({status}): {said}"
REDIRECT = BadConfig, "redirects elsewhere: set RARR_LLM_BASE_URL to that address."
REFUSALS: dict[int, tuple[type[BadConfig], str]] = {
    401: WRONG_KEY,
    403: WRONG_KEY,
    404: (
        BadConfig,
        "has no model {model!r}, or not this interface (404: {said}): correct RARR_LLM or "
        "RARR_LLM_BASE_URL (it often ends in /v1), or set RARR_LLM_API={other}.",
    ),
    413: (
        RefusedPrompt,
        "or a proxy before it takes no request of {size:,.0f} kB (413: {said}): raise its limit "
        "(of nginx: client_max_body_size), or shorten the passage.",
    ),
    501: (BadConfig, "does not support the request (501: {said})."),
}
"""What the status of a refusal means, after the server's name. Others refuse only the prompt."""
MAX_RETRIES = 1_000
"""More than any patience allows: `ServerTransport` ends them."""
TOP_LOGPROBS = 5
"""As many alternatives of a token as every server gives."""


class OpenAICompatible:
    """One model at one server; a `Source` of `AccountedModel`."""

    def __init__(self, model: str, *, options: LlmOptions) -> None:
        self.model = model
        self.name = f"openai:{model}"
        self.prices, self.keeps_texts = options.prices, options.keeps_texts
        self._options = options
        self._server = options.base_url.rstrip("/")
        self._limits = limits_of(
            self._server, concurrency=options.concurrency, per_minute=options.per_minute
        )
        self.unsupported = unsupported_by(self._server, model, options.api)
        """The parameters of a request that the model turned out to refuse."""

    @property
    def identity(self) -> Mapping[str, Any]:
        return {
            "backend": "openai",
            "base_url": self.address,
            "model": self.model,
            "api": self._options.api,
        }

    @property
    def address(self) -> str:
        """The server's address, without a password."""
        parts = urlsplit(self._server)
        return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()

    def prepared(self, prompt: Prompt, *, step: str = "") -> Prompt:
        """See `Source`."""
        return self._options.prepared(prompt, step=step)

    def ask(self, prompts: Sequence[Prompt], *, first: Sequence[int] = ()) -> Sequence[Reply]:
        """A reply to each prompt, in order; see `Source`."""
        replies = [Reply(requests=0, attempts=0)] * len(prompts)
        while wanted := [
            (i, samples)
            for i, (prompt, reply) in enumerate(zip(prompts, replies, strict=True))
            if not reply.error
            for samples in self._split(prompt.samples - len(reply.texts))
        ]:
            found = self._ask_each([(prompts[i], samples) for i, samples in wanted])
            for (i, _), reply in zip(wanted, found, strict=True):
                replies[i] = _together(replies[i], reply)
        return replies

    def models(self) -> list[str]:
        """The models that the server offers; raises `BadConfig` or `TransientError`."""
        calls = self._calls()
        try:
            response = self._client(calls).models.with_raw_response.list().http_response
            return [str(each["id"]) for each in response.json()["data"]]
        except (openai.NotFoundError, ValueError, LookupError, TypeError):
            raise BadConfig(
                f"There is no list of models at {self.address}/models: set RARR_LLM_BASE_URL to "
                "the address of an OpenAI-compatible interface; it often ends in /v1."
            ) from None
        except openai.APIError as error:
            raise self._problem(error, attempts=calls.attempts) from error

    @cached_property
    def _guarded(self) -> GuardedClient:
        url = httpx2.URL(self._server)
        return GuardedClient(trusted=read_trusted(f"{url.host}:{url.port or PORTS[url.scheme]}"))

    def _calls(self) -> ServerTransport:
        return ServerTransport(self._guarded, limits=self._limits, patience=self._options.patience)

    def _client(self, calls: ServerTransport) -> openai.OpenAI:
        key = self._options.api_key or NO_KEY
        if not (key.isascii() and key.isprintable()):
            raise BadConfig(
                "RARR_LLM_API_KEY holds a line break or a letter that no key has: write it anew."
            )
        return openai.OpenAI(
            base_url=self._server,
            api_key=key,
            # Not from OPENAI_… variables: what is sent is what the RARR_ settings say.
            organization="",
            project="",
            timeout=self._options.timeout,
            max_retries=MAX_RETRIES,
            http_client=httpx2.Client(transport=calls, follow_redirects=False, trust_env=False),
        )

    def _split(self, samples: int) -> list[int]:
        """How many samples each request asks for."""
        return [1] * samples if "n" in self.unsupported else [samples] * (samples > 0)

    def _ask_each(self, wanted: Sequence[tuple[Prompt, int]]) -> list[Reply]:
        if len(wanted) == 1:
            return [self._ask_one(*wanted[0])]
        pool = ThreadPoolExecutor(min(len(wanted), self._options.concurrency), "llm")
        try:
            return list(pool.map(lambda each: self._ask_one(*each), wanted))
        finally:
            # After an interrupt nothing new is asked, and what is under way is not waited for.
            pool.shutdown(wait=False, cancel_futures=True)

    def _ask_one(self, prompt: Prompt, samples: int) -> Reply:
        """Ask for samples by one request, until it is answered or the patience ends."""
        start = time.perf_counter()
        calls = self._calls()
        try:
            body = self._create(prompt, samples, calls)
            reply = read_completion(body, prompt, samples=samples)
        except openai.APIError as error:
            reply = Reply(error=self._problem(error, attempts=calls.attempts))
        except RarrError as error:
            reply = Reply(error=error)
        if not reply.error and len(reply.texts) < samples:
            self.unsupported.add("n")
        # An empty reply has no tokens to report: it shows nothing about the server.
        if prompt.wants_tokens and any(
            text and not tokens for text, tokens in zip(reply.texts, reply.tokens, strict=True)
        ):
            self.unsupported.add("logprobs")
        return replace(reply, seconds=time.perf_counter() - start, attempts=calls.attempts)

    def _create(self, prompt: Prompt, samples: int, calls: ServerTransport) -> Any:
        """The body of a completion; learns what the model refuses."""
        client, left_out = self._client(calls), set[str]()
        while True:
            unsupported = self.unsupported | left_out
            sent = self._parameters(prompt, samples, unsupported)
            try:
                if self._options.api == "chat":
                    chat = client.chat.completions.with_raw_response
                    messages = _messages(prompt, has_system="system" not in unsupported)
                    response = chat.create(messages=messages, **sent).http_response
                else:
                    plain = client.completions.with_raw_response
                    response = plain.create(prompt=prompt.joined, **sent).http_response
            except openai.APIStatusError as error:
                name = refused_parameter(error.response, error.request)
                if not name or name == "max_completion_tokens":
                    raise
                left_out.add("logprobs" if name == "top_logprobs" else name)
            else:
                # Only now: a refusal may have been of the prompt, whose words it repeats.
                self.unsupported |= left_out
                return response.json()

    def _parameters(self, prompt: Prompt, samples: int, left_out: set[str]) -> dict[str, Any]:
        limit = "max_completion_tokens" if "max_tokens" in left_out else "max_tokens"
        body: dict[str, Any] = {
            "model": self.model,
            "temperature": prompt.temperature,
            limit: prompt.max_tokens,
        }
        if prompt.stop:
            body["stop"] = list(prompt.stop)
        if samples > 1:
            body["n"] = samples
        if prompt.wants_tokens and "logprobs" not in left_out:
            is_chat = self._options.api == "chat"
            body["logprobs"] = is_chat or TOP_LOGPROBS
            if is_chat:
                body["top_logprobs"] = TOP_LOGPROBS
        return {name: value for name, value in body.items() if name not in left_out}

    def _problem(self, error: openai.APIError, *, attempts: int) -> RarrError:
        """What went wrong, in a sentence that names the setting to look at."""
        where = f"The language model's server {self.address}"
        tries = f", {attempts} times" if attempts > 1 else ""
        if isinstance(error, openai.APITimeoutError):
            return TransientError(
                f"{where} did not answer within {self._options.timeout:g} s{tries}: check that it "
                "runs, or raise RARR_LLM_TIMEOUT."
            )
        if not isinstance(error, openai.APIStatusError):
            why = self._clean(error.message)
            return TransientError(
                f"{where} cannot be reached ({why}){tries}: check that it runs, and check "
                "RARR_LLM_BASE_URL."
            )
        response, status = error.response, error.status_code
        said = self._clean(message_of(response)) or "no reason given"
        kind, reason = REFUSALS.get(status, REFUSED_PROMPT)
        if is_spent(response):
            kind, reason = SPENT
        elif status == 403 and re.search("moderat|flagged", said):  # OpenRouter's filter
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
            return TransientError(f"{where} {what}{asks}{tries}: {said}; {fix}.", wait=wait)
        other = "completions" if self._options.api == "chat" else "chat"
        size = len(error.request.content) / 1000
        about = {"status": status, "said": said, "model": self.model, "other": other, "size": size}
        return kind(f"{where} {reason.format(**about)}")

    def _clean(self, text: str) -> str:
        secrets = [self._options.api_key, urlsplit(self._server).password or ""]
        return in_a_line(text, secrets=secrets)


def _messages(prompt: Prompt, *, has_system: bool) -> list[Any]:
    """The prompt as messages of a chat; without a system message where the model takes none."""
    if not (prompt.system and has_system):
        return [{"role": "user", "content": prompt.joined}]
    return [
        {"role": "system", "content": prompt.system},
        {"role": "user", "content": prompt.text},
    ]


def _together(one: Reply, other: Reply) -> Reply:
    """What two requests for the same prompt brought."""
    return Reply(
        texts=one.texts + other.texts,
        tokens=one.tokens + other.tokens,
        input_tokens=one.input_tokens + other.input_tokens,
        output_tokens=one.output_tokens + other.output_tokens,
        seconds=max(one.seconds, other.seconds),  # requests run in parallel
        requests=one.requests + other.requests,
        attempts=one.attempts + other.attempts,
        error=one.error or other.error,
    )
