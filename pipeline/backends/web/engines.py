"""Search engines of configured servers, with JSON responses."""

import json
import time
from collections.abc import Callable, Mapping
from typing import Any

from pipeline.backends.retries import RetryableError, retry
from pipeline.backends.web.addresses import Url, read_url
from pipeline.backends.web.errors import (
    BadStatus,
    BadUrl,
    FetchError,
    NotHttps,
    RefusedAddress,
)
from pipeline.backends.web.guarded import GuardedClient, Limits
from pipeline.rarr.errors import BadConfig, TransientError

JSON = ("application/json", "text/json", "application/vnd.api+json")
LIMITS = Limits(body_bytes=5_000_000, seconds=20.0)
TRIES, PATIENCE_SECONDS = 3, 10.0
"""Of a busy engine."""
REFUSED = {401, 402, 403}
"""Statuses that mean a wrong configuration."""


def read_engine_url(text: str, *, client: GuardedClient) -> Url:
    """Raises `BadConfig` with the right form."""
    try:
        return read_url(text, trusted=client.trusted)
    except (NotHttps, BadUrl) as error:
        raise BadConfig(f"{error}{_how_to_trust(text)}") from None


def ask_json(
    url: str,
    *,
    client: GuardedClient,
    name: str,
    refusal: str,
    headers: Mapping[str, str] | None = None,
    body: bytes | None = None,
    sleep: Callable[[float], None] = time.sleep,
) -> Any:
    """Return the engine's JSON value, by POST for a `body`; retries while it is busy.

    Raises `BadConfig` where it refuses (`refusal` is the fix), else `TransientError`.
    """
    if body is not None:
        headers = {**(headers or {}), "Content-Type": "application/json"}

    def ask() -> Any:
        try:
            answer = client.get_trusted(
                url, media_types=JSON, headers=headers, body=body, limits=LIMITS
            )
            return json.loads(answer.body)
        except RefusedAddress as error:
            raise BadConfig(f"{name}: {error}{_how_to_trust(url)}") from None
        except FetchError as error:
            if isinstance(error, BadStatus) and error.status in REFUSED:
                raise BadConfig(
                    f"{name} refused the search (status {error.status}): {refusal}"
                ) from None
            if isinstance(error, BadStatus) and error.passes:
                raise RetryableError(str(error), after=error.retry_after or 0.0) from None
            raise TransientError(f"{name}: {error}") from None
        except (ValueError, RecursionError):
            raise TransientError(f"{name} did not return JSON.") from None

    try:
        return retry(ask, patience=PATIENCE_SECONDS, tries=TRIES, sleep=sleep)
    except RetryableError as error:
        raise TransientError(f"{name}: {error}") from None


def _how_to_trust(url: str) -> str:
    try:
        known = read_url(url, trusted=_Anything())
    except FetchError:
        return ""
    return (
        f" If {known.host_and_port} is your server, add it to RARR_TRUSTED_HOSTS "
        f"(RARR_TRUSTED_HOSTS={known.host_and_port})."
    )


class _Anything(frozenset[str]):
    def __contains__(self, item: object) -> bool:
        return True
