"""robots.txt (RFC 9309), asked once per site, and the pause between two requests to one host."""

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock
from urllib.parse import urlsplit

from protego import Protego

from pipeline.backends.web.addresses import Url, shortened
from pipeline.backends.web.errors import (
    BadStatus,
    ExcludedDomain,
    FetchError,
    RefusedAddress,
    RefusedByRobots,
    TooLarge,
    TooManyRedirects,
    TooSlow,
    WrongContentType,
)
from pipeline.backends.web.guarded import GuardedClient, Limits, Permit

AGENT = "rarrweb"
"""The name that robots.txt files may address this program by."""
LIMITS = Limits(body_bytes=512_000, seconds=10.0)
"""RFC 9309 asks for 500 KiB at least."""
KEPT_SECONDS = 24 * 3600.0
KEPT_AFTER_FAILURE_SECONDS = 60.0
KEPT_SITES = 2_000
LONGEST_PAUSE_SECONDS = 10.0
"""A longer Crawl-delay counts as this one: a passage asks a site for a few pages only."""
LONGEST_WAIT_SECONDS = 60.0
_TYPES = ("text/plain", "", "text/html", "application/octet-stream", "text/x-robots")


@dataclass(frozen=True, slots=True)
class _Rules:
    parsed: Protego | None
    """None where the site could not be asked."""
    until: float
    """The moment, by the monotonic clock, at which they are asked for again."""


@dataclass(kw_only=True)
class Robots:
    """What sites allow, and how often; for any number of threads of one process."""

    client: GuardedClient
    pause_seconds: float = 0.5
    """Between the starts of two requests to one host; a longer Crawl-delay wins."""
    wait: Callable[[float], None] = time.sleep
    _rules: OrderedDict[str, _Rules] = field(default_factory=OrderedDict)
    _locks: dict[str, Lock] = field(default_factory=dict)
    _next: dict[str, float] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    def check(self, url: Url, *, permit: Permit | None = None) -> None:
        """Wait for the host's turn; raises `RefusedByRobots` where the site says no.

        Raises also where its robots.txt cannot be asked for: a site that is down has not said
        yes. One that is not there (a 4xx status) allows all.
        """
        rules = self._of(url, permit)
        if rules.parsed is None:
            raise RefusedByRobots(
                f"{shortened(str(url))} is left alone: {url.host} did not give its robots.txt."
            )
        if not rules.parsed.can_fetch(str(url), AGENT):
            raise RefusedByRobots(
                f"{shortened(str(url))} is left alone: the robots.txt of {url.host} asks for it."
            )
        self._pause(url.host, float(rules.parsed.crawl_delay(AGENT) or 0))

    def _of(self, url: Url, permit: Permit | None) -> _Rules:
        with self._lock:
            lock = self._locks.setdefault(url.origin, Lock())
        with lock:  # one thread asks a site, the others wait for what it says
            now = time.monotonic()
            with self._lock:
                known = self._rules.get(url.origin)
            if known is None or known.until < now:
                text, kept = self._ask(url, permit)
                known = _Rules(None if text is None else _parsed(text), until=now + kept)
                with self._lock:
                    self._rules[url.origin] = known
                    self._rules.move_to_end(url.origin)
                    while len(self._rules) > KEPT_SITES:
                        old, _ = self._rules.popitem(last=False)
                        self._locks.pop(old, None)
                        self._next.pop(urlsplit(old).hostname or "", None)
            return known

    def _ask(self, url: Url, permit: Permit | None) -> tuple[str | None, float]:
        """The text of a site's robots.txt, None where it cannot be had, and how long that holds.

        Raises `RefusedAddress`: then the site itself may not be asked either.
        """
        try:
            answer = self.client.get(
                f"{url.origin}/robots.txt", media_types=_TYPES, limits=LIMITS, permit=permit
            )
        except BadStatus as error:
            if 400 <= error.status < 500 and error.status != 429:
                return "", KEPT_SECONDS
            return None, KEPT_AFTER_FAILURE_SECONDS
        except (WrongContentType, TooManyRedirects, ExcludedDomain):
            return "", KEPT_SECONDS  # RFC 9309, 2.3.1.2: as if there were none
        except TooLarge:
            return None, KEPT_SECONDS
        except RefusedAddress:
            raise
        except FetchError:
            return None, KEPT_AFTER_FAILURE_SECONDS
        return answer.body.decode("utf-8-sig", errors="replace"), KEPT_SECONDS

    def _pause(self, host: str, asked: float) -> None:
        pause = min(max(self.pause_seconds, asked), LONGEST_PAUSE_SECONDS)
        with self._lock:
            now = time.monotonic()
            turn = max(now, self._next.get(host, 0.0))
            if turn - now > LONGEST_WAIT_SECONDS:
                raise TooSlow(f"{host} is asked for so many pages that this one's turn is far off.")
            self._next[host] = turn + pause
        if turn > now:
            self.wait(turn - now)


def _parsed(text: str) -> Protego:
    try:
        return Protego.parse(text)
    except Exception:  # noqa: BLE001 - a stranger's file; what cannot be read forbids nothing
        return Protego.parse("")
