"""The wh-phrase for a number or a date: how many windows, in what year, on which voyage."""

from typing import TYPE_CHECKING

from pipeline.backends.compact.questions.wh_phrases import (
    ATTRIBUTIVE,
    POSSESSIVE,
    Asked,
    end_of_complement,
    plain,
)
from pipeline.backends.compact.text.spans import Kind, Mention
from pipeline.backends.compact.text.words import words_in

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

_MEASURES = words_in(
    """height length width depth area population age speed weight cost price value rate average
    score size capacity distance temperature"""
)
_VAGUE = frozenset({"quantmod", "advmod", "amod"})
_FARTHEST_NOUN = 6
"""Tokens behind a number up to the noun that it counts."""


def asked_for_date(doc: "Doc", start: int, end: int, mention: Mention) -> Asked:
    """How to ask for `doc[start:end]`, a date or year: "what year"."""
    head, date = doc[start:end].root, mention.date
    if mention.kind is Kind.YEAR:
        words = "what decade" if date is not None and date.is_decade else "what year"
    elif date is not None and date.day is not None:
        words = "what date"
    else:
        words = "what month" if date is None or date.year is None else "what month and year"
    noun = head.head
    if head.dep_ in ATTRIBUTIVE and noun.i >= end:
        # "the 1912 film"
        before = [t for t in doc[noun.left_edge.i : start] if t.tag_ != "PRP$"]
        phrase = f"{words}'s {plain([*before, *doc[end : noun.i + 1]])}"
        return Asked(words=phrase, start=noun.left_edge.i, end=noun.i + 1, head=noun)
    while start and doc[start - 1].lower_ in ("the", "year", "about", "around", "circa", "c."):
        start -= 1
    return Asked(words=words, start=start, end=end, head=head)


def asked_for_number(doc: "Doc", start: int, end: int, mention: Mention) -> Asked:
    """How to ask for `doc[start:end]`, a number: "how many windows"."""
    head = doc[start:end].root
    form = mention.quantity.form if mention.quantity else "cardinal"
    if form == "ordinal":
        return _asked_for_ordinal(doc, start, end, head)
    if start and doc[start - 1].lower_ == "aged":
        return Asked(words="how old", start=start - 1, end=end, head=head)
    # "about", "more than", "up to"
    vague = (t for token in doc[start:end] for t in token.lefts if t.dep_ in _VAGUE)
    start = min((start, *(t.left_edge.i for t in vague)))
    noun = _counted(doc, end, head)
    if form == "money" or (noun is not None and noun.lower_ in ("dollars", "euros")):
        stop = end if noun is None or form == "money" else noun.i + 1
        return Asked(words="how much", start=start, end=stop, head=head)
    if form == "percent":
        stop = end_of_complement(doc, end)
        words = f"what percentage {plain(doc[end:stop])}".rstrip()
        return Asked(words=words, start=start, end=stop, head=head)
    before = doc[start - 1] if start else None
    if before is not None and before == head.head and before.pos_ in ("NOUN", "PROPN"):
        # "episode 6"
        return Asked(words=f"which {before.text}", start=start - 1, end=end, head=before)
    stop = end if noun is None else noun.i + 1
    if before is not None and before.lower_ == "of" and before.head.lower_ in _MEASURES:
        # "a height of 12 metres"
        left = before.head.left_edge.i
        owned = any(t.dep_ == "poss" for t in before.head.lefts)
        words = f"what {plain(doc[left : before.i])}"
        return Asked(words=words, start=left, end=stop, head=before.head, fronted=not owned)
    scale = noun.head if noun is not None else head
    if scale.i == stop and scale.pos_ in ("ADJ", "ADV"):
        # "12 metres high", "three years later", "34 years old"
        stop = end_of_complement(doc, stop + 1)
        words = "how old" if scale.lower_ == "old" else f"how many {plain(doc[end:stop])}"
        return Asked(words=words, start=start, end=stop, head=scale)
    stop = end_of_complement(doc, stop)
    if stop == end:
        words = "how many" if head.dep_ == "dobj" else "what number"
        return Asked(words=words, start=start, end=end, head=head,
                     fronted=head.dep_ not in ATTRIBUTIVE)  # fmt: skip
    start -= before is not None and before.tag_ == "DT"
    left = noun.left_edge.i if noun is not None else start
    if left == start - 1 and doc[left].tag_ == "PRP$":
        # "its four strings"
        words = f"how many of {doc[left].lower_} {plain(doc[end:stop])}"
        return Asked(words=words, start=left, end=stop, head=noun or head)
    owned = any(t.tag_ in POSSESSIVE or t.dep_ in ("amod", "nmod") for t in doc[left:start])
    return Asked(words=f"how many {plain(doc[end:stop])}", start=start, end=stop,
                 head=head if noun is None else noun, fronted=not owned)  # fmt: skip


def _counted(doc: "Doc", end: int, head: "Token") -> "Token | None":
    """The noun that a number counts: right behind it, adjectives between."""
    noun = head.head if head.dep_ in ATTRIBUTIVE | {"quantmod"} else head
    if not end <= noun.i <= end + _FARTHEST_NOUN and end < len(doc):
        noun = doc[end]
    while noun.dep_ == "compound" and noun.head.i > noun.i:
        noun = noun.head
    return noun if noun.i >= end and noun.pos_ in ("NOUN", "PROPN") else None


def _asked_for_ordinal(doc: "Doc", start: int, end: int, head: "Token") -> Asked:
    noun = head.head if head.dep_ in ATTRIBUTIVE | {"advmod"} else head
    if noun.i < end or noun.pos_ not in ("NOUN", "PROPN"):
        start -= start > 0 and doc[start - 1].lower_ == "the"
        return Asked(words="in what place", start=start, end=end, head=head, fronted=False)
    left, stop = noun.left_edge.i, end_of_complement(doc, noun.i + 1)
    before, nouns = doc[left:start], plain(doc[end:stop])
    if len(before) and before[-1].tag_ == "POS":
        # "Otto Hart's third wife": "which wife of Otto Hart"
        nouns += f" of {plain(before[:-1])}"
    elif noun.dep_ == "attr" and not noun.ent_type_:
        return Asked(words=f"what number {nouns}", start=left, end=stop, head=noun)
    return Asked(words=f"which {nouns}", start=left, end=stop, head=noun)
