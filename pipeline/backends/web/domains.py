"""Domains that a run may learn from, as in the paper's "no wiki" experiment."""

import re
from dataclasses import dataclass
from typing import Self
from urllib.parse import urlsplit

from pipeline.backends.web.addresses import Url, read_host, shortened
from pipeline.backends.web.errors import BadUrl, ExcludedDomain
from pipeline.rarr.errors import BadConfig

_BETWEEN = re.compile(r"[\s,;]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Domains:
    """`wikipedia.org` includes `en.wikipedia.org`."""

    excluded: frozenset[str] = frozenset()
    allowed: frozenset[str] = frozenset()
    """Empty allows every domain; excluded ones stay excluded."""

    @classmethod
    def read(cls, *, excluded: str = "", allowed: str = "") -> Self:
        """Read lists with commas or spaces; raises `BadConfig`."""
        return cls(
            excluded=_names(excluded, field="domains_excluded"),
            allowed=_names(allowed, field="domains_allowed"),
        )

    def permits(self, url: str) -> bool:
        """Documents without address may be sources."""
        try:
            host = read_host(urlsplit(url).hostname or "") if url else ""
        except (BadUrl, ValueError):
            return False
        return not host or self._permits_host(host)

    def check(self, url: Url) -> None:
        """Raise `ExcludedDomain`."""
        if not self._permits_host(url.host):
            raise ExcludedDomain(f"{shortened(url.host)} is a domain that the run excludes.")

    def _permits_host(self, host: str) -> bool:
        above = {host}
        while "." in host:
            host = host.partition(".")[2]
            above.add(host)
        return not above & self.excluded and (not self.allowed or bool(above & self.allowed))


def _names(text: str, *, field: str) -> frozenset[str]:
    names = set()
    for given in filter(None, _BETWEEN.split(text)):
        name = given.removeprefix("*.").removeprefix(".")
        try:
            if "/" in name or ":" in name or not name:
                raise BadUrl("")
            names.add(read_host(name))
        except BadUrl:
            raise BadConfig(
                f"{shortened(given)!r} is not a domain: write names such as wikipedia.org, "
                "separated by commas.",
                field=field,
            ) from None
    return frozenset(names)
