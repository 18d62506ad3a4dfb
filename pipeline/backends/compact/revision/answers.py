"""The values that an evidence text offers, and which of them may answer one question."""

import re
from collections.abc import Sequence
from functools import lru_cache

from pipeline.backends.compact.text.names import name_row, name_words
from pipeline.backends.compact.text.spans import Kind, Mention, mentions
from pipeline.backends.compact.text.words import is_common, words_in

_DIRECTIONS = words_in("north south east west new northern southern eastern western united")


MOST_OFFERED = 300
"""Spans of a text that may answer; each is laid beside the passage's. A snippet has some 20."""


@lru_cache(maxsize=1024)
def offered(text: str) -> tuple[Mention, ...]:
    """The first `MOST_OFFERED` spans of an evidence text, and the parts of its joined names."""
    found: list[Mention] = []
    for mention in mentions(text)[:MOST_OFFERED]:
        parts = name_parts(mention) if mention.kind is Kind.NAME else []
        # "J. K. Rowling's Harry Potter" is two answers, "Winter's Tale" is one.
        owner = re.match(r"(.*?)['’]s\s", mention.text) if parts else None
        if not (owner and " " in owner[1] and " of " not in owner[1]):
            found.append(mention)
        found.extend(parts if len(parts) > 1 else [])
    return tuple(found)


_JOINT = re.compile(r"(?<!\s)\s+(?:of(?:\s+the)?|&|the)\s+|['’]s?\s+|(?:(?<!\s)\s+)?–\s*")


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


def _shortens(short: tuple[str, ...], full: tuple[str, ...]) -> bool:
    """Whether one word stands for a person's or a work's two or three."""
    if len(short) != 1 or not 2 <= len(full) <= 3 or full[0] in _DIRECTIONS:
        return False
    return short[0] == full[-1] and not is_common(short[0])


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


def already_used(other: Mention, rest: str) -> bool:
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
