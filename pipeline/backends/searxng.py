"""SearXNG's search, by its JSON interface (`search.formats` must hold `json`)."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlencode, urlsplit

from pipeline.backends.web.addresses import shortened
from pipeline.backends.web.engines import ask_json, read_engine_url
from pipeline.backends.web.guarded import GuardedClient
from pipeline.backends.web.retriever import Hit
from pipeline.rarr.errors import BadConfig, TransientError

REFUSAL = "add json to search.formats in its settings.yml, and let its limiter pass this machine."
_OURS = {"q", "format", "pageno"}


@dataclass(frozen=True, kw_only=True)
class SearxNg:
    """A SearXNG server. Parameters of its own may stand in `url`, as `?engines=…&language=en`."""

    url: str
    client: GuardedClient
    sleep: Callable[[float], None] = time.sleep

    def __post_init__(self) -> None:
        """Raises `BadConfig` for an address that cannot be asked; no request is made."""
        read_engine_url(self.url, client=self.client)
        given = {name for name, _ in self._parameters}
        if taken := given & _OURS:
            raise BadConfig(
                f"{shortened(self.url)} sets {' and '.join(sorted(taken))}, which each search "
                "sets itself: leave it out."
            )

    @property
    def identity(self) -> str:
        return f"searxng:{self.url}"

    def find(self, query: str, *, limit: int) -> Sequence[Hit]:
        """The first page of results, at most `limit`; see `SearchEngine`.

        Raises `TransientError` also where all engines behind the server were silent, which does
        not mean that there are no results.
        """
        parts = urlsplit(self.url)
        asked = urlencode([*self._parameters, ("q", query), ("format", "json")])
        path = parts.path.removesuffix("/search").rstrip("/")
        plain = ask_json(
            f"{parts.scheme}://{parts.netloc}{path}/search?{asked}",
            client=self.client,
            name="SearXNG",
            refusal=REFUSAL,
            sleep=self.sleep,
        )
        results = plain.get("results") if isinstance(plain, dict) else None
        if not isinstance(results, list):
            raise TransientError("SearXNG answered with JSON that holds no list of results.")
        hits = [
            Hit(url=result["url"], title=str(result.get("title") or ""))
            for result in results
            if isinstance(result, dict) and isinstance(result.get("url"), str)
        ]
        if not hits and (silent := plain.get("unresponsive_engines")):
            named = ", ".join(
                shortened(str(each[0] if isinstance(each, list) and each else each), limit=30)
                for each in list(silent)[:5]
            )
            raise TransientError(f"No engine behind SearXNG answered ({named}).")
        return hits[:limit]

    @property
    def _parameters(self) -> list[tuple[str, str]]:
        return parse_qsl(urlsplit(self.url).query)
