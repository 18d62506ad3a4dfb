"""Words of a text: positions, stems, content words and weights."""

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from pipeline.text.spans import Span

WORD = re.compile(
    r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]"  # one CJK character is one word
    r"|(?:[A-Za-z]\.){2,}"  # U.S., p.m.
    r"|\d+(?:[.,]\d+)*"
    r"|[^\W\d_]+(?:['’][^\W\d_]+)*"
)


def mask_matches(text: str, marks: re.Pattern[str]) -> str:
    """Replace matches with as many spaces."""
    return marks.sub(lambda match: " " * len(match.group()), text)


def word_set(text: str) -> frozenset[str]:
    return frozenset(text.split())


STOPWORDS = word_set(
    """a about above after again all also although am an and any are as at be became because been
    before being below between both but by can cannot could did do does doing down during each
    either else ever few for from further had has have having he hence her here hers herself him
    himself his how however i if in into is it its itself just may me might more most much must my
    myself neither no nor not now of off often on once one only onto or other others our ours out
    over own per rather s same shall she should since so some such than that the their theirs them
    themselves then there therefore these they this those though through thus to together too
    toward towards under until up upon us very via was we were what when where whereas whether
    which while who whom whose why will with within without would yet you your yours known called
    named include includes including according well"""
)

NEGATIONS = word_set("""no not never none neither nor without cannot n't nobody nothing""")

_STEMS = """
    begin began begun; writ wrote written writer author; sing sang song sung singer; win won winner;
    lead led leader; build built; hold held; mak made; tak took taken; giv gave given; becom became;
    com came; go went gone; grow grew grown; ris rose risen; fall fell fallen; leav left; los lost;
    sell sold; buy bought; fight fought; teach taught; think thought; child children; man men; woman
    women; person people; foot feet ft; die died death dead dying; born birth; run ran; draw drew
    drawn; choos chose chosen; break broke broken; speak spoke spoken; know knew; shoot shot; strik
    struck; wear worn; stand stood; meter metre metres m; center centre; kilometer kilometre
    kilometres km; mile mi; kilogram kg; pound lb lbs; produc producer production; direct director;
    found founder; act actor actress; play player; creat creator creation; marry marriage; locat
    location
"""
"""Stems, each before its irregular words."""
_IRREGULAR = {word: stem for stem, *forms in map(str.split, _STEMS.split(";")) for word in forms}


class Word(NamedTuple):
    """The word `text[start:end]`."""

    start: int
    end: int
    text: str
    stem: str
    is_content: bool


_STROKES = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "æ": "ae", "œ": "oe"})
"""Letters that Unicode does not decompose."""


@lru_cache(maxsize=65536)
def normalize(word: str) -> str:
    """Fold case; remove accents, possessive and dots."""
    word = word.replace("’", "'")
    lowered = unicodedata.normalize("NFKD", word.casefold()).translate(_STROKES)
    lowered = "".join(c for c in lowered if not unicodedata.combining(c))
    if lowered.endswith("'s"):
        lowered = lowered[:-2]
    return lowered.replace(".", "") if not lowered[:1].isdigit() else lowered


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """Return a light English stem.

    >>> stem("Recorded"), stem("recording"), stem("cities"), stem("wrote")
    ('record', 'record', 'city', 'writ')
    """
    base = normalize(word)
    if base in _IRREGULAR:
        return _IRREGULAR[base]
    if len(base) <= 3 or not base.isascii():
        return base
    if base.endswith("ies") and len(base) > 4:
        base = base[:-3] + "y"
    elif base.endswith(("sses", "shes", "ches", "xes")):
        base = base[:-2]
    elif base.endswith("s") and not base.endswith(("ss", "us", "is")):
        base = base[:-1]
    for suffix in ("ingly", "edly", "ing", "ed", "ly"):
        if base.endswith(suffix) and len(base) - len(suffix) >= 3:
            cut = base[: -len(suffix)]
            if any(vowel in cut for vowel in "aeiouy"):
                base = cut
                if len(base) > 3 and base[-1] == base[-2] and base[-1] not in "lsz":
                    base = base[:-1]
            break
    if base.endswith("e") and len(base) > 3:
        base = base[:-1]
    if base.endswith("i") and len(base) > 3:
        base = base[:-1] + "y"
    return base


@lru_cache(maxsize=2048)
def words(text: str) -> tuple[Word, ...]:
    text_words = []
    for match in WORD.finditer(text):
        word = match.group()
        lowered = word.casefold().replace("’", "'")
        is_content = lowered not in STOPWORDS and (
            len(normalize(word)) > 1 or word.isdigit() or word >= "\u3040"  # CJK
        )
        text_words.append(Word(match.start(), match.end(), word, stem(word), is_content))
    return tuple(text_words)


@lru_cache(maxsize=65536)
def weight(word: str) -> float:
    """Weight a content word without a corpus: numbers and names most."""
    if word[:1].isdigit():
        return 1.6
    return 0.7 + 0.06 * min(len(word), 10) + (0.6 if word[:1].isupper() else 0.0)


def rest_of(sentence: str, span: Span) -> list[Word]:
    """Return a sentence's content words outside the span."""
    return [w for w in words(sentence) if w.is_content and not (span.start <= w.start < span.end)]


def coverage(wanted: Sequence[Word], stems: frozenset[str] | set[str]) -> float:
    """Return the weighted share of `wanted` stems in `stems`; 0.0 for none."""
    total = sum(weight(w.text) for w in wanted)
    if not total:
        return 0.0
    return sum(weight(w.text) for w in wanted if w.stem in stems) / total


@lru_cache(maxsize=4096)
def stems_of(text: str) -> frozenset[str]:
    return frozenset(w.stem for w in words(text) if w.is_content)
