"""The words that ask for a check-worthy span, and the tokens of its sentence they stand for.

How many windows, in what year, on which voyage, who, which university, whose mill, what
nationality.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from pipeline.backends.compact.text.parsing import Doc, Token
from pipeline.backends.compact.text.spans import Kind, Mention
from pipeline.backends.compact.text.words import words_in

ATTRIBUTIVE = frozenset({"compound", "amod", "nmod", "nummod", "npadvmod"})
"""How a word hangs on the noun behind it."""
POSSESSIVE = frozenset({"PRP$", "POS"})
_MEASURES = words_in(
    """height length width depth area population age speed weight cost price value rate average
    score size capacity distance temperature"""
)
_VAGUE = frozenset({"quantmod", "advmod", "amod"})
_BEFORE_DATES = words_in(
    "the year about around circa c. early mid late spring summer autumn fall winter"
)
_FARTHEST_NOUN = 6
"""Tokens behind a number up to the noun that it counts."""
_CLASSES = words_in(
    """university college school academy institute museum library hospital church cathedral river
    lake canal bridge street road motorway tower castle palace stadium airport park island hill
    mountain valley bay sea county city hall province district kingdom empire embassy prize award
    medal cup championship league festival revolution act treaty war battle company bank society
    association council court senate department agency theatre club magazine union center code
    flag orchestra choir regiment monument memorial temple abbey gallery mall plant station
    pantheon prince princess king queen duke duchess emperor"""
)
_AREAS = words_in("city town village municipality county province state region island district")
_SORTS = {
    "GPE": "place", "LOC": "place", "FAC": "place", "EVENT": "event", "LANGUAGE": "language",
    "NORP": "people",
}  # fmt: skip
PLACES = frozenset({"GPE", "LOC", "FAC"})
_PERSONAL_VERBS = words_in(
    """say bear elect appoint marry die sing paint write compose direct found build win defeat beat
    act teach discover invent"""
)
_DONE_TO_PERSONS = words_in("bear elect appoint marry defeat beat")
_LONGEST_ASIDE = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The words that ask for a span, and the tokens of the sentence that they stand for."""

    words: str
    start: int
    end: int
    head: Token
    """The noun of the phrase that is asked for."""
    fronted: bool = True
    """Whether the words make sense at the beginning of a question."""
    owner: tuple[Token, ...] = ()
    """The "the mill's" of "the mill's two wheels", the "its" of "its two wheels"."""

    @property
    def places(self) -> range:
        return range(self.start, self.end)


def plain(tokens: Iterable[Token]) -> str:
    """Tokens as a phrase behind a wh-word, without their article."""
    return re.sub(r"^(?:the|an?) ", "", "".join(t.text_with_ws for t in tokens).strip(), flags=re.I)


def end_of_complement(doc: Doc, end: int) -> int:
    """Where a short "of the windows" behind `end` ends; `end` itself where none follows."""
    if end < len(doc) and doc[end].lower_ == "of":
        noun = next((child for child in doc[end].children if child.dep_ == "pobj"), None)
        if noun is not None:
            return int(noun.i) + 1
    return end


def asked_for_date(doc: Doc, start: int, end: int, mention: Mention) -> Asked:
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
    while start and doc[start - 1].lower_ in _BEFORE_DATES:
        start -= 1
    return Asked(words=words, start=start, end=end, head=head)


def asked_for_number(doc: Doc, start: int, end: int, mention: Mention) -> Asked:
    """How to ask for `doc[start:end]`, a number: "how many windows"."""
    head = doc[start:end].root
    form = mention.quantity.form if mention.quantity else "cardinal"
    if form == "ordinal":
        return _asked_for_ordinal(doc, start, end, head)
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
    owned = any(t.tag_ in POSSESSIVE or t.dep_ in ("amod", "nmod") for t in doc[left:start])
    # No measures, as in "the river's 12 kilometres", which are entities with their unit.
    is_things = noun is not None and noun.tag_ == "NNS" and not noun.ent_type_
    is_of_owner = is_things and left < start and doc[start - 1].tag_ in POSSESSIVE
    return Asked(words=f"how many {plain(doc[end:stop])}", start=start, end=stop,
                 head=head if noun is None else noun, fronted=not owned,
                 owner=tuple(doc[left:start]) if is_of_owner else ())  # fmt: skip


def _counted(doc: Doc, end: int, head: Token) -> Token | None:
    """The noun that a number counts: right behind it, adjectives between."""
    noun = head.head if head.dep_ in ATTRIBUTIVE | {"quantmod"} else head
    if not end <= noun.i <= end + _FARTHEST_NOUN and end < len(doc):
        noun = doc[end]
    return noun if noun.i >= end and noun.pos_ in ("NOUN", "PROPN") else None


def _asked_for_ordinal(doc: Doc, start: int, end: int, head: Token) -> Asked:
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


def asked_for_name(doc: Doc, start: int, end: int, mention: Mention) -> Asked:
    """How to ask for `doc[start:end]`, a name or title: "which university"."""
    start, end, head = *_whole(doc, start, end, mention), doc[start:end].root
    label = head.ent_type_ or doc[start].ent_type_
    is_spoken = any(t.lemma_ in ("speak", "write", "sing", "translate", "language") for t in doc)
    if is_spoken and (label == "NORP" or head.text.endswith("sh")) and label != "PERSON":
        label = "LANGUAGE"
    quoted = mention.kind is Kind.TITLE
    article = start > 0 and doc[start - 1].lower_ in ("the", "a", "an")
    word = "" if quoted else _class_within(doc, start, end)
    if end < len(doc) and doc[end].tag_ == "POS":
        is_thing = word or label in PLACES or label == "EVENT"
        words = f"which {word or _SORTS[label]}'s" if is_thing else "whose"
        owned = head.head if head.dep_ == "poss" and head.head.i > end else doc[end]
        return Asked(words=f"{words} {plain(doc[end + 1 : owned.i + 1])}".strip(),
                     start=start - article, end=owned.i + 1,
                     head=head if owned == doc[end] else owned)  # fmt: skip
    noun = head.head
    is_before_noun = head.dep_ in ATTRIBUTIVE and end <= noun.i <= end + 3
    if not quoted and is_before_noun and not any(t.tag_ == "CC" for t in doc[end : noun.i]):
        return _asked_by_noun(doc, start, end, noun, label)
    left = _class_before(doc, start)
    stop, aside = _aside(doc, end, head)
    if left < start:
        words = f"which {plain(doc[left:start]).removesuffix(' of')}"
        if aside.startswith("place in "):  # "the town of Troy, Ohio": "which town in Ohio"
            words, end = words + aside.removeprefix("place"), stop
        left -= left > 0 and doc[left - 1].tag_ == "DT"
        while head.dep_ in ATTRIBUTIVE | {"appos"} and head.head.i >= left:
            head = head.head
        return Asked(words=words, start=left, end=end, head=head)
    # NORP is also the label of one Republican and, wrongly, of Kent.
    is_sort = label in _SORTS and not (label == "NORP" and head.tag_ == "NNP")
    is_called_so = is_sort and not quoted and not _acts(head, start, label)
    sort = aside if aside and not quoted else word or (_SORTS[label] if is_called_so else "")
    person = (not article and label == "PERSON") or _acts(head, start, label)
    words = f"which {sort}" if sort else "who" if person and not quoted else "what"
    left = start - article
    while left and doc[left - 1].head == head and doc[left - 1].dep_ in ("det", "amod"):
        left -= 1  # "the new Parliament House"
    return Asked(words=words, start=left, end=stop, head=head)


def _whole(doc: Doc, start: int, end: int, mention: Mention) -> tuple[int, int]:
    """The tokens of a title with its quotation marks, of a part of a name those of the name."""
    if mention.kind is Kind.TITLE and start and doc[start - 1].is_quote:
        stop = end + (end < len(doc) and doc[end].text in ",.")
        return (start - 1, stop + 1) if stop < len(doc) and doc[stop].is_quote else (start, end)
    while start and doc[start - 1].text[:1].isupper() and (
        doc[start].ent_iob_ == "I"
        or (doc[start - 1].dep_ == "compound" and start <= doc[start - 1].head.i < end)
    ):  # fmt: skip
        start -= 1
    return start, end


def _acts(head: Token, start: int, label: str) -> bool:
    """Whether a name does what persons and companies do, or has it done."""
    verb = head.head
    is_agent = start > 0 and head.doc[start - 1].dep_ == "agent"
    is_subject = head.dep_ in ("nsubj", "nsubjpass") and verb.pos_ == "VERB"
    called_he = head.i < 3 and any(t.lower_ in ("he", "she", "his", "her") for t in head.doc)
    is_active_company = label == "ORG" and head.dep_ == "nsubj"
    verbs = _PERSONAL_VERBS if head.dep_ == "nsubj" else _DONE_TO_PERSONS
    is_personal = called_he or is_active_company or verb.lemma_ in verbs
    return is_agent or (is_subject and is_personal)


def _class_within(doc: Doc, start: int, end: int) -> str:
    """What a name's own words say it is: "bridge" of Forth Bridge, "university" of … of …"""
    words = [t.lower_ for t in doc[start:end]]
    if len(words) < 2:
        return ""
    if words[0] in ("lake", "mount", "river", "fort"):
        return words[0].replace("mount", "mountain")
    joined = [words[i - 1] for i in range(1, len(words)) if words[i] in ("of", "in", "for")]
    word = words[words.index("of") - 1 if "of" in words[1:] else -1]
    if joined and joined[0] in _CLASSES:
        word = joined[0]  # the prize of "Nobel Prize in Chemistry"
    return word if word in _CLASSES else ""


def _class_before(doc: Doc, start: int) -> int:
    """Where the class noun in front of a name begins: "film" of "the 1990 film Corn Song"."""
    if start > 2 and doc[start - 1].lower_ == "of" and doc[start - 2].lower_ in _AREAS:
        # "the town of Troy"; the northern region of a country is not the country.
        return start - 2 if doc[start - 3].tag_ == "DT" else start
    noun = doc[start - 1] if start else None
    if noun is None or noun.tag_ != "NN" or not noun.text.islower():
        return start
    bound = noun.dep_ in ATTRIBUTIVE and noun.head.i >= start
    if not bound and not any(c.i >= start and c.dep_ in ("appos", "nmod") for c in noun.children):
        return start
    left = noun.i
    while left and start - left < 4 and doc[left - 1].pos_ in ("NOUN", "ADJ", "NUM"):
        left -= 1
    return start if left and doc[left - 1].tag_ in POSSESSIVE else left


def _aside(doc: Doc, end: int, head: Token) -> tuple[int, str]:
    """(end, class) of what is said besides: ", a builder,", ", London,", ", who lived there,"."""
    for child in head.rights if head.dep_ != "ROOT" else ():
        left, stop = child.left_edge.i, child.right_edge.i + 1
        is_beside = left == end + 1 and doc[end].text in ",("
        if not is_beside or child.dep_ not in ("appos", "relcl", "acl"):
            continue
        said = plain(doc[left:stop])
        stop += stop < len(doc) and doc[stop].text in ",)"
        if child.ent_type_ in ("GPE", "LOC"):
            return stop, f"place in {said}"
        is_class = child.dep_ == "appos" and doc[left].tag_ == "DT" and stop - end <= _LONGEST_ASIDE
        return stop, said if is_class else ""
    return end, ""


def _asked_by_noun(doc: Doc, start: int, end: int, noun: Token, label: str) -> Asked:
    """A name in front of a noun: "a German builder", "the Hart mill"."""
    left = noun.left_edge.i
    before = doc[left:start]
    others = plain([*before, *doc[end : noun.i + 1]])
    if any(t.tag_ in POSSESSIVE or t.tag_ == "CC" for t in before) or (
        noun.dep_ in ATTRIBUTIVE and noun.head.i > noun.i
    ):  # fmt: skip
        return Asked(words="which", start=start, end=end, head=noun, fronted=False)
    if label != "NORP":
        return Asked(words=f"which {others}", start=left, end=noun.i + 1, head=noun)
    stop = noun.i + 1
    while stop < len(doc) and doc[stop].pos_ == "PROPN":
        stop += 1
    is_subject = "nsubj" in (noun.dep_, doc[stop - 1].dep_)
    if before.text.lower() == "the" and doc[stop - 1].pos_ == "PROPN" and is_subject:
        # "The German builder Otto Hart moved."
        words = f"what nationality was the {plain(doc[end:stop])} who"
        head = noun if noun.dep_ == "nsubj" else doc[stop - 1]
        return Asked(words=words, start=left, end=stop, head=head)
    return Asked(words=f"what nationality of {others}", start=left, end=noun.i + 1, head=noun)
