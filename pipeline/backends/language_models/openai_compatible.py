"""A language model behind OpenAI's interface: vLLM, Ollama, llama.cpp, a vendor.

Prompts are asked concurrently. What a server does not know is learned from its first refusal
and remembered for the process (`habits`).
"""

import contextvars
import json
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cached_property
from typing import Any
from urllib.parse import urlsplit

import httpx  # noqa: F401 - openai fails where it finds it half imported by another thread
import openai

from pipeline.backends.calls import Stretch
from pipeline.backends.language_models.accounted import Reply
from pipeline.backends.language_models.completion_bodies import read_body
from pipeline.backends.language_models.limits import limits_of
from pipeline.backends.language_models.options import LlmOptions
from pipeline.backends.language_models.server_quirks import (
    Dialect,
    habits_of,
    in_a_line,
    message_of,
)
from pipeline.backends.language_models.transport import bounded_client
from pipeline.backends.retries import TOO_MANY, RetryableError, asked_wait, retry
from pipeline.rarr.errors import BadConfig, RarrError, RefusedPrompt, TransientError
from pipeline.rarr.ports import Prompt

NO_KEY = "none"
"""What is sent where no key is set: the library insists on one."""
WHOSE_KEY = (
    "that may be yours, which RARR_LLM_API_KEY sets, or, where the server passes prompts on, its "
    "own at the provider behind it"
)
UNREACHED = "see that it runs and can be reached, or give it more time with RARR_LLM_TIMEOUT"
NO_MODEL = "see that RARR_LLM_BASE_URL is the address of an OpenAI-compatible interface"
LIKELIEST = 5
"""Tokens that are told of each place of an answer: as many as every server gives."""
OF_THE_PROMPT = {400, 413, 422}
"""The statuses with which a server refuses one request, where another may be right."""


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
        self._habits = habits_of(self._server, model, options.api)

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

    @property
    def left_out(self) -> frozenset[str]:
        """The parts of a request that the model turned out to refuse."""
        return self._habits.dialect.left_out

    def prepared(self, prompt: Prompt, *, step: str = "") -> Prompt:
        """See `Source`. The interface "completions" knows no schemas."""
        return self._options.prepared(prompt, step=step, takes_schemas=self._options.api == "chat")

    def ask(self, prompts: Sequence[Prompt], *, first: Sequence[int] = ()) -> Sequence[Reply]:
        """A reply to each prompt, in order; see `Source`."""
        replies = [Reply(requests=0, attempts=0)] * len(prompts)
        while wanted := [
            (place, samples)
            for place, (prompt, reply) in enumerate(zip(prompts, replies, strict=True))
            if not reply.error
            for samples in _parts(prompt.samples - len(reply.texts), whole="n" not in self.left_out)
        ]:
            found = self._ask_each([(prompts[place], samples) for place, samples in wanted])
            for (place, _), reply in zip(wanted, found, strict=True):
                replies[place] = _together(replies[place], reply)
        return replies

    def models(self) -> list[str]:
        """The models that the server offers; raises `BadConfig` or `TransientError`."""
        with self._limits.turn():
            try:
                response = self._client.models.with_raw_response.list()
            except openai.NotFoundError:
                content = b""
            except openai.APIError as error:
                raise self._named(self._problem(error), attempts=1) from error
            else:
                content = response.content
        try:
            return [str(each["id"]) for each in json.loads(content)["data"]]
        except (ValueError, LookupError, TypeError):
            raise BadConfig(
                f"There is no list of models at {self.address}/models: set RARR_LLM_BASE_URL to "
                "the address of an OpenAI-compatible interface; it often ends in /v1."
            ) from None

    @cached_property
    def _client(self) -> openai.OpenAI:
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
            max_retries=0,  # `retry` retries, and counts
            http_client=bounded_client(self._options.timeout, base_url=self._server),
        )

    def _ask_each(self, wanted: Sequence[tuple[Prompt, int]]) -> list[Reply]:
        if len(wanted) == 1:
            return [self._ask_one(*wanted[0])]
        pool = ThreadPoolExecutor(min(len(wanted), self._options.concurrency), "llm")
        try:
            jobs = [
                pool.submit(contextvars.copy_context().run, self._ask_one, prompt, samples)
                for prompt, samples in wanted
            ]
            return [job.result() for job in jobs]
        finally:
            # All have ended, or there was an interrupt: then nothing new is asked, and what is
            # under way is not waited for.
            pool.shutdown(wait=False, cancel_futures=True)

    def _ask_one(self, prompt: Prompt, samples: int) -> Reply:
        """Ask for samples by one request, until it is answered or the patience ends."""
        under_way: list[Stretch] = []
        attempts = 0

        def attempt() -> Reply:
            nonlocal attempts
            attempts += 1
            return self._attempt(prompt, samples, under_way)

        start = time.perf_counter()
        try:
            reply = retry(attempt, patience=self._options.patience)
        except RetryableError as problem:
            seconds = time.perf_counter() - start
            reply = Reply(error=self._named(problem, attempts=attempts, seconds=seconds))
        except RarrError as error:
            reply = Reply(error=error)
        if not reply.error and len(reply.texts) < samples:
            self._habits.keep(Dialect(left_out=frozenset({"n"})))
        # An empty reply has no tokens to report: it shows nothing about the server.
        if prompt.wants_tokens and any(
            text and not tokens for text, tokens in zip(reply.texts, reply.tokens, strict=True)
        ):
            self._habits.keep(Dialect(left_out=frozenset({"logprobs"})))
        return replace(
            reply,
            seconds=time.perf_counter() - start,
            attempts=attempts,
            under_way=tuple(under_way),
        )

    def _attempt(self, prompt: Prompt, samples: int, under_way: list[Stretch]) -> Reply:
        """One try; raises `RetryableError` for what another may cure, else `BadConfig`.

        Enters in `under_way` when its requests were.
        """
        dialect = self._habits.dialect
        while True:
            body = self._body(prompt, samples, dialect)
            try:
                with self._limits.turn():
                    start = time.perf_counter()
                    try:
                        content = self._send(prompt, body)
                    finally:
                        under_way.append((start, time.perf_counter()))
            except openai.APIError as error:
                if other := dialect.after(error, body):
                    dialect = other
                    continue
                problem = self._problem(error)
                # A longer wait is not begun: the prompt fails, and its passage waits.
                if (
                    isinstance(problem, RetryableError)
                    and 0 < problem.after < self._options.patience
                ):
                    self._limits.hold(problem.after)
                raise problem from error
            self._habits.keep(dialect)
            return read_body(content, stop=prompt.stop, most=samples, no_model=NO_MODEL)

    def _send(self, prompt: Prompt, body: dict[str, Any]) -> bytes:
        if self._options.api != "chat":
            completions = self._client.completions.with_raw_response
            return completions.create(prompt=prompt.joined, **body).content
        rest = {name: value for name, value in body.items() if name != "system"}
        messages: list[Any] = [{"role": "user", "content": prompt.joined}]
        if "system" in body:
            messages = [
                {"role": "system", "content": body["system"]},
                {"role": "user", "content": prompt.text},
            ]
        chat = self._client.chat.completions.with_raw_response
        return chat.create(messages=messages, **rest).content

    def _body(self, prompt: Prompt, samples: int, dialect: Dialect) -> dict[str, Any]:
        body: dict[str, Any] = {
            "model": self.model,
            "temperature": prompt.temperature,
            dialect.limit_name: prompt.max_tokens,
        }
        if prompt.system and self._options.api == "chat":
            body["system"] = prompt.system  # sent as a message
        if prompt.stop:
            body["stop"] = list(prompt.stop)
        if samples > 1:
            body["n"] = samples
        if prompt.schema:
            schema = json.loads(prompt.schema)
            form = {"name": schema.get("title", "reply"), "strict": True, "schema": schema}
            body["response_format"] = {"type": "json_schema", "json_schema": form}
        if prompt.wants_tokens and "logprobs" not in dialect.left_out:
            is_chat = self._options.api == "chat"
            body |= (
                {"logprobs": True, "top_logprobs": LIKELIEST}
                if is_chat
                else {"logprobs": LIKELIEST}
            )
        return {name: value for name, value in body.items() if name not in dialect.left_out}

    def _problem(self, error: openai.APIError) -> RetryableError | BadConfig:
        """What went wrong, as another try may cure it or not."""
        if isinstance(error, openai.APITimeoutError):
            return RetryableError(
                f"did not answer within {self._options.timeout:g} s", fix=UNREACHED
            )
        if isinstance(error, openai.APIConnectionError):
            cause = error.__cause__
            why = self._words(cause) if cause else "no connection"
            return RetryableError(f"cannot be reached ({why})", fix=UNREACHED)
        if isinstance(error, openai.APIStatusError):
            status, said = error.status_code, message_of(error)
            if status in {408, 409, 429} or status >= 500:
                after = asked_wait(status, error.response.headers, said)
                asks = f" and asks to wait {after:.0f} s" if after else ""
                fix = "look into the log of that server"
                if status == TOO_MANY:
                    fix = f"see to the limit or the quota of the key; {WHOSE_KEY}"
                return RetryableError(f"answered {status}{asks}", after=after, fix=fix, said=said)
            return (RefusedPrompt if status in OF_THE_PROMPT else BadConfig)(self._refusal(error))
        return RetryableError(
            f"answered something that cannot be read ({self._words(error)})", fix=NO_MODEL
        )

    def _refusal(self, error: openai.APIStatusError) -> str:
        """Why the server does not want the request, with the setting to look at."""
        where = f"The language model's server {self.address}"
        status, said = error.status_code, self._words(message_of(error)) or "no reason given"
        if status in {401, 403}:
            return f"{where} refuses the key ({status}: {said}): {WHOSE_KEY}."
        if status == 402:
            return f"{where} wants to be paid (402: {said}): see to the key; {WHOSE_KEY}."
        if status == 404:
            other = "completions" if self._options.api == "chat" else "chat"
            return (
                f"{where} has no model {self.model!r}, or not this interface (404: {said}): "
                "correct RARR_LLM or RARR_LLM_BASE_URL (it often ends in /v1), or set "
                f"RARR_LLM_API={other}."
            )
        if status == 413:
            size = int(error.request.headers.get("Content-Length", 0))
            return (
                f"{where}, or a proxy before it, takes no request of {size / 1000:,.0f} kB (413: "
                f"{said}): raise its limit (of nginx: client_max_body_size), or shorten the "
                "passage."
            )
        if 300 <= status < 400:
            return f"{where} redirects elsewhere: set RARR_LLM_BASE_URL to the final address."
        return f"{where} refuses the request ({status}): {said}"

    def _words(self, said: object) -> str:
        secrets = [self._options.api_key, urlsplit(self._server).password or ""]
        return in_a_line(said, secrets=secrets)

    def _named(
        self, problem: RetryableError | BadConfig, *, attempts: int, seconds: float = 0.0
    ) -> RarrError:
        if isinstance(problem, BadConfig):
            return problem
        tries = f", {attempts} times in {seconds:.0f} s" if attempts > 1 else ""
        said = self._words(problem.said)
        # Its words before the advice: lists show but the beginning.
        says = f", saying “{said}”" if said else ""
        return TransientError(
            f"The language model's server {self.address} {problem.problem}{says}{tries}: "
            f"{problem.fix}.",
            wait=problem.after,
        )


def _together(one: Reply, other: Reply) -> Reply:
    """What two requests for the same prompt brought."""
    return Reply(
        texts=one.texts + other.texts,
        tokens=one.tokens + other.tokens,
        input_tokens=one.input_tokens + other.input_tokens,
        output_tokens=one.output_tokens + other.output_tokens,
        seconds=max(one.seconds, other.seconds),  # requests go side by side
        requests=one.requests + other.requests,
        attempts=one.attempts + other.attempts,
        error=one.error or other.error,
        under_way=one.under_way + other.under_way,
    )


def _parts(samples: int, *, whole: bool) -> list[int]:
    """How many samples each request asks for."""
    return ([samples] if whole else [1] * samples) if samples else []
