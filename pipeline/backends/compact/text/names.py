"""Whether a name stands in a text under any of the ways people shorten or spell it."""

import re
from functools import lru_cache

from rapidfuzz import fuzz

from pipeline.backends.compact.text.words import STOPWORDS, plain, stem, words, words_in

_HONORIFICS = words_in(
    """sir dame lord lady dr mr mrs ms prof professor president king queen prince princess emperor
    pope saint st general captain colonel senator governor minister chancellor the a an former"""
)
_DROPPED = _HONORIFICS | {"of", "and", "de"}
_NICKNAMES = {
    "us": {"united states", "usa", "america", "american", "u.s"},
    "usa": {"united states", "us", "america", "american"},
    "united states": {"us", "usa", "america", "american"},
    "america": {"united states", "us", "usa"},
    "american": {"united states", "us", "usa", "america"},
    "uk": {"united kingdom", "britain", "british"},
    "united kingdom": {"uk", "britain", "british"},
    "british": {"united kingdom", "uk", "britain", "england"},
    "england": {"english", "britain"},
    "english": {"england", "british"},
    "britain": {"united kingdom", "uk", "british", "england"},
    "dutch": {"netherlands", "holland"}, "netherlands": {"dutch", "holland"},
    "french": {"france"}, "france": {"french"}, "greek": {"greece"}, "greece": {"greek"},
    "swiss": {"switzerland"}, "switzerland": {"swiss"}, "welsh": {"wales"}, "wales": {"welsh"},
    "spanish": {"spain"}, "spain": {"spanish"}, "danish": {"denmark"}, "denmark": {"danish"},
    "german": {"germany"}, "germany": {"german"}, "turkish": {"turkey"}, "turkey": {"turkish"},
    "polish": {"poland"}, "poland": {"polish"}, "ussr": {"soviet union", "soviet"},
    "soviet union": {"ussr", "soviet"}, "eu": {"european union"}, "un": {"united nations"},
    "world war ii": {"second world war", "world war two", "wwii", "ww2"},
    "world war i": {"first world war", "world war one", "wwi", "ww1"},
    "second world war": {"world war ii", "wwii"}, "first world war": {"world war i", "wwi"},
    "bible": {"biblical"}, "christ": {"jesus"}, "nyc": {"new york"}, "new york city": {"nyc"},
}  # fmt: skip
_PEOPLES = re.compile(r"(?:ian|ean|ese|ish|can|man|i|ic)s?$", re.IGNORECASE)


@lru_cache(maxsize=16384)
def name_words(name: str) -> tuple[str, ...]:
    """The words of a name that tell it from others: no honorifics, articles or accents.

    >>> name_words("Sir Isaac Newton's")
    ('isaac', 'newton')
    """
    found = tuple(plain(word.text) for word in words(name))
    return tuple(w for w in found if w not in _DROPPED) or found


@lru_cache(maxsize=4096)
def name_row(text: str) -> str:
    """A text's words as `name_words` keeps them, each between spaces."""
    return (
        " "
        + " ".join(w for w in (plain(word.text) for word in words(text)) if w not in _DROPPED)
        + " "
    )


@lru_cache(maxsize=1024)
def _ground(text: str) -> tuple[str, frozenset[str], frozenset[str], frozenset[str], str]:
    """What a text offers to names: its words in a row, as a set, stems, capitals, initials."""
    found = words(text)
    plains = [plain(word.text) for word in found]
    capitals = frozenset(p for p, w in zip(plains, found, strict=True) if w.text[:1].isupper())
    initials = "".join(
        w.text[0] if w.text[:1].isupper() else "."
        for w in found
        if w.text.lower() not in ("of", "the", "and", "for")
    )
    return (
        " " + " ".join(plains) + " ",
        frozenset(plains),
        frozenset(stem(word.text) for word in found),
        capitals,
        initials,
    )


def name_stands_in(name: str, text: str) -> bool:
    """Whether `text` names what `name` names: whole, in part, abbreviated or spelled otherwise."""
    row, everything, stems, capitals, initials = _ground(text)
    parts = name_words(name)
    if not parts:
        return False
    joined = " ".join(parts)
    if f" {joined} " in row:
        return True
    # "HunterGirl" and "Hunter Girl".
    if len(joined) > 7 and joined.replace(" ", "") in row.replace(" ", ""):
        return True
    if any(f" {other} " in row for other in _NICKNAMES.get(joined, ())):
        return True
    if all(part in everything or stem(part) in stems for part in parts):
        return True
    surname = parts[-1]
    if len(parts) > 1 and len(surname) > 2 and surname in capitals and surname not in STOPWORDS:
        return True
    # "MCQs" are multiple choice questions.
    bare = re.sub(r"(?<=[A-Z]{2})['’]?s$", "", name.replace(".", ""))
    if bare.isupper() and 2 <= len(bare) <= 6 and bare in initials:
        return True
    short = "".join(part[0] for part in parts)
    if (
        len(parts) > 1
        and len(short) > 1
        and short in everything
        and short.upper() in text.replace(".", "")
    ):
        return True
    if len(parts) == 1:
        return _one_word_stands_in(surname, capitals)
    return any(
        fuzz.ratio(joined, " ".join(name_words(other))) >= 86 for other in _capital_runs(text)
    )


def _one_word_stands_in(word: str, capitals: frozenset[str]) -> bool:
    if len(word) < 4:
        return False
    for other in capitals:
        # Italy and Italian, Rome and Roman share a beginning; Iran and Iraq do not.
        shared = _common_prefix(word, other)
        people = bool(_PEOPLES.search(word)) != bool(_PEOPLES.search(other))
        if shared >= 4 and people and shared >= min(len(word), len(other)) - 1:
            return True
        if len(word) >= 6 and fuzz.ratio(word, other) >= 86:
            return True
    return False


def _common_prefix(one: str, other: str) -> int:
    count = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        count += 1
    return count


@lru_cache(maxsize=1024)
def _capital_runs(text: str) -> tuple[str, ...]:
    # A lone word is taken too, and dropped here: so no letter is looked at twice.
    runs = re.findall(r"[A-Z][\w.'’]*(?:[ \-][A-Z][\w.'’]*)*", text)
    return tuple(run for run in runs if " " in run or "-" in run)


def sort_of_name(name: str) -> str:
    """people (an adjective such as French), acronym, person-like (two or three words) or other."""
    parts = name_words(name)
    if name.replace(".", "").isupper() and len(parts) == 1:
        return "acronym"
    if len(parts) == 1:
        word = parts[0]
        known = word in _NICKNAMES and word not in ("us", "usa", "uk")
        if re.search(r"(?:ian|ese|ish|ican|ean)s?$", word) or (
            known
            and word.endswith(("h", "n", "k", "s"))
            and word.endswith(("ch", "sh", "man", "eek", "swiss", "can"))
        ):
            return "people"
        return "word"
    return "words"
