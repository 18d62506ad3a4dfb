"""Every URL of the site, with a sample path."""

import re
from collections.abc import Iterator

from django.urls import URLPattern, URLResolver, get_resolver
from django.urls.resolvers import LocalePrefixPattern, RegexPattern, RoutePattern

SAMPLES = {"int": "1", "slug": "some-slug", "str": "some-text", "path": "a/b", "uuid": "0" * 32}


def all_patterns(
    resolver: URLResolver, prefix: tuple[str, str] = ("", ""), namespace: str = ""
) -> Iterator[tuple[str, str, str]]:
    """Yield name, route and sample path of every URL pattern."""
    for entry in resolver.url_patterns:
        route, here = prefix[0] + str(entry.pattern), prefix[1] + sample_of(entry.pattern)
        if isinstance(entry, URLResolver):
            inner = f"{namespace}{entry.namespace}:" if entry.namespace else namespace
            yield from all_patterns(entry, (route, here), inner)
        elif isinstance(entry, URLPattern):
            yield f"{namespace}{entry.name or here}", route, here


def sample_of(pattern: RoutePattern | RegexPattern | LocalePrefixPattern) -> str:
    if isinstance(pattern, RoutePattern):
        return re.sub(r"<(?:(\w+):)?\w+>", lambda result: SAMPLES[result[1] or "str"], str(pattern))
    text = str(pattern).removeprefix("^").removesuffix("$").removesuffix("\\Z")
    text = re.sub(r"\(\?P<\w+>[^()]*\)", "some-text", text)
    return re.sub(r"\([^()|]*\|?[^()]*\)", "some-text", text)


PATTERNS = sorted(set(all_patterns(get_resolver())))
ADDRESSES = [(name, address) for name, _, address in PATTERNS]
