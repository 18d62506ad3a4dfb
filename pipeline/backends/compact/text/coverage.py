"""Which words of a sentence stand in a text, and which of them stand together."""

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

from pipeline.backends.compact.text.words import Word, weight, words
from pipeline.rarr.types import Span


@lru_cache(maxsize=1024)
def clauses(text: str) -> tuple[tuple[int, int], ...]:
    """Rough sentences of an evidence text; only to say which words stand together."""
    edges = [0]
    for match in re.finditer(r"(?<=[a-z0-9)\]\"”'])[.!?][\"'”)]*\s+(?=[A-Z\"“(])|\n+", text):
        edges.append(match.end())
    edges.append(len(text))
    return tuple((a, b) for a, b in pairwise(edges) if b > a)


def rest_of(sentence: str, span: Span) -> list[Word]:
    """The content words of a sentence outside the span."""
    return [w for w in words(sentence) if w.is_content and not (span.start <= w.start < span.end)]


def coverage(wanted: Sequence[Word], stems: frozenset[str] | set[str]) -> float:
    """Weighted share of `wanted` whose stems are among `stems`; 0.0 when nothing is wanted."""
    total = sum(weight(w.text) for w in wanted)
    if not total:
        return 0.0
    return sum(weight(w.text) for w in wanted if w.stem in stems) / total


@lru_cache(maxsize=4096)
def stems_of(text: str) -> frozenset[str]:
    return frozenset(w.stem for w in words(text) if w.is_content)
