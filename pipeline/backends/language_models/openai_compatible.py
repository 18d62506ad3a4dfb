"""A language model behind OpenAI's interface: vLLM, Ollama, llama.cpp, a vendor.

Prompts are asked concurrently. What a server does not know is learned from its first refusal
and remembered for the process (`habits`).
"""

import contextvars
import json
import re
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self
from urllib.parse import urlsplit

import openai

from pipeline.backends.calls import Prices, Stretch
from pipeline.backends.language_models.accounted import Reply
from pipeline.backends.language_models.habits import habits_of
from pipeline.backends.language_models.limits import limits_of
from pipeline.backends.language_models.options import LlmOptions
from pipeline.backends.language_models.retrying import Again, persist, seconds_of
from pipeline.backends.language_models.structured import response_format, with_schema
from pipeline.backends.language_models.transport import bounded_client
from pipeline.rarr.ports import Prompt
from pipeline.rarr.types import BadConfig, RarrError, TransientError

NO_KEY = "none"
"""What is sent as a key where there is none: the library insists on one."""
WORDS_KEPT = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class _Answer:
    """What one request brought."""

    texts: tuple[str, ...]
    input_tokens: int
    output_tokens: int


class OpenAICompatible:
    """One model at one server; a `Source` of `AccountedModel`."""

    def __init__(self, model: str, *, options: LlmOptions) -> None:
        self.model = model
        self._options = options
        self._server = options.base_url.rstrip("/")
        self._limits = limits_of(
            self._server, concurrency=options.concurrency, per_minute=options.per_minute
        )
        self._habits = habits_of(self._server, model, options.api)

    @property
    def name(self) -> str:
        return f"openai:{self.model}"

    @property
    def identity(self) -> Mapping[str, Any]:
        return {
            "backend": "openai",
            "base_url": self.address,
            "model": self.model,
            "api": self._options.api,
        }

    @property
    def prices(self) -> Prices:
        return self._options.prices

    @property
    def keeps_texts(self) -> bool:
        return self._options.keeps_texts

    @property
    def address(self) -> str:
        """The server's, without a password."""
        parts = urlsplit(self._server)
        return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()

    def prepared(self, prompt: Prompt, *, step: str = "") -> Prompt:
        """See `Source`. The interface "completions" knows no schemas."""
        way = self._options.structured if self._options.api == "chat" else "off"
        return self._options.roomier(with_schema(prompt, way=way), step=step)

    def ask(self, prompts: Sequence[Prompt], *, first: Sequence[int] = ()) -> Sequence[Reply]:
        """A reply to each prompt, in order; see `Source`."""
        tallies = [_Tally(prompt) for prompt in prompts]
        while wanted := [
            (tally, samples)
            for tally in tallies
            if not tally.error
            for samples in _parts(tally.missing, whole=self._habits.takes_n)
        ]:
            self._ask_each(wanted)
        return [tally.reply() for tally in tallies]

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
        return openai.OpenAI(
            base_url=self._server,
            api_key=self._options.api_key or NO_KEY,
            # Not from OPENAI_… variables: what is sent is what the RARR_ settings say.
            organization="",
            project="",
            timeout=self._options.timeout,
            max_retries=0,  # `persist` retries, and counts
            http_client=bounded_client(self._options.timeout, base_url=self._server),
        )

    def _ask_each(self, wanted: Sequence[tuple["_Tally", int]]) -> None:
        if len(wanted) == 1:
            self._ask_one(*wanted[0])
            return
        pool = ThreadPoolExecutor(min(len(wanted), self._options.concurrency), "llm")
        try:
            jobs = [
                pool.submit(contextvars.copy_context().run, self._ask_one, tally, samples)
                for tally, samples in wanted
            ]
            for job in jobs:
                job.result()
        finally:
            # All have ended, or there was an interrupt: then nothing new is asked, and what is
            # under way is not waited for.
            pool.shutdown(wait=False, cancel_futures=True)

    def _ask_one(self, tally: "_Tally", samples: int) -> None:
        """Ask for samples until there is an answer or the patience ends; enter it in the tally."""
        attempts = 0

        def attempt() -> _Answer:
            nonlocal attempts
            attempts += 1
            return self._attempt(tally, samples)

        start = time.perf_counter()
        try:
            answer = persist(attempt, patience=self._options.patience)
        except Again as problem:
            error = self._named(problem, attempts=attempts, seconds=time.perf_counter() - start)
            tally.enter(error, attempts=attempts, seconds=time.perf_counter() - start)
        except RarrError as error:
            tally.enter(error, attempts=attempts, seconds=time.perf_counter() - start)
        else:
            if len(answer.texts) < samples:
                self._habits.takes_n = False
            tally.enter(answer, attempts=attempts, seconds=time.perf_counter() - start)

    def _attempt(self, tally: "_Tally", samples: int) -> _Answer:
        """One request; raises `Again` for what another try may cure, else `BadConfig`."""
        prompt = tally.prompt
        while True:
            body = self._body(prompt, samples)
            try:
                with self._limits.turn(), tally.under_way():
                    content = self._send(prompt, body)
            except openai.APIError as error:
                if self._habits.learn(error, body):
                    continue
                problem = self._problem(error)
                # A longer wait is not begun: the prompt fails, and its passage waits.
                if isinstance(problem, Again) and 0 < problem.after < self._options.patience:
                    self._limits.hold(problem.after)
                raise problem from error
            return _read(content, stop=prompt.stop, most=samples)

    def _send(self, prompt: Prompt, body: dict[str, Any]) -> bytes:
        if self._options.api == "chat":
            said: list[Any] = [{"role": "user", "content": prompt.text}]
            chat = self._client.chat.completions.with_raw_response
            return chat.create(messages=said, **body).content
        return self._client.completions.with_raw_response.create(prompt=prompt.text, **body).content

    def _body(self, prompt: Prompt, samples: int) -> dict[str, Any]:
        body: dict[str, Any] = {
            "model": self.model,
            "temperature": prompt.temperature,
            self._habits.limit_name: prompt.max_tokens,
        }
        if prompt.stop:
            body["stop"] = list(prompt.stop)
        if samples > 1 and self._habits.takes_n:
            body["n"] = samples
        if prompt.schema and self._habits.takes_schema:
            body["response_format"] = response_format(prompt.schema)
        return {name: value for name, value in body.items() if name not in self._habits.left_out}

    def _problem(self, error: openai.APIError) -> Again | BadConfig:
        """What went wrong, as another try may cure it or not."""
        if isinstance(error, openai.APITimeoutError):
            return Again(f"did not answer within {self._options.timeout:g} s")
        if isinstance(error, openai.APIConnectionError):
            cause = error.__cause__
            return Again(f"cannot be reached ({_words(cause) if cause else 'no connection'})")
        if isinstance(error, openai.APIStatusError):
            status = error.status_code
            if status in {408, 409, 429} or status >= 500:
                after = seconds_of(error.response.headers.get("Retry-After"))
                asks = f" and asks to wait {after:.0f} s" if after else ""
                return Again(f"answered {status}{asks}", after=after)
            return BadConfig(self._refusal(error))
        return Again(f"answered something that cannot be read ({_words(error)})")

    def _refusal(self, error: openai.APIStatusError) -> str:
        """Why the server does not want the request, with the setting to look at."""
        where = f"The language model's server {self.address}"
        if error.status_code in {401, 403}:
            return (
                f"{where} refuses the key ({error.status_code}): set RARR_LLM_API_KEY to one "
                "that it takes."
            )
        said = _words(error.message)
        if self._options.api_key:
            said = said.replace(self._options.api_key, "…")
        if error.status_code == 404:
            other = "completions" if self._options.api == "chat" else "chat"
            return (
                f"{where} has no model {self.model!r}, or not this interface (404: {said}): "
                "correct RARR_LLM or RARR_LLM_BASE_URL (it often ends in /v1), or set "
                f"RARR_LLM_API={other}."
            )
        if 300 <= error.status_code < 400:
            return f"{where} redirects elsewhere: set RARR_LLM_BASE_URL to the final address."
        return f"{where} refuses the request ({error.status_code}): {said}"

    def _named(
        self, problem: Again | BadConfig, *, attempts: int, seconds: float = 0.0
    ) -> RarrError:
        if isinstance(problem, BadConfig):
            return problem
        tries = f", {attempts} times in {seconds:.0f} s" if attempts > 1 else ""
        return TransientError(
            f"The language model's server {self.address} {problem.problem}{tries}: see that it "
            "runs and can be reached, or give it more time with RARR_LLM_TIMEOUT.",
            wait=problem.after,
        )


class _Tally:
    """One prompt's answers so far, filled by several threads."""

    def __init__(self, prompt: Prompt) -> None:
        self.prompt = prompt
        self.error: RarrError | None = None
        self._answers: list[_Answer] = []
        self._requests = self._attempts = 0
        self._seconds = 0.0
        self._under_way: list[Stretch] = []
        self._lock = threading.Lock()

    @property
    def missing(self) -> int:
        return self.prompt.samples - sum(len(answer.texts) for answer in self._answers)

    @contextmanager
    def under_way(self) -> Iterator[None]:
        """Enter how long the block takes, however it ends."""
        start = time.perf_counter()
        try:
            yield
        finally:
            with self._lock:
                self._under_way.append((start, time.perf_counter()))

    def enter(self, found: _Answer | RarrError, *, attempts: int, seconds: float) -> Self:
        with self._lock:
            self._requests += 1
            self._attempts += attempts
            self._seconds = max(self._seconds, seconds)  # requests go side by side
            if isinstance(found, RarrError):
                self.error = self.error or found
            else:
                self._answers.append(found)
        return self

    def reply(self) -> Reply:
        return Reply(
            texts=tuple(text for answer in self._answers for text in answer.texts),
            input_tokens=sum(answer.input_tokens for answer in self._answers),
            output_tokens=sum(answer.output_tokens for answer in self._answers),
            seconds=self._seconds,
            requests=self._requests,
            attempts=self._attempts,
            error=self.error,
            under_way=tuple(self._under_way),
        )


def _parts(samples: int, *, whole: bool) -> list[int]:
    """How many samples each request asks for."""
    return ([samples] if whole else [1] * samples) if samples else []


def _read(content: bytes, *, stop: Sequence[str], most: int) -> _Answer:
    """The texts and token counts of a body; raises `Again` for one that is not as it should be."""
    try:
        body = json.loads(content)
        texts = [_text_of(choice) for choice in body["choices"]]
        usage = body.get("usage") or {}
        counts = [int(usage.get(name) or 0) for name in ("prompt_tokens", "completion_tokens")]
    except (ValueError, LookupError, TypeError, AttributeError):
        begin = content[:40].decode(errors="replace")
        raise Again(f"answered what is no completion ({_words(begin)!r})") from None
    if not texts:
        raise Again("answered without a choice")
    return _Answer(
        texts=tuple(cut_at(text, stop) for text in texts[:most]),
        input_tokens=counts[0],
        output_tokens=counts[1],
    )


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


def _words(said: object) -> str:
    """Foreign words in one line, without control characters, cut."""
    return re.sub(r"[\s\x00-\x1f\x7f]+", " ", str(said)).strip()[:WORDS_KEPT]
