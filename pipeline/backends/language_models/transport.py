"""The transport of `openai`: the guarded client, to one server.

The library's time-out is per piece, this one for the whole response. The library retries by status
until a header `x-should-retry: false`.
"""

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from typing import Any

import httpcore2
import httpx2
import openai

from pipeline.backends.language_models.completions import texts_of
from pipeline.backends.language_models.refusals import MAX_SEARCHED, is_spent, refused_parameter
from pipeline.backends.retries import retry_after
from pipeline.backends.web.errors import FetchError
from pipeline.backends.web.guarded import GuardedClient, Limits, reason_of

MAX_BYTES = 20_000_000
MINUTE = 60.0
NOT_A_COMPLETION, STREAM = 502, 501
"""Statuses in place of 200 for unusable responses, as from gateways."""


class RequestLimits:
    """`per_minute` holds for any 60 seconds; 0 is no limit."""

    def __init__(
        self,
        *,
        concurrency: int,
        per_minute: int,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], object] = time.sleep,
    ) -> None:
        self._free = threading.BoundedSemaphore(concurrency)
        self._begun: deque[float] = deque(maxlen=per_minute or None)
        self._per_minute = per_minute
        self._lock = threading.Lock()
        self._clock, self._sleep = clock, sleep

    @contextmanager
    def acquire(self) -> Iterator[None]:
        """Wait for a free request."""
        with self._free:
            while wait := self._wait():
                self._sleep(wait)
            yield

    def _wait(self) -> float:
        if not self._per_minute:
            return 0.0
        with self._lock:
            now = self._clock()
            is_full = len(self._begun) == self._per_minute
            wait = max(self._begun[0] + MINUTE - now, 0.0) if is_full else 0.0
            if not wait:
                self._begun.append(now)
            return wait


@lru_cache(maxsize=64)
def limits_of(server: str, *, concurrency: int, per_minute: int) -> RequestLimits:
    """Return a server's limits, for all its models."""
    return RequestLimits(concurrency=concurrency, per_minute=per_minute)


class ServerTransport(httpx2.BaseTransport):
    """Sends one prompt's requests, for `patience` seconds."""

    def __init__(self, client: GuardedClient, *, limits: RequestLimits, patience: float) -> None:
        self._client, self._limits = client, limits
        self._until = time.monotonic() + patience
        self.attempts = 0

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        self.attempts += 1
        url = request.url
        try:
            with self._limits.acquire():
                status, headers, body = self._client.send(
                    request.method,
                    # User and password are in a header.
                    f"{url.scheme}://{url.netloc.decode()}{url.raw_path.decode()}",
                    headers=request.headers.raw,
                    body=request.read(),
                    limits=Limits(
                        body_bytes=MAX_BYTES, seconds=request.extensions["timeout"]["read"]
                    ),
                )
        except (httpcore2.NetworkError, httpcore2.ProtocolError, FetchError) as error:
            why = str(error) if isinstance(error, FetchError) else reason_of(error)
            if time.monotonic() < self._until:
                raise httpx2.TransportError(why) from error
            # The library retries every error but its own.
            raise openai.APIConnectionError(message=why, request=request) from error
        except httpcore2.TimeoutException as error:
            if time.monotonic() < self._until:
                raise httpx2.ReadTimeout("") from error
            raise openai.APITimeoutError(request=request) from error
        response = httpx2.Response(status, headers=headers, content=body)
        if request.method == "POST":
            response = with_real_status(response)
        if response.status_code != 200 and (
            time.monotonic() + retry_after(response.headers) >= self._until
            or response.status_code == STREAM
            or is_spent(response)
            or refused_parameter(response, request)
        ):
            response.headers["x-should-retry"] = "false"
        return response


def with_real_status(response: httpx2.Response) -> httpx2.Response:
    """Replace status 200 of errors and non-completions."""
    if response.status_code != 200:
        return response
    error: Any = None
    text = response.content[:MAX_SEARCHED].decode(errors="replace")
    with suppress(ValueError, LookupError, TypeError, AttributeError, RecursionError):
        body = response.json()
        error = body.get("error") or body["choices"][0].get("error")
        if not error and texts_of(body):
            return response
    if not error and (text.startswith("data:") or '"chat.completion.chunk"' in text):
        return _failure(STREAM, "it sent a stream, which was not requested")
    code = str(error.get("code")) if isinstance(error, dict) else ""
    is_status = len(code) == 3 and code.isdigit() and code[0] in "45"
    return _failure(int(code) if is_status else NOT_A_COMPLETION, error or text or "nothing")


def _failure(status: int, error: Any) -> httpx2.Response:
    return httpx2.Response(
        status,
        json={"error": error if isinstance(error, dict) else {"message": str(error)}},
        extensions={"is_completion": False} if status == NOT_A_COMPLETION else {},
    )
