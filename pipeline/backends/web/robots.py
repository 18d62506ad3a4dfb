"""robots.txt (RFC 9309), fetched once per site, and pauses between requests to a host."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock

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
"""This program's name in robots.txt files."""
LIMITS = Limits(body_bytes=512_000, seconds=10.0)
"""RFC 9309 requires 500 KiB at least."""
CACHE_SECONDS = 24 * 3600.0
FAILURE_CACHE_SECONDS = 60.0
MAX_CACHED_SITES = 2_000
LONGEST_PAUSE_SECONDS = 10.0
"""The longest Crawl-delay: a passage needs a few pages of a site."""
LONGEST_WAIT_SECONDS = 60.0
_TYPES = ("text/plain", "", "text/html", "application/octet-stream", "text/x-robots")


@dataclass(kw_only=True)
class Robots:
    """Rules and pauses of sites, for all threads of a process."""

    client: GuardedClient
    pause_seconds: float = 0.5
    """Between the starts of two requests to one host; a longer Crawl-delay wins."""
    wait: Callable[[float], None] = time.sleep
    _rules: dict[str, tuple[Protego | None, float]] = field(default_factory=dict)
    """Rules by origin, and when to fetch them again, by the monotonic clock."""
    _locks: dict[str, Lock] = field(default_factory=dict)
    _next: dict[str, float] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    def check(self, url: Url, *, permit: Permit | None = None) -> None:
        """Wait for the host; raises `RefusedByRobots` where it disallows the address.

        Also without a response; a missing robots.txt (4xx) allows all.
        """
        rules = self._of(url, permit)
        if rules is None:
            raise RefusedByRobots(
                f"{shortened(str(url))} is skipped: {url.host} did not send its robots.txt."
            )
        if not rules.can_fetch(str(url), AGENT):
            raise RefusedByRobots(
                f"{shortened(str(url))} is skipped: disallowed by robots.txt of {url.host}."
            )
        self._pause(url.host, float(rules.crawl_delay(AGENT) or 0))

    def _of(self, url: Url, permit: Permit | None) -> Protego | None:
        """Return a site's rules; None where it could not be reached."""
        with self._lock:
            lock = self._locks.setdefault(url.origin, Lock())
        with lock:  # one thread fetches, the others wait
            now = time.monotonic()
            with self._lock:
                rules, until = self._rules.get(url.origin, (None, 0.0))
            if until < now:
                text, seconds = self._ask(url, permit)
                rules = None if text is None else _parsed(text)
                with self._lock:
                    if len(self._rules) >= MAX_CACHED_SITES:
                        del self._rules[next(iter(self._rules))]  # the oldest
                    self._rules[url.origin] = rules, now + seconds
            return rules

    def _ask(self, url: Url, permit: Permit | None) -> tuple[str | None, float]:
        try:
            answer = self.client.get(
                f"{url.origin}/robots.txt", media_types=_TYPES, limits=LIMITS, permit=permit
            )
        except BadStatus as error:
            if 400 <= error.status < 500 and error.status != 429:
                return "", CACHE_SECONDS
            return None, FAILURE_CACHE_SECONDS
        except (WrongContentType, TooManyRedirects, ExcludedDomain):
            return "", CACHE_SECONDS  # RFC 9309, 2.3.1.2: as a missing one
        except TooLarge:
            return None, CACHE_SECONDS
        except RefusedAddress:
            raise
        except FetchError:
            return None, FAILURE_CACHE_SECONDS
        return answer.body.decode("utf-8-sig", errors="replace"), CACHE_SECONDS

    def _pause(self, host: str, crawl_delay: float) -> None:
        pause = min(max(self.pause_seconds, crawl_delay), LONGEST_PAUSE_SECONDS)
        with self._lock:
            now = time.monotonic()
            start = max(now, self._next.get(host, 0.0))
            if start - now > LONGEST_WAIT_SECONDS:
                raise TooSlow(f"{host} has too many requests queued.")
            self._next[host] = start + pause
        if start > now:
            self.wait(start - now)


def _parsed(text: str) -> Protego:
    try:
        return Protego.parse(text)
    except Exception:  # noqa: BLE001 - a stranger's file; what cannot be read forbids nothing
        return Protego.parse("")
