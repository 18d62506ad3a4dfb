"""The counterpart of a passage's span in the evidence, found by the words around both."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from pipeline.backends.compact.names import name_row, name_stands_in, name_words, sort_of_name
from pipeline.backends.compact.spans import Kind, Mention, mentions
from pipeline.backends.compact.values import stands_in
from pipeline.backends.compact.words import (
    STOPWORDS,
    Word,
    is_common,
    stem,
    weight,
    words,
    words_in,
)
from pipeline.rarr.types import Span

FEATURES = (
    "sentence", "window", "local", "left", "right", "left_two", "unit", "unit_other", "shape",
    "form", "same_kind", "in_context", "in_title", "side", "only", "date_parts", "first",
    "sort", "others", "others_known", "often", "common", "full", "in_passage", "right_two",
    "left_content", "right_content", "bare_word", "preposition", "people", "leftover",
    "best_clause", "agent", "nearest",
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
    *, sentence: str, mention: Mention, evidence: str, title: str, context: str, elsewhere: str = ""
) -> list[Candidate]:
    """The answers that the evidence offers in the place of `mention`, one for each value.

    Only values of its kind, none that the sentence gives in another place, and no date that the
    rest of the passage (`elsewhere`) gives to something else.
    """
    used = sentence[: mention.start] + " " * (mention.end - mention.start) + sentence[mention.end :]
    seen = evidence + "\n" + title
    possible = [
        other
        for other in offered(seen)
        if is_counterpart(mention, other) and not _already_used(other, used)
    ]
    if mention.date is not None:
        given = {m.date for m in mentions(elsewhere) if m.date}
        possible = [m for m in possible if m.date not in given]
    if mention.quantity is not None:
        # Digits are mostly answered in digits: "the oldest of the three" answers little.
        is_word = mention.quantity.is_word
        alike = [m for m in possible if m.quantity is not None and m.quantity.is_word == is_word]
        possible = alike or possible
    if not possible:
        return []
    groups = by_answer(possible)
    window = stems_of(evidence) | stems_of(title)
    rest = [m for m in mentions(sentence) if m.end <= mention.start or m.start >= mention.end]
    known = [stands_in(other, seen + "\n" + title) for other in rest]
    hole = _Hole(
        mention=mention,
        sentence=sentence,
        wanted=rest_of(sentence, Span(start=mention.start, end=mention.end)),
        left=[w for w in words(sentence) if w.end <= mention.start],
        right=[w for w in words(sentence) if w.start >= mention.end],
        window=window,
        others=sum(known) / len(known) if known else 0.0,
        has_others=float(bool(known)),
    )
    pooled: list[Candidate] = []
    for group in groups:
        rows = [
            _features(hole, other, evidence=seen, title=title, context=context) for other in group
        ]
        features = [max(column) for column in zip(*rows, strict=True)]
        features[FEATURES.index("only")] = float(len(groups) == 1)
        features[FEATURES.index("often")] = min(len(group), 4) / 4
        pooled.append(Candidate(mention=_fullest(group, rows), features=tuple(features)))
    pooled = _beside_each_other(pooled, groups, seen)
    local = FEATURES.index("local")
    best = max(each.features[local] for each in pooled)
    return [
        Candidate(
            mention=each.mention,
            features=(*each.features[:-1], float(best > 0 and each.features[local] == best)),
        )
        for each in pooled
    ]


def _beside_each_other(
    pooled: Sequence[Candidate], groups: Sequence[Sequence[Mention]], text: str
) -> list[Candidate]:
    """Fill in what depends on the other candidates: the best clause, and who else stands in it."""
    sentence = FEATURES.index("sentence")
    best = max(each.features[sentence] for each in pooled)
    places = [{_clause_of(m, text) for m in group} for group in groups]
    filled = []
    for each, mine in zip(pooled, places, strict=True):
        rivals = min(sum(place in theirs for theirs in places) for place in mine)
        features = list(each.features)
        features[FEATURES.index("leftover")] = each.features[sentence] / rivals
        features[FEATURES.index("best_clause")] = float(best > 0 and features[sentence] == best)
        filled.append(Candidate(mention=each.mention, features=tuple(features)))
    return filled


def _clause_of(mention: Mention, text: str) -> tuple[int, int]:
    return next(((a, b) for a, b in clauses(text) if a <= mention.start < b), (0, len(text)))


@lru_cache(maxsize=1024)
def offered(text: str) -> tuple[Mention, ...]:
    """The spans of an evidence text, and the parts of its joined names."""
    found: list[Mention] = []
    for mention in mentions(text):
        found.append(mention)
        parts = name_parts(mention) if mention.kind is Kind.NAME else []
        found.extend(parts if len(parts) > 1 else [])
    return tuple(found)


_JOINT = re.compile(r"\s+(?:of(?:\s+the)?|&|the)\s+|['’]s?\s+|\s*[–]\s*")


def name_parts(mention: Mention) -> list[Mention]:
    """The capitalised parts of a name that "of", "the" and the like join."""
    parts, at = [], 0
    for joint in [*_JOINT.finditer(mention.text), None]:
        end = joint.start() if joint else len(mention.text)
        if end > at:
            parts.append(
                Mention(
                    start=mention.start + at,
                    end=mention.start + end,
                    kind=mention.kind,
                    text=mention.text[at:end],
                )
            )
        at = joint.end() if joint else at
    return parts


def answer_key(mention: Mention) -> object:
    """What two spans share that say the same."""
    if mention.quantity is not None:
        return (mention.quantity.value, mention.quantity.form)
    if mention.date is not None:
        return mention.date
    return name_words(mention.text)


def by_answer(possible: Sequence[Mention]) -> list[list[Mention]]:
    """Spans grouped by what they say; "Grande" joins "Ariana Grande"."""
    groups: dict[object, list[Mention]] = {}
    for mention in sorted(possible, key=lambda m: -len(name_words(m.text))):
        key = answer_key(mention)
        if key not in groups and mention.kind is Kind.NAME and isinstance(key, tuple):
            for longer in groups:
                if isinstance(longer, tuple) and _shortens(key, longer):
                    key = longer
                    break
        groups.setdefault(key, []).append(mention)
    return [
        sorted(group, key=lambda m: m.start)
        for group in sorted(groups.values(), key=lambda group: min(m.start for m in group))
    ]


_PREPOSITIONS = words_in("in at by from to with near on of for into as")
_DIRECTIONS = words_in("north south east west new northern southern eastern western united")


def _shortens(short: tuple[str, ...], full: tuple[str, ...]) -> bool:
    """Whether one word stands for a person's or a work's two or three."""
    if len(short) != 1 or not 2 <= len(full) <= 3 or full[0] in _DIRECTIONS:
        return False
    return short[0] == full[-1] and not is_common(short[0])


def _fullest(group: Sequence[Mention], rows: Sequence[tuple[float, ...]]) -> Mention:
    """The span to answer with: a name in full, else the one in the likeliest place."""
    local = FEATURES.index("local")
    order = range(len(group))
    return group[max(order, key=lambda i: (len(name_words(group[i].text)), rows[i][local], -i))]


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


def _already_used(other: Mention, rest: str) -> bool:
    """A value that the sentence gives elsewhere is seldom the answer here as well."""
    if other.kind in (Kind.NAME, Kind.TITLE):
        row = name_row(rest)
        if any(
            f" {' '.join(name_words(part.text))} " in row for part in [other, *name_parts(other)]
        ):
            return True
        # "Curie" in the sentence is "Marie Curie" in the evidence.
        full = name_words(other.text)
        return any(
            m.kind is Kind.NAME and _shortens(name_words(m.text), full) for m in mentions(rest)
        )
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


@dataclass(frozen=True, slots=True, kw_only=True)
class _Hole:
    """The passage's sentence around the span that is asked for."""

    mention: Mention
    sentence: str
    wanted: Sequence[Word]
    left: Sequence[Word]
    right: Sequence[Word]
    window: frozenset[str]
    others: float
    """Share of the sentence's other spans that the evidence holds."""
    has_others: float


def _features(
    hole: _Hole, other: Mention, *, evidence: str, title: str, context: str
) -> tuple[float, ...]:
    mention, left_words, right_words = hole.mention, hole.left, hole.right
    clause = _clause_of(other, evidence)
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
    for side, row in ((-1, left_words[::-1]), (1, right_words)):
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
    here = frozenset(w.stem for w in around if w.is_content)
    unit = unit_other = 0.0
    if mention.kind is Kind.NUMBER and mention.unit and mention.unit.lower() not in STOPWORDS:
        counted = bool(other.unit) and other.unit.lower() not in STOPWORDS
        same = stem(mention.unit) == stem(other.unit)
        unit, unit_other = float(counted and same), float(counted and not same)
    is_name = other.kind in (Kind.NAME, Kind.TITLE)
    return (
        coverage(hole.wanted, here),
        coverage(hole.wanted, hole.window),
        gained / total if total else 0.0,
        _same(left_words[-1:], before[-1:]),
        _same(right_words[:1], after[:1]),
        _same(left_words[-2:-1], before[-2:-1]) * _same(left_words[-1:], before[-1:]),
        unit,
        unit_other,
        _shape(mention, other),
        float(_form(mention) == _form(other)),
        float(mention.kind is other.kind or mention.kind is Kind.YEAR),
        float(is_name and bool(context) and name_stands_in(other.text, context)),
        float(is_name and bool(title) and name_stands_in(other.text, title)),
        sided / matched if matched else 0.0,
        0.0,
        _date_parts(mention, other),
        float(not left_words and not before),
        float(
            mention.kind is Kind.NAME
            and is_name
            and sort_of_name(mention.text) == sort_of_name(other.text)
        ),
        hole.others,
        hole.has_others,
        0.0,
        float(is_name and all(is_common(part) for part in name_words(other.text))),
        float(is_name and len(name_words(other.text)) > 1),
        float(is_name and name_stands_in(other.text, hole.sentence)),
        _same(right_words[1:2], after[1:2]) * _same(right_words[:1], after[:1]),
        _meets(left_words[::-1], before[::-1]),
        _meets(right_words, after),
        float(
            mention.quantity is not None
            and mention.quantity.is_word
            and not unit
            and not _same(right_words[:1], after[:1])
        ),
        float(
            bool(left_words)
            and left_words[-1].text.lower() in _PREPOSITIONS
            and not _same(left_words[-1:], before[-1:])
        ),
        float(
            is_name
            and (sort_of_name(mention.text) == "people") != (sort_of_name(other.text) == "people")
        ),
        0.0,
        0.0,
        float(is_name and _is_agent(left_words) and _is_agent(before)),
        0.0,
    )


def _is_agent(before: Sequence[Word]) -> bool:
    """Whether a name after these words may be who did it: a subject, "by …", "singer …"."""
    if not before:
        return True
    word = before[-1].text
    return word == "by" or (word.islower() and word.endswith(("er", "or", "ist", "ress", "band")))


def _meets(one: Sequence[Word], other: Sequence[Word]) -> float:
    """Whether the next content word of one is among the next three of the other."""
    near = [word.stem for word in one if word.is_content][:1]
    return float(bool(near) and near[0] in [w.stem for w in other if w.is_content][:3])


def _same(one: Sequence[Word], other: Sequence[Word]) -> float:
    if not one or not other:
        return 0.0
    return float(one[0].stem == other[0].stem)


def _form(mention: Mention) -> str:
    if mention.quantity:
        return mention.quantity.form + ("." if "." in mention.text else "")
    return "date" if mention.date else str(mention.kind)


def _shape(mention: Mention, other: Mention) -> float:
    """1.0 for equal looks: as many words of a name, as many digits of a number."""
    if mention.kind in (Kind.NAME, Kind.TITLE):
        mine, theirs = len(name_words(mention.text)), len(name_words(other.text))
        return 1.0 / (1 + abs(mine - theirs))
    if mention.quantity and other.quantity:
        if mention.quantity.is_word != other.quantity.is_word:
            return 0.3
        return 1.0 / (1 + abs(len(mention.text) - len(other.text)))
    if not mention.date or not other.date:
        return 0.0
    if mention.kind is Kind.YEAR:
        return float(
            (mention.date.year or 0) * (other.date.year or 0) > 0
            and mention.date.is_decade == other.date.is_decade
        )
    return mention.date.parts / 3 if mention.date.parts <= other.date.parts else 0.0


def _date_parts(mention: Mention, other: Mention) -> float:
    if not mention.date or not other.date:
        return 0.0
    pairs = (
        (mention.date.year, other.date.year), (mention.date.month, other.date.month),
        (mention.date.day, other.date.day),
    )  # fmt: skip
    return sum(a == b and a is not None for a, b in pairs) / 2
