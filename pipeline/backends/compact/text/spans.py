"""Check-worthy spans of a text, found by rules: numbers, dates, years, titles and names.

Numbers, dates and quoted titles are regular expressions; names are runs of capitalised tokens of
a blank English spaCy pipeline (there is no tagger to ask). Citation marks such as [1] and
the numbers of a list's items are never a span, and digits inside a word only together with it:
COVID-19 is a name.
"""

import enum
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from pipeline.backends.compact.text.dates import MONTHS, CalendarDate, find_dates, find_years
from pipeline.backends.compact.text.joined_digits import (
    is_in_word,
    with_digits,
    without_list_numbers,
)
from pipeline.backends.compact.text.numbers import Quantity, find_quantities
from pipeline.backends.compact.text.words import STOPWORDS, is_common, plain, words_in

CITATION = re.compile(r"\[\s*\d+(?:\s*(?:,|-|–|and)\s*\d+)*\s*\]")
_QUOTED = re.compile(
    r"\"([^\"\n]{2,90})\"|“([^”\n]{2,90})”|(?<![\w])['‘](?=[A-Z0-9])([^\n\"]{2,80}?)['’](?![\w])"
)
_WORD_AFTER = re.compile(r"(?<![\s\-])[\s\-]+([A-Za-z%°][A-Za-z]*)")
_MEASURES = words_in("""m km ft mi kg lb mph kmh km² mm cm ha tonne ton dollar euro percent""")
_PARTICLES = ("de", "van", "von", "der", "den", "la", "le", "du", "da", "di", "del", "dos", "bin",
              "ibn", "al", "el", "of", "the", "&", "-", "–", "y", "'s", "’s", "'", "’")  # fmt: skip
_LETTERS = r"[A-ZÀ-ÖØ-ÞĀĂĄĆČĎĐĒĖĘĚĞĢĪĮŁŃŅŇŌŐŒŘŚŞŠŢŤŪŮŰŲŹŻŽİ][\w.'’]*"
_BEGINS_WITH_CAPITAL = rf"(?:{with_digits(_LETTERS)})"
_CAPITAL = re.compile(_BEGINS_WITH_CAPITAL)
_INSIDE = re.compile(_BEGINS_WITH_CAPITAL + "|(?:" + "|".join(_PARTICLES) + ")$")
_NO_WORD = re.compile(r"\S{100,}")
"""No name is so long, and spaCy's tokenizer takes the square of a word's length."""
_ABBREVIATED = re.compile(r"(?:\b[A-Z]|[A-Z]\.[A-Z]|\b[JS]r)\.$")
_LONGEST_ABBREVIATION = 5
"""Characters that `_ABBREVIATED` looks at, with the one before a word's edge."""
_PLURAL_OF_DIGITS = re.compile(r"[-\u2010\u2011]\d+['’]?s$")
_NO_NAME = (
    frozenset(month.lower() for month in MONTHS)
    | frozenset(["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"])
    | words_in("""i mr mrs ms dr st jr sr no vol ad bc ce bce am pm title section text ok yes""")
)
# Words that open a sentence with a capital and are seldom names; the rest is a weak name.
_OPENERS = words_in(
    """according additionally afterwards although among another based besides both consequently
    currently despite due eventually finally first second third following formerly furthermore
    generally given historically however importantly indeed initially instead interestingly later
    lastly like many meanwhile moreover most nevertheless next nonetheless notably originally
    overall part people previously recently scientists several similarly since some sometimes
    specifically subsequently therefore thus today traditionally typically ultimately unlike
    unfortunately usually various yes there here key research studies experts researchers using
    different various early modern most other original famous popular
    late current contemporary major people women men children students players members"""
)


class Kind(enum.StrEnum):
    """What a check-worthy span says."""

    NUMBER = "number"
    DATE = "date"
    YEAR = "year"
    TITLE = "title"
    NAME = "name"

    @property
    def is_numeric(self) -> bool:
        return self in {Kind.NUMBER, Kind.DATE, Kind.YEAR}


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """A check-worthy span, `text[start:end]`, with what it means."""

    start: int
    end: int
    text: str
    kind: Kind
    quantity: Quantity | None = None
    date: CalendarDate | None = None
    unit: str = ""
    """The word that a number counts or measures, as written."""
    is_weak: bool = False
    """A lone capitalised word at the beginning of a sentence: a name, or just a first word."""


@lru_cache(maxsize=4096)
def mentions(text: str) -> tuple[Mention, ...]:
    """The check-worthy spans of `text`, in order, none overlapping."""
    blank = _without_marks(text)
    titles = [_mention(text, start, end, Kind.TITLE) for start, end in _titles(blank)]
    dates = [mention for mention in figures(text) if mention.kind is Kind.DATE]
    rest = [mention for mention in figures(text) if mention.kind is not Kind.DATE]
    names = [
        Mention(start=start, end=end, text=text[start:end], kind=Kind.NAME, is_weak=weak)
        for start, end, weak in _names(blank)
    ]
    return _first_come([*dates, *titles, *rest, *names], len(text))


@lru_cache(maxsize=4096)
def figures(text: str) -> tuple[Mention, ...]:
    """The dates, years and numbers of `text`, those inside titles too; no names are sought."""
    blank = _without_marks(text)
    found: list[Mention] = []
    for start, end, date in find_dates(blank):
        found.append(_mention(text, start, end, Kind.DATE, date=date))
    for start, end, date in find_years(blank):
        if _reads_as_year(blank, start, end, date) and not is_in_word(
            blank, start, end, is_year=True
        ):
            found.append(_mention(text, start, end, Kind.YEAR, date=date))
    for start, end, quantity in find_quantities(blank):
        if is_in_word(blank, start, end, is_year=False):
            continue
        after = _WORD_AFTER.match(blank, end)
        unit = after.group(1) if after else ""
        found.append(_mention(text, start, end, Kind.NUMBER, quantity=quantity, unit=unit))
    return _first_come(found, len(text))


def _without_marks(text: str) -> str:
    """The text with spaces for citation marks and list numbers, so that places stay."""
    return without_list_numbers(CITATION.sub(lambda match: " " * len(match.group()), text))


def _mention(text: str, start: int, end: int, kind: Kind, **meaning: Any) -> Mention:
    return Mention(start=start, end=end, text=text[start:end], kind=kind, **meaning)


def _first_come(found: Sequence[Mention], length: int) -> tuple[Mention, ...]:
    """Of overlapping mentions the one that was found first."""
    taken = bytearray(length + 1)
    kept: list[Mention] = []
    for mention in found:
        if not any(taken[mention.start : mention.end]):
            taken[mention.start : mention.end] = b"\x01" * (mention.end - mention.start)
            kept.append(mention)
    return tuple(sorted(kept, key=lambda mention: mention.start))


def _reads_as_year(text: str, start: int, end: int, date: CalendarDate) -> bool:
    """Whether four digits are a year rather than a count of what follows."""
    if date.is_decade or end - start > 4 or not text[start:end].isdigit() or (date.year or 0) < 0:
        return True
    if text[start:end].isdigit() and end - start < 4:
        return True
    after = _WORD_AFTER.match(text, end)
    follower = after.group(1) if after else ""
    if not follower.islower() or follower in STOPWORDS:
        return True
    counted = follower in ("people", "men", "women") or (
        follower.endswith("s") and not follower.endswith("ss")
    )
    return not counted and follower not in _MEASURES


def _titles(text: str) -> Iterator[tuple[int, int]]:
    """Quoted stretches that read like a title: a capital or digit first, at most twelve words."""
    for match in _QUOTED.finditer(text):
        for group in (1, 2, 3):
            inner = match.group(group)
            if inner is None:
                continue
            start, end = match.span(group)
            while end > start and text[end - 1] in ".,;:!? ":
                end -= 1
            piece = text[start:end]
            capital = piece[:1].isupper() or piece[:1].isdigit()
            most = sum(word[:1].isupper() for word in piece.split() if len(word) > 3)
            if capital and len(piece.split()) <= 12 and (most >= 1 or len(piece.split()) <= 3):
                yield start, end


@lru_cache(maxsize=1)
def _pipeline() -> Any:
    import spacy

    return spacy.blank("en")


def _runs(doc: Any) -> Iterator[tuple[int, int]]:
    """First and last token, the last exclusive, of each run of capitalised words and particles."""
    first = last = 0
    for place, token in enumerate(doc):
        if _CAPITAL.fullmatch(token.text):
            first, last = first if last else place, place + 1
        elif last and not _INSIDE.match(token.text):
            yield first, last
            last = 0
    if last:
        yield first, last


def _names(text: str) -> Iterator[tuple[int, int, bool]]:
    """(start, end, weak) of each run of capitalised words."""
    doc = _pipeline().make_doc(_NO_WORD.sub(lambda match: " " * len(match.group()), text))
    for first, last in _runs(doc):
        opens = _opens_sentence(doc, first)
        # "In Paris", "However, Obama": the first word of a sentence has its capital for free.
        while first < last and _is_no_beginning(doc[first], opens):
            first += 1
            opens = False
        for run in _split_runs(list(doc[first:last])):
            start, end = run[0].idx, run[-1].idx + len(run[-1].text)
            while (end > start and text[end - 1] in "'’") or (
                text[end - 1] == "."
                and not _ABBREVIATED.search(text, max(start, end - _LONGEST_ABBREVIATION), end)
            ):
                end -= 1
            if _PLURAL_OF_DIGITS.search(text, start, end):
                end -= 2 if text[end - 2] in "'’" else 1  # B-52s are of the name B-52
            word = plain(text[start:end])
            shouted = text[start:end].isupper() and len(word) > 1
            if len(word) < 2 or word in _NO_NAME or (word in STOPWORDS and not shouted):
                continue
            alone = opens and run[0].i == first and len(run) == 1 and not shouted
            if alone and is_common(text[start:end]):
                continue
            yield start, end, alone


_PARTICLE_SET = frozenset(_PARTICLES)
_BEGINNERS = STOPWORDS | _OPENERS
_ARTICLES = words_in("the a an in of on at by from to and for with as its his her their")


def _is_no_beginning(token: Any, opens: bool) -> bool:
    """Whether a capitalised token in front of a name is no part of it."""
    if len(token.text) > 1 and token.text.isupper():
        return False
    if token.lower_ in _PARTICLE_SET or token.lower_ in _ARTICLES:
        return True
    return opens and (token.lower_ in STOPWORDS or token.lower_ in _OPENERS)


def _split_runs(tokens: list[Any]) -> Iterator[list[Any]]:
    """A run cut at white space other than single spaces, months and loose dashes."""
    run: list[Any] = []
    for token in tokens:
        gap = run and token.idx - (run[-1].idx + len(run[-1].text)) > 1
        if token.text in ("'", "’") and not (run and run[-1].text.endswith("s")):
            yield from _without_edges(run)
            run = []
            continue
        if run and run[-1].text.endswith(".") and token.lower_ in _BEGINNERS:
            # "Cassell & Co. It had been …": the full stop of the name ends the sentence too.
            yield from _without_edges(run)
            run = []
            continue
        loose = token.text in ("-", "–") and (
            bool(token.whitespace_) or (run and bool(run[-1].whitespace_))
        )
        if (
            (
                token.lower_.strip(".") in _NO_NAME
                and token.lower_.strip(".") not in ("st", "dr", "jr", "sr")
            )
            or gap
            or loose
        ):
            yield from _without_edges(run)
            run = [] if not gap else [token]
            continue
        run.append(token)
    yield from _without_edges(run)


def _without_edges(run: list[Any]) -> Iterator[list[Any]]:
    kept = [place for place, token in enumerate(run) if token.lower_ not in _PARTICLE_SET]
    if kept:
        yield run[kept[0] : kept[-1] + 1]


_BEFORE_FIRST_WORD = ("", '"', "“", "'", "‘", "(", "*", "**", "-", "•")


def _opens_sentence(doc: Any, index: int) -> bool:
    before = index - 1
    # Spaces are what stood there as a mark: a citation, the number of a list's item.
    while before >= 0 and doc[before].text.strip(" \t") in _BEFORE_FIRST_WORD:
        before -= 1
    if before < 0:
        return True
    text = doc[before].text
    return "\n" in text or (
        text[-1] in ".!?:" and not re.fullmatch(r"(?:[A-Z]\.)+|Dr\.|St\.|Mr\.|Mrs\.", text)
    )
