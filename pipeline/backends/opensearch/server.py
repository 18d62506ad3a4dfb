"""Requests in JSON to an OpenSearch server."""

import base64
import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Self, TypeVar
from urllib.parse import unquote, urlsplit

from pipeline.backends.json_search import JSON
from pipeline.backends.retries import RetryableError, retry
from pipeline.backends.web.addresses import PORTS, read_trusted, read_url, shortened
from pipeline.backends.web.errors import BadStatus, BadUrl, FetchError
from pipeline.backends.web.guarded import GuardedClient, Limits
from pipeline.rarr.errors import BadConfig, MissingIndex, RarrError, TransientError

LIMITS = Limits(body_bytes=100_000_000, seconds=30.0)
"""Of one request. A response holds whole documents for each query of a passage."""
T = TypeVar("T")


class OpenSearchRefused(RarrError):
    """A permanent refusal."""


@dataclass(frozen=True, kw_only=True)
class Server:
    """A server that the administrator named: it may have a private address and no TLS."""

    url: str
    """Without user, password and final slash."""
    trusted: frozenset[str]
    """Its host and port."""
    authorization: str = field(default="", repr=False)
    """A header; "" for none."""
    sleep: Callable[[float], None] = field(default=time.sleep, repr=False, compare=False)

    @classmethod
    def read(cls, text: str) -> Self:
        """Read `https://USER:PASSWORD@HOST:PORT`; raises `BadConfig`, without user and password."""
        try:
            parts = urlsplit(text)
            host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
            host_and_port = f"{host}:{parts.port or PORTS[parts.scheme]}"
            url = f"{parts.scheme}://{host_and_port}{parts.path.rstrip('/')}"
            trusted = read_trusted(host_and_port)
            read_url(url, trusted=trusted)
            if not parts.hostname or parts.query or parts.fragment:
                raise ValueError
        except (ValueError, KeyError, BadUrl):
            raise BadConfig(
                "RARR_OPENSEARCH is not the address of a server: write "
                "https://USER:PASSWORD@HOST:9200, signs such as / ? # @ % in the password as %2F "
                "%3F %23 %40 %25."
            ) from None
        authorization = ""
        if parts.username is not None:
            pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
            authorization = f"Basic {base64.b64encode(pair.encode()).decode()}"
        return cls(url=url, trusted=trusted, authorization=authorization)

    def ask(self, path: str, *, method: str = "", body: str | None = None) -> Any:
        """Return the JSON value at `path`; a `body` (lines of JSON) makes it a POST.

        Raises `RetryableError` for what may pass, `MissingIndex` for status 404, `BadConfig` for a
        refused user, `OpenSearchRefused` for other refusals, and `TransientError` for anything but
        OpenSearch. No message repeats a response.
        """
        headers = {"Authorization": self.authorization} if self.authorization else {}
        if body is not None:
            headers["Content-Type"] = "application/json" if method else "application/x-ndjson"
        try:
            answer = self._client.get_trusted(
                f"{self.url}{path}",
                method=method,
                media_types=JSON,
                headers=headers,
                body=None if body is None else body.encode(),
                limits=LIMITS,
            )
            return json.loads(answer.body)
        except BadStatus as error:
            if error.passes:
                raise RetryableError(str(error), after=error.retry_after or 0.0) from None
            raise _refusal(error, path) from None
        except FetchError as error:
            if error.passes:
                raise RetryableError(str(error)) from None
            raise TransientError(f"OpenSearch: {error}") from None
        except (ValueError, RecursionError):
            raise no_answer() from None

    def patiently(self, ask: Callable[[], T], **limits: Any) -> T:
        """Do as `ask`, and retry after `RetryableError`, within the `limits` of `retry`."""
        return retry(ask, server="OpenSearch", sleep=self.sleep, **limits)

    def version(self) -> str:
        """Return the server's version, as "opensearch 2.19.1"; raises as `ask`."""
        plain = self.patiently(lambda: self.ask("/"), tries=1)
        number = part_of(plain, "version", "number", kind=str)
        # Elasticsearch names no distribution.
        name = plain["version"].get("distribution") or "elasticsearch"
        return shortened(f"{name} {number}", limit=60)

    @cached_property
    def _client(self) -> GuardedClient:
        return GuardedClient(trusted=self.trusted)


def no_answer() -> TransientError:
    """Return the error for a response in another form than OpenSearch's."""
    return TransientError("The server does not respond like OpenSearch.")


def part_of(plain: Any, *path: str, kind: type[T]) -> T:
    """Return a value of a response by its keys; raises `no_answer` where it is missing."""
    for name in path:
        plain = plain.get(name) if isinstance(plain, dict) else None
    if not isinstance(plain, kind):
        raise no_answer()
    return plain


def missing_index(name: str) -> MissingIndex:
    return MissingIndex(
        f"OpenSearch has no index {name}: press “Index again” on the page of its corpus."
    )


def _refusal(error: BadStatus, path: str) -> RarrError:
    if error.status in {401, 403}:
        return BadConfig(
            f"OpenSearch refuses the request (status {error.status}): correct user and password in "
            "RARR_OPENSEARCH, let the user read, write, make and delete indexes rarrweb-*, and see "
            "that its disk is not full."
        )
    if error.status == 404:
        return missing_index(path.split("/")[1])
    return OpenSearchRefused(f"OpenSearch: {error}")
