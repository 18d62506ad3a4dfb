"""The counterpart of a passage's span in the evidence, found by the words around both."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from pipeline.backends.compact.names import name_stands_in, name_words, sort_of_name
from pipeline.backends.compact.spans import Kind, Mention, mentions
from pipeline.backends.compact.words import STOPWORDS, Word, plain, stem, weight, words
from pipeline.rarr.types import Span

FEATURES = (
    "sentence", "window", "local", "left", "right", "left_two", "unit", "unit_other", "shape",
    "form", "same_kind", "in_context", "in_title", "side", "only", "date_parts", "first",
    "window_absent", "sort", "distance", "nearest",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A span of the evidence that may answer what the passage's span answers."""

    mention: Mention
    features: tuple[float, ...]
    """One value for each of `FEATURES`, mostly 0.0 to 1.0."""


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


def candidates(
    *, sentence: str, mention: Mention, evidence: str, title: str, context: str, passage: str
) -> list[Candidate]:
    """The evidence's spans of the kind of `mention` that the passage does not already use."""
    span = Span(start=mention.start, end=mention.end)
    wanted = rest_of(sentence, span)
    window = stems_of(evidence) | stems_of(title)
    whole = coverage(wanted, window)
    used = sentence[: mention.start] + " " * (mention.end - mention.start) + sentence[mention.end :]
    possible: list[Mention] = []
    seen = evidence + "\n" + title if mention.kind in (Kind.NAME, Kind.TITLE) else evidence
    for other in mentions(seen):
        if is_counterpart(mention, other) and not _already_used(other, used, passage):
            possible.append(other)
    if not possible:
        return []
    left_words = [w for w in words(sentence) if w.end <= mention.start]
    right_words = [w for w in words(sentence) if w.start >= mention.end]
    distinct = {_value_key(other) for other in possible}
    rows = [
        _features(
            mention=mention, other=other, evidence=seen, title=title, context=context,
            wanted=wanted, whole=whole, left_words=left_words, right_words=right_words,
            only=len(distinct) == 1, sentence=sentence,
        )
        for other in possible
    ]  # fmt: skip
    local = [row[2] for row in rows]
    best = max(local)
    return [
        Candidate(mention=other, features=(*row, 1.0 if row[2] == best and best > 0 else 0.0))
        for other, row in zip(possible, rows, strict=True)
    ]


def is_counterpart(mine: Mention, other: Mention) -> bool:
    """Whether two spans are of kinds that may answer one question."""
    if mine.kind in (Kind.NAME, Kind.TITLE):
        return other.kind in (Kind.NAME, Kind.TITLE)
    if mine.kind is Kind.YEAR:
        if other.kind is Kind.NUMBER:
            return False
        return other.date is not None and other.date.year is not None
    if mine.kind is Kind.DATE:
        return other.kind is Kind.DATE or (other.kind is Kind.YEAR and _only_year(mine))
    if other.kind is not Kind.NUMBER or mine.quantity is None or other.quantity is None:
        return False
    if "ordinal" in (mine.quantity.form, other.quantity.form):
        return mine.quantity.form == other.quantity.form
    return True


def _only_year(mention: Mention) -> bool:
    return mention.date is not None and mention.date.parts == 1


def _value_key(mention: Mention) -> object:
    if mention.quantity:
        return mention.quantity.value
    if mention.date:
        return mention.date
    return name_words(mention.text)


def _already_used(other: Mention, rest: str, passage: str) -> bool:
    """A value that the sentence gives elsewhere is seldom the answer here as well."""
    if other.kind in (Kind.NAME, Kind.TITLE):
        joined = " ".join(name_words(other.text))
        row = " " + " ".join(plain(w.text) for w in words(rest)) + " "
        if f" {joined} " in row:
            return True
        # "Curie" in the sentence is "Marie Curie" in the evidence.
        last = joined.split(" ")[-1]
        return len(joined.split(" ")) > 1 and len(last) > 2 and f" {last} " in row
    for mine in mentions(rest):
        if other.quantity and mine.quantity and other.quantity.value == mine.quantity.value:
            return True
        if other.date and mine.date and other.date == mine.date:
            return True
        if (
            other.kind is Kind.YEAR
            and mine.date
            and other.date
            and mine.date.year == other.date.year
        ):
            return True
    return False


def _features(
    *, mention: Mention, other: Mention, evidence: str, title: str, context: str,
    wanted: Sequence[Word], whole: float, left_words: Sequence[Word],
    right_words: Sequence[Word], only: bool, sentence: str,
) -> tuple[float, ...]:  # fmt: skip
    clause = next(
        ((a, b) for a, b in clauses(evidence) if a <= other.start < b), (0, len(evidence))
    )
    around = [w for w in words(evidence) if clause[0] <= w.start < clause[1]]
    before = [w for w in around if w.end <= other.start]
    after = [w for w in around if w.start >= other.end]
    place: dict[str, tuple[int, int]] = {}
    sides: tuple[tuple[int, Sequence[Word]], ...] = ((-1, before[::-1]), (1, after))
    for side, row in sides:
        for distance, word in enumerate(row, 1):
            if word.is_content and (word.stem not in place or place[word.stem][1] > distance):
                place[word.stem] = (side, distance)
    total = gained = matched = sided = 0.0
    nearest = 0.0
    for side, row in ((-1, left_words[::-1]), (1, list(right_words))):
        for distance, word in enumerate(row, 1):
            if not word.is_content:
                continue
            worth = weight(word.text) / (1 + distance / 5)
            total += worth
            found = place.get(word.stem)
            if found:
                gained += worth / (1 + found[1] / 8)
                matched += 1
                sided += found[0] == side
                nearest = max(nearest, 1 / (distance + found[1] - 1))
    here = frozenset(w.stem for w in around if w.is_content)
    unit = unit_other = 0.0
    if mention.kind is Kind.NUMBER and mention.unit and mention.unit.lower() not in STOPWORDS:
        counted = bool(other.unit) and other.unit.lower() not in STOPWORDS
        same = stem(mention.unit) == stem(other.unit)
        unit, unit_other = float(counted and same), float(counted and not same)
    return (
        coverage(wanted, here),
        whole,
        gained / total if total else 0.0,
        _same(left_words[-1:], before[-1:]),
        _same(right_words[:1], after[:1]),
        _same(left_words[-2:-1], before[-2:-1]) * _same(left_words[-1:], before[-1:]),
        unit,
        unit_other,
        _shape(mention, other),
        float(_form(mention) == _form(other)),
        float(mention.kind is other.kind),
        float(other.kind is Kind.NAME and bool(context) and name_stands_in(other.text, context)),
        float(other.kind is Kind.NAME and bool(title) and name_stands_in(other.text, title)),
        sided / matched if matched else 0.0,
        float(only),
        _date_parts(mention, other),
        float(not left_words and not before),
        1.0 - whole,
        float(
            mention.kind is Kind.NAME and other.kind is Kind.NAME
            and sort_of_name(mention.text) == sort_of_name(other.text)
        ),
        min(len(before) + len(after), 60) / 60,
    )  # fmt: skip


def _same(one: Sequence[Word], other: Sequence[Word]) -> float:
    if not one or not other:
        return 0.0
    return float(one[0].stem == other[0].stem)


def _form(mention: Mention) -> str:
    if mention.quantity:
        return mention.quantity.form + ("." if "." in mention.text else "")
    return str(mention.kind)


def _shape(mention: Mention, other: Mention) -> float:
    """1.0 for equal looks: as many words of a name, as many digits of a number."""
    if mention.kind in (Kind.NAME, Kind.TITLE):
        mine, theirs = len(name_words(mention.text)), len(name_words(other.text))
        return 1.0 / (1 + abs(mine - theirs))
    if mention.quantity and other.quantity:
        if mention.quantity.is_word != other.quantity.is_word:
            return 0.3
        return 1.0 / (1 + abs(len(mention.text) - len(other.text)))
    return float(len(mention.text) == len(other.text))


def _date_parts(mention: Mention, other: Mention) -> float:
    if not mention.date or not other.date:
        return 0.0
    pairs = (
        (mention.date.year, other.date.year), (mention.date.month, other.date.month),
        (mention.date.day, other.date.day),
    )  # fmt: skip
    return sum(a == b and a is not None for a, b in pairs) / 2
