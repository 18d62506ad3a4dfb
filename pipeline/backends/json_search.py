"""A search engine with a JSON interface, described by a TOML file.

    url = "https://api.example.org/search?q={query}&count={limit}"
    results = "web.results"      # path of the list; "" where the response is the list
    address = "url"              # path of a result's address
    title = "title"              # path of its title; optional, as all below
    key_env = "EXAMPLE_KEY"      # environment variable with the key
    key_header = "X-Api-Key"     # header for the key; without it, write {key} in url
    key_prefix = "Bearer "       # before the key
    most = 20                    # the engine's greatest {limit}
    body = '{"q": "{query}", "num": {limit}}'   # JSON for a POST
    silent = "failed"            # path of the list of engines without a response
    refusal = "renew the key."   # what to do after a refusal

A path is names with dots between; a number is a list index.
"""

import json
import os
import re
import time
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from pipeline.backends.retries import RetryableError, retry
from pipeline.backends.web.addresses import Url, read_url, shortened
from pipeline.backends.web.errors import BadStatus, BadUrl, FetchError, NotHttps, RefusedAddress
from pipeline.backends.web.guarded import GuardedClient, Limits
from pipeline.backends.web.retriever import Hit
from pipeline.rarr.errors import BadConfig, TransientError

JSON = ("application/json", "text/json", "application/vnd.api+json")
LIMITS = Limits(body_bytes=5_000_000, seconds=20.0)
REFUSED = {401, 402, 403}
"""Statuses that mean a wrong configuration."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
_PLACEHOLDER = re.compile(r"\{(query|limit|key)\}")
_SEARXNG = Path(__file__).with_name("searxng.toml")


@dataclass(frozen=True, kw_only=True)
class JsonSearch:
    name: str
    url: str
    results: str
    address: str
    title: str = ""
    key_header: str = ""
    key_env: str = ""
    key_prefix: str = ""
    most: int = 100
    body: str = ""
    silent: str = ""
    refusal: str = ""
    client: GuardedClient
    sleep: Callable[[float], None] = time.sleep

    @property
    def identity(self) -> str:
        paths = [self.results, self.address, self.title, self.silent]
        return f"json:{json.dumps([self.url, self.body, self.most, *paths])}"

    def find(self, query: str, *, limit: int) -> Sequence[Hit]:
        headers = {}
        key = ""
        if self.key_env:
            key = os.environ.get(self.key_env, "").strip()
            if not key:
                raise BadConfig(
                    f"The search engine {self.name} needs a key: set the environment variable "
                    f"{self.key_env}."
                )
            if self.key_header:
                headers[self.key_header] = f"{self.key_prefix}{key}"
        values = {"query": query, "limit": str(min(limit, self.most)), "key": key}
        url = filled(self.url, **values)
        body = posted(self.body, **values) if self.body else None
        if body is not None:
            headers["Content-Type"] = "application/json"
        plain = retry(
            lambda: self._ask(url, headers=headers, body=body),
            server=f"The search engine {self.name}",
            sleep=self.sleep,
        )
        results = _at(plain, self.results)
        if results is None and isinstance(plain, dict | list):
            results = []  # many engines omit the list where nothing matches
        if not isinstance(results, list):
            raise TransientError(
                f"The search engine {self.name} returned no list of results at {self.results!r}."
            )
        hits = []
        for result in results[:limit]:
            address = _at(result, self.address)
            if isinstance(address, str):
                title = _at(result, self.title) if self.title else ""
                hits.append(Hit(url=address, title=title if isinstance(title, str) else ""))
        if results and not hits:
            raise BadConfig(
                f"The search engine {self.name} returned results without an address at "
                f"{self.address!r}: correct `address` in its file."
            )
        if not results and self.silent and (silent := _at(plain, self.silent)):
            raise TransientError(
                f"The search engine {self.name} returned nothing, and some of its engines failed: "
                f"{shortened(json.dumps(silent, ensure_ascii=False))}"
            )
        return hits

    def _ask(self, url: str, *, headers: Mapping[str, str], body: bytes | None) -> Any:
        """Return the response's JSON value; raises `RetryableError` while the engine is busy."""
        name = f"The search engine {self.name}"
        try:
            answer = self.client.get_trusted(
                url, media_types=JSON, headers=headers, body=body, limits=LIMITS
            )
            return json.loads(answer.body)
        except RefusedAddress as error:
            raise BadConfig(f"{name}: {error}{_how_to_trust(url)}") from None
        except FetchError as error:
            if isinstance(error, BadStatus) and error.status in REFUSED:
                check = f"check the key in {self.key_env}." if self.key_env else "it wants a key."
                raise BadConfig(
                    f"{name} refused the search (status {error.status}): {self.refusal or check}"
                ) from None
            if isinstance(error, BadStatus) and error.passes:
                raise RetryableError(str(error), after=error.retry_after or 0.0) from None
            raise TransientError(f"{name}: {error}") from None
        except (ValueError, RecursionError):
            raise TransientError(f"{name} did not return JSON.") from None


_TEXTS = {
    field.name: field.default is MISSING
    for field in fields(JsonSearch)
    if field.type is str and field.name != "name"
}
"""The texts of a file, and whether it must have them."""


def read_engine(name: str, *, folder: Path | None, client: GuardedClient) -> JsonSearch:
    """Read `folder/NAME.toml`; raises `BadConfig`."""
    if not _NAME.fullmatch(name):
        raise BadConfig(f"json:{name!r} is not an engine: write json:NAME for the file NAME.toml.")
    if folder is None:
        raise BadConfig(f"json:{name} needs RARR_SEARCH_ENGINES, the folder of {name}.toml.")
    path = folder / f"{name}.toml"
    try:
        given = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BadConfig(
            f"json:{name}: {path} cannot be read ({error.strerror}): write it as described in "
            "docs/configuration.md."
        ) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadConfig(f"{path} is not valid TOML: {error}.") from None
    _check(given, path)
    read_engine_url(filled(given["url"], query="q", limit="1", key="k"), client=client)
    return JsonSearch(name=name, client=client, **given)


def searxng(address: str, *, client: GuardedClient) -> JsonSearch:
    """Return a SearXNG server's engine; `address` may have parameters. Raises `BadConfig`."""
    read_engine_url(address, client=client)
    parts = urlsplit(address)
    server = f"{parts.scheme}://{parts.netloc}{parts.path.removesuffix('/search').rstrip('/')}"
    given = tomllib.loads(_SEARXNG.read_text(encoding="utf-8"))
    given["url"] = given["url"].replace("{server}", server) + (parts.query and f"&{parts.query}")
    return JsonSearch(name="SearXNG", client=client, **given)


def read_engine_url(text: str, *, client: GuardedClient) -> Url:
    """Raises `BadConfig` with the right form."""
    try:
        return read_url(text, trusted=client.trusted)
    except (NotHttps, BadUrl) as error:
        raise BadConfig(f"{error}{_how_to_trust(text)}") from None


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


def filled(template: str, **values: str) -> str:
    """Replace each `{name}` in one pass by its URL-quoted value.

    >>> filled("https://a.org/?q={query}&n={limit}", query="a&{limit}", limit="5")
    'https://a.org/?q=a%26%7Blimit%7D&n=5'
    """
    return _PLACEHOLDER.sub(lambda match: quote(values[match[1]], safe=""), template)


def posted(template: str, **values: str) -> bytes:
    """Replace each `{name}` in one pass by its JSON-escaped value.

    >>> posted('{"q": "{query}", "n": {limit}}', query='a "b" {limit}', limit="5")
    b'{"q": "a \\\\"b\\\\" {limit}", "n": 5}'
    """
    return _PLACEHOLDER.sub(lambda match: json.dumps(values[match[1]])[1:-1], template).encode()


def _check(given: dict[str, Any], path: Path) -> None:
    if unknown := sorted(set(given) - {*_TEXTS, "most"}):
        raise BadConfig(f"{path} holds {', '.join(unknown)}: known are {', '.join(_TEXTS)}, most.")
    for field, is_needed in _TEXTS.items():
        if is_needed and field not in given:
            raise BadConfig(f'{path} lacks {field}: write {field} = "…".')
        if not isinstance(given.get(field, ""), str):
            raise BadConfig(f"{path}: {field} is not a text: write it in quotation marks.")
    most = given.get("most", 1)
    if not isinstance(most, int) or isinstance(most, bool) or most < 1:
        raise BadConfig(f"{path}: most is {most!r}: write 1 or more.")
    body = given.get("body", "")
    if "{query}" not in given["url"] + body:
        raise BadConfig(f"{path}: url holds no {{query}}: write it where the query goes.")
    if body:
        try:
            json.loads(posted(body, query="q", limit="1", key="k"))
        except ValueError as error:
            raise BadConfig(
                f"{path}: body is not valid JSON ({error}): write double quotation marks around "
                "its texts, {query} among them."
            ) from None
    is_sent = bool(given.get("key_header")) or "{key}" in given["url"] + body
    if bool(given.get("key_env")) != is_sent:
        raise BadConfig(
            f"{path}: key_env names the variable with the key, and key_header, or {{key}} in url "
            "or body, where it goes: write both."
        )


def _at(plain: Any, path: str) -> Any:
    for name in filter(None, path.split(".")):
        match plain:
            case dict():
                plain = plain.get(name)
            case list() if name.isdigit() and int(name) < len(plain):
                plain = plain[int(name)]
            case _:
                return None
    return plain
