"""The proper names of a sentence, by tags, entity labels and capitals.

A name is a run of such words and small words between, extended to an entity that it overlaps.
"""

import re
from collections.abc import Iterator, Sequence

from pipeline.backends.compact.text.numbers import with_digits
from pipeline.backends.compact.text.parsing import Doc, Token
from pipeline.backends.compact.text.words import STOPWORDS, word_set

LABELS = word_set("PERSON NORP FAC ORG GPE LOC PRODUCT EVENT WORK_OF_ART LAW LANGUAGE")
"""Entities that are names."""
_CAPITAL = re.compile(with_digits(r"[^\W\d_a-zß-öø-ÿ][\w.'’]*"))
_NOUNS = frozenset(["NN", "NNS", "NNPS", "JJ"])
_OPENERS = word_set("And Or But Though Although While Because However")
"""First words of a next sentence, after a line without a full stop."""
_INNER = word_set("of the de van von der den la le du da di del dos bin ibn al el & - – y 's ’s")
"""Words that a name may have between capitals."""
_IN_ENTITIES = word_set("in for and 's ’s")
"""The same within a single entity."""
_OWNERS = frozenset(["PERSON", "NORP", "GPE", "ORG"])
_LONG_THINGS = frozenset(["ORG", "WORK_OF_ART", "EVENT", "LAW", "FAC"])
"""Entities whose names may contain "and" or "in"."""
_OUTSIDE = word_set("the a an in of on at by from to and for with as its his her their")
"""Words that never begin a name."""
_PROPER = frozenset(["NNP", "NNPS"])
_NO_NAME = word_set(
    """i mr mrs ms vol no am pm ad bc ce bce title section text ok yes january february march april
    may june july august september october november december monday tuesday wednesday thursday
    friday saturday sunday jan feb mar apr jun jul aug sep sept oct nov dec"""
)
_EDGES = ".'’"
_ABBREVIATED = re.compile(
    r"(?:\b[A-Z]|[A-Z]\.[A-Z]|\b(?:[JSDM]r|Mrs|Ms|St|Mt|Ft|Co|Inc|Ltd|Prof|Gen|Sen|Gov|Rev|Col|Capt|Lt))\.$"
)
_PLURAL_OF_DIGITS = re.compile(r"(?<=\d)['’]?s$")

NameSpan = tuple[int, int, str]
"""Characters of the sentence, and the entity's label or ""."""


def proper_names(doc: Doc) -> Iterator[NameSpan]:
    """Yield the names of a parsed sentence in order, without overlaps."""
    tokens = list(doc)
    within = _entities(doc)
    at = 0
    while at < len(tokens):
        end = _end_of_name(tokens, at, within)
        if end == at:
            at += 1
            continue
        name = _trimmed(tokens[at:end])
        if name:
            yield name
        at = end


def _entities(doc: Doc) -> list[int]:
    within = [0] * len(doc)
    for entity in doc.ents:
        if entity.label_ in LABELS:
            within[entity.start : entity.end] = [entity.start + 1] * len(entity)
    return within


def _is_capital(token: Token) -> bool:
    return bool(_CAPITAL.fullmatch(token.text)) or (token.text.isdigit() and bool(token.ent_type_))


def _can_start_name(token: Token) -> bool:
    if not _CAPITAL.fullmatch(token.text) or token.tag_ == "PRP":
        return False
    small = token.lower_.rstrip(".")
    if small in _NO_NAME or (small in _OUTSIDE and not token.text.isupper()):
        return False
    if len(token.text) > 1 and token.text.isupper():
        return True
    if not _is_first(token):
        return True
    if small in STOPWORDS:
        return False
    rest = (t for t in token.doc[token.i + 1 : token.i + 4] if t.text.strip(" -–"))
    after = next(rest, token)
    is_followed = after.tag_ in _PROPER and bool(_CAPITAL.fullmatch(after.text))
    # "Hornets sings it": one thing's name
    is_one = token.tag_ in ("NNS", "NNPS") and (after.tag_ == "VBZ" or after.lower_ == "was")
    return token.tag_ == "NNP" or (
        token.tag_ in _NOUNS and (token.ent_type_ in LABELS or is_followed or is_one)
    )


def _is_first(token: Token) -> bool:
    before = token.i - 1
    while before >= 0 and not any(c.isalnum() for c in token.doc[before].text):
        before -= 1
    return before < 0 or token.doc[token.i - 1].text[-1] in ".!?:\n"


def _end_of_name(tokens: Sequence[Token], start: int, within: Sequence[int]) -> int:
    if not _can_start_name(tokens[start]):
        return start
    end = start + 1
    at = end
    while at < len(tokens):
        token, before = tokens[at], tokens[at - 1]
        if before.whitespace_ and before.text.endswith(".") and not _continues(before, token):
            break
        together = within[at] and within[at] == within[end - 1]
        is_thing = together and token.ent_type_ != "PERSON"
        if _is_part(token) or (together and _is_capital(token)):
            end = at + 1
        elif not (is_thing and token.lower_ in _IN_ENTITIES) and not _joins(tokens, at):
            break
        at += 1
    return end


def _is_part(token: Token) -> bool:
    if not _CAPITAL.fullmatch(token.text):
        return False
    small = token.lower_.rstrip(".")
    return small not in _NO_NAME or token.ent_type_ in _LONG_THINGS


def _joins(tokens: Sequence[Token], at: int) -> bool:
    token = tokens[at]
    if token.lower_ not in _INNER:
        return False
    if token.text in ("-", "–"):
        # A spaced dash separates names.
        return not token.whitespace_ and not tokens[at - 1].whitespace_
    if token.lower_ in ("'s", "’s"):
        # "Ada Hart's Mill" is two names, "King's College" one.
        return tokens[at - 1].ent_type_ not in _OWNERS
    return True


def _continues(before: Token, token: Token) -> bool:
    """Check whether a name continues after a full stop: "J. K. Rowling", not "Hart & Co. It"."""
    return bool(_ABBREVIATED.search(before.text)) and token.lower_ not in STOPWORDS


def _trimmed(tokens: Sequence[Token]) -> NameSpan | None:
    """Return the name without small words, full stops and possessive at its ends."""
    while tokens and (not _is_capital(tokens[-1]) or tokens[-1].text in _OPENERS):
        tokens = tokens[:-1]
    if not tokens:
        return None
    start = tokens[0].idx
    text = tokens[-1].text
    is_last = tokens[-1].i + 1 == len(tokens[-1].doc)
    if text.endswith(".") and (not _ABBREVIATED.search(text) or (is_last and len(text) == 2)):
        text = text.rstrip(_EDGES)
    text = _PLURAL_OF_DIGITS.sub("", text.rstrip(_EDGES) if text[-1] in "'’" else text)
    end = tokens[-1].idx + len(text)
    if end - start < 2:
        return None
    labels = [t.ent_type_ for t in tokens if t.ent_type_ in LABELS]
    label = max(dict.fromkeys(labels), key=labels.count) if labels else ""
    return start, end, label
