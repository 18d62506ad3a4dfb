"""The wh-phrase for a check-worthy span: who, which university, how many windows, in what year."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pipeline.backends.compact.text.spans import Kind, Mention
from pipeline.backends.compact.text.words import words_in

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

_APPROXIMATE = words_in(
    """about around approximately roughly nearly almost some over only estimated exactly just circa
    c c. ca more less fewer than at least most up to as many much total of an a under above below"""
)
_MEASURES = words_in(
    """height length width depth area population age speed weight mass cost price value rate
    average score budget size capacity distance temperature elevation radius diameter volume density
    salary revenue income profit altitude range term rating"""
)
_NUMBERED = words_in(
    """section chapter article route highway channel number no no. page volume grade level stage
    phase act type apollo episode season"""
)
_PARTS_OF_TIME = words_in("century decade year month week day quarter half season")
_COSTS = words_in("cost pay charge be sell buy spend")
_CLASSES = words_in(
    """university college school academy institute museum library hospital church cathedral abbey
    temple river lake bridge street avenue road tower castle palace hotel stadium arena airport park
    island islands mount mountain mountains valley bay sea ocean desert county city province
    district prize award medal cup championship league tournament festival party act treaty
    agreement constitution war battle revolution movement company bank association society
    organization organisation foundation committee commission council court ministry department
    agency army navy orchestra theatre theater studio club team magazine journal channel network
    conference union centre center project line railway station mill factory dam canal square hall
    fort hill creek farm falls cemetery mosque monastery dynasty empire kingdom republic syndrome
    disease theorem"""
)
_KNOWN_BY = {
    "inc": "company", "inc.": "company", "ltd": "company", "corporation": "company",
    "corp": "company", "corp.": "company", "co.": "company", "records": "record label",
    "studios": "studio", "airlines": "airline", "airways": "airline", "states": "country",
    "mount": "mountain", "fc": "club", "theater": "theatre",
}  # fmt: skip
_AGENT_VERBS = words_in(
    """say found establish announce report release publish buy acquire develop produce make sign
    build write direct sue design invent discover create compose perform record argue claim state
    suggest note own hire appoint elect award manufacture commission pass ban fund sponsor launch
    win defeat beat sell marry kill paint sing play conduct train teach invade occupy conquer die
    graduate retire study attend live work serve join move become finish believe think know visit"""
)
_NO_NATION = re.compile(
    r"(?i)(?:republican|democrat|catholic|protestant|christian|muslim|islam|jew|hindu|buddh"
    r"|sunni|shia|orthodox|communis|socialis|conservativ|liberal|nazi|slav|germanic|celt)"
)
_HAPPENS_TO_PERSONS = words_in(
    "bear elect appoint marry arrest sentence convict nominate educate hire raise imprison bury"
)
_PERSONAL = words_in("he she his her him who whose himself herself")


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The words that ask for a span, and the tokens of the sentence that they stand for."""

    words: str
    start: int
    end: int
    head: "Token"
    """The noun of the phrase that is asked for."""
    fronted: bool = True
    """Whether the words make sense at the beginning of a question."""
    is_place: bool = False


def asked_for(doc: "Doc", start: int, end: int, mention: Mention) -> Asked:
    """How to ask for `doc[start:end]`, which is the mention."""
    head = doc[start:end].root
    if mention.kind in (Kind.YEAR, Kind.DATE):
        return _for_date(doc, start, end, head, mention)
    if mention.kind is Kind.NUMBER:
        return _for_number(doc, start, end, head, mention)
    return _for_name(doc, start, end, head, mention)


def _for_date(doc: "Doc", start: int, end: int, head: "Token", mention: Mention) -> Asked:
    date = mention.date
    if mention.kind is Kind.YEAR:
        words = "what decade" if date is not None and date.is_decade else "what year"
    elif date is not None and date.day is not None:
        words = "what date"
    else:
        words = "what month" if date is None or date.year is None else "what month and year"
    noun = head.head
    if head.dep_ in ("nummod", "compound", "amod", "nmod") and noun.i >= end:
        # "the 1912 film" is the film of a year.
        left = noun.left_edge.i
        before, after = _plain(doc[left:start]), _plain(doc[end : noun.i + 1])
        phrase = f"{before} {after} of {words}".strip()
        return Asked(words=phrase, start=left, end=noun.i + 1, head=noun, fronted=False)
    while start and doc[start - 1].lower_ in ("the", "year", "about", "around", "circa", "c."):
        start -= 1
    return Asked(words=words, start=start, end=end, head=head)


def _for_number(doc: "Doc", start: int, end: int, head: "Token", mention: Mention) -> Asked:
    form = mention.quantity.form if mention.quantity else "cardinal"
    noun = _counted(doc, end, head)
    if form == "ordinal":
        return _for_ordinal(doc, start, end, head)
    if _is_age(doc, start, end, head):
        start -= doc[start - 1].lower_ == "aged"
        return Asked(words="how old", start=start, end=end, head=head)
    while start and doc[start - 1].lower_ in _APPROXIMATE and not _is_object_of(doc[start - 1]):
        start -= 1
    if form == "money" or (noun is not None and noun.lower_ in ("dollars", "euros")):
        stop = end if noun is None or form == "money" else noun.i + 1
        verb = head.head if head.dep_ in ("dobj", "attr", "npadvmod") else None
        much = "how much" if verb is not None and verb.lemma_ in _COSTS else "how much money"
        return Asked(words=much, start=start, end=stop, head=head)
    if form == "percent":
        stop = _of_end(doc, end)
        words = f"what percentage {_plain(doc[end:stop])}".rstrip()
        return Asked(words=words, start=start, end=stop, head=head)
    before = doc[start - 1] if start else None
    if before is not None and before.lower_ in _NUMBERED and before.dep_ != "prep":
        word = "number" if before.lower_ in ("no", "no.") else before.lower_
        return Asked(words=f"which {word}", start=start - 1, end=end, head=before)
    if noun is None:
        stop = _of_end(doc, end)
        if stop > end:
            words = f"how many {_plain(doc[end:stop])}"
            return Asked(words=words, start=start, end=stop, head=head)
        if before is not None and before.lower_ == "of" and before.head.lower_ in _MEASURES:
            return _measure(doc, before, end)
        bare = head.dep_ in ("dobj", "attr", "nsubj", "nsubjpass", "pobj")
        return Asked(words="how many" if head.dep_ == "dobj" else "what number", start=start,
                     end=end, head=head, fronted=bare)  # fmt: skip
    if before is not None and before.lower_ == "of" and before.head.lower_ in _MEASURES:
        return _measure(doc, before, noun.i + 1)
    nouns = _plain(doc[end : noun.i + 1])
    stop = noun.i + 1
    scale = doc[stop] if stop < len(doc) else None
    if scale is not None and scale == noun.head and scale.pos_ in ("ADJ", "ADV"):
        # "12 metres high", "three years later", "34 years old"
        if scale.lower_ == "old":
            return Asked(words="how old", start=start, end=stop + 1, head=scale)
        stop = _of_end(doc, stop + 1)
        words = f"how many {nouns} {_plain(doc[scale.i : stop])}"
        return Asked(words=words, start=start, end=stop, head=scale)
    stop = _of_end(doc, stop)
    nouns = _plain(doc[end:stop])
    fronted = True
    if before is not None and before.head == noun:
        if before.tag_ == "DT":
            start -= 1
        elif before.tag_ in ("PRP$", "POS") or before.dep_ in ("amod", "nmod"):
            fronted = False  # "his 12 windows", "the first 12 windows"
    return Asked(words=f"how many {nouns}", start=start, end=stop, head=noun, fronted=fronted)


def _counted(doc: "Doc", end: int, head: "Token") -> "Token | None":
    """The noun that a number counts: right behind it, adjectives between."""
    noun = head.head if head.dep_ in ("nummod", "quantmod", "compound", "amod", "nmod") else None
    while noun is not None and noun.dep_ == "compound" and noun.head.i > noun.i:
        noun = noun.head
    if noun is None or noun.i < end or noun.i > end + 6 or noun.pos_ not in ("NOUN", "PROPN"):
        follower = doc[end] if end < len(doc) else None
        noun = follower if follower is not None and follower.pos_ == "NOUN" else None
        while noun is not None and noun.dep_ == "compound" and noun.head.i == noun.i + 1:
            noun = noun.head
    return noun


def _is_object_of(token: "Token") -> bool:
    """Whether a small word before a number is a preposition that the verb needs."""
    following = token.nbor(1) if token.i + 1 < len(token.doc) else token
    if token.lower_ in ("of", "at", "to", "as"):
        before = token.nbor(-1).lower_ if token.i else ""
        pairs = {"of": ("total",), "to": ("up",), "as": ("many", "much"), "at": ()}
        return before not in pairs[token.lower_] and following.lower_ not in (
            "least", "most", "many", "much",
        )  # fmt: skip
    return token.dep_ == "prep" and token.lower_ in ("under", "above", "below", "around")


def _is_age(doc: "Doc", start: int, end: int, head: "Token") -> bool:
    before = doc[start - 1].lower_ if start else ""
    if before == "aged":
        return True
    ends = end >= len(doc) or doc[end].is_punct or doc[end].dep_ in ("mark", "advmod")
    subject = next((c for c in head.head.children if c.dep_ == "nsubj"), None)
    return (
        ends and head.dep_ in ("attr", "acomp") and head.text.isdigit() and subject is not None
        and (subject.lower_ in _PERSONAL or subject.ent_type_ == "PERSON")
    )  # fmt: skip


def _measure(doc: "Doc", of: "Token", end: int) -> Asked:
    """ "a height of 12 metres": what height."""
    noun = of.head
    start = noun.left_edge.i
    words = "what " + _plain(t for t in doc[start : noun.i + 1] if t.dep_ not in ("det", "poss"))
    has_owner = any(t.dep_ == "poss" for t in doc[start : noun.i])
    return Asked(words=words, start=start, end=end, head=noun, fronted=not has_owner)


def _for_ordinal(doc: "Doc", start: int, end: int, head: "Token") -> Asked:
    noun = head.head if head.dep_ in ("amod", "compound", "nmod", "nummod", "advmod") else head
    if noun.i < end or noun.pos_ not in ("NOUN", "PROPN"):
        left = start - 1 if start and doc[start - 1].lower_ == "the" else start
        return Asked(words="in what place", start=left, end=end, head=head, fronted=False)
    before = doc[start - 1] if start else None
    left = noun.left_edge.i
    stop = _of_end(doc, noun.i + 1)
    nouns = _plain(doc[end:stop])
    if before is not None and before.tag_ in ("PRP$", "POS"):
        # "on his third voyage": "on which voyage"; whose it was is said by the rest.
        owner = f" of {_plain(doc[left : start - 1])}" if before.tag_ == "POS" else ""
        return Asked(words=f"which {nouns}{owner}", start=left, end=stop, head=noun)
    counted = noun.dep_ == "attr" and noun.lower_ not in _PARTS_OF_TIME
    word = "what number" if counted else "which"
    start -= before is not None and before.tag_ == "DT"
    return Asked(words=f"{word} {nouns}", start=start, end=stop, head=noun)


def _of_end(doc: "Doc", end: int) -> int:
    """Where a short "of the windows" behind `end` ends; `end` itself where none follows."""
    if end < len(doc) and doc[end].lower_ == "of" and doc[end].n_rights:
        noun = next((c for c in doc[end].children if c.dep_ == "pobj"), None)
        if noun is not None and noun.i - end <= 6:
            return int(noun.i) + 1
    return end


def _for_name(doc: "Doc", start: int, end: int, head: "Token", mention: Mention) -> Asked:
    label = head.ent_type_ or next((t.ent_type_ for t in doc[start:end] if t.ent_type_), "")
    if label in ("GPE", "NORP") and len(mention.text) > 1 and mention.text.isupper():
        label = label if mention.text in ("US", "UK", "USA", "UAE", "EU") else ""
    quoted = mention.kind is Kind.TITLE
    if quoted and start and doc[start - 1].is_quote:
        stop = end + (end < len(doc) and doc[end].text in ",.")
        if stop < len(doc) and doc[stop].is_quote:
            start, end = start - 1, stop + 1
    while (
        start
        and not quoted
        and doc[start - 1].text[:1].isupper()
        and (
            doc[start].ent_iob_ == "I"
            or (doc[start - 1].dep_ == "compound" and start <= doc[start - 1].head.i < end)
        )
    ):
        start -= 1  # a part of a name is asked for with the name
    after = doc[end] if end < len(doc) else None
    article = start > 0 and doc[start - 1].lower_ in ("the", "a", "an")
    word = _class_of(doc, start, end, mention)
    if after is not None and after.tag_ == "POS":
        places = ("GPE", "LOC", "FAC", "EVENT")
        words = f"which {word or _sort(label)}'s" if word or label in places else "whose"
        owned = head.head
        whole = head.dep_ == "poss" and owned.i > after.i
        stop = owned.i + 1 if whole else end + 1
        words += " " + _plain(doc[end + 1 : stop])
        return Asked(words=words.strip(), start=start - article, end=stop,
                     head=owned if whole else head)  # fmt: skip
    noun = head.head
    if (
        not quoted and noun.i >= end and noun.pos_ in ("NOUN", "PROPN") and noun.i - end <= 3
        and head.dep_ in ("compound", "amod", "nmod", "npadvmod")
        and not any(t.tag_ == "CC" for t in doc[end : noun.i])
    ):  # fmt: skip
        return _attribute(doc, start, end, noun, label)
    left = _class_before(doc, start)
    if left < start:
        begin = left - (left > 0 and doc[left - 1].tag_ in ("DT",))
        return Asked(words=f"which {_plain(doc[left:start])}", start=begin, end=end,
                     head=_outer(head, begin))  # fmt: skip
    if article:
        start -= 1
    apposed = _class_after(doc, end, head)
    if apposed is not None:
        return Asked(words=f"which {apposed[0]}", start=start, end=apposed[1], head=head)
    if quoted:
        return Asked(words="what", start=start, end=end, head=head)
    if word:
        is_place = label in ("GPE", "LOC", "FAC")
        return Asked(words=f"which {word}", start=start, end=end, head=head, is_place=is_place and
                     word in ("city", "county", "state"))  # fmt: skip
    verb = head.head
    if label != "PERSON" and _is_tongue(doc, mention.text):
        label = "LANGUAGE"
    acts = (head.dep_ == "nsubj" and verb.lemma_ in _AGENT_VERBS) or (
        head.dep_ == "nsubjpass" and verb.lemma_ in _HAPPENS_TO_PERSONS
    )
    if label in ("GPE", "LOC", "FAC") and not acts:
        stop = _region_end(doc, end, head)
        words = _sort(label)
        if stop > end:
            region = next(t for t in doc[end:stop] if not t.is_punct)
            words = f"place in {_plain(doc[region.i : stop]).rstrip(' ,')}"
        return Asked(words=f"which {words}", start=start, end=stop, head=head, is_place=True)
    if label == "NORP" and not mention.text.endswith("ism"):
        nation = "people" if not _NO_NATION.match(mention.text) else "group"
        return Asked(words=f"which {nation}", start=start, end=end,
                     head=head)  # fmt: skip
    if label in ("EVENT", "LANGUAGE", "LAW"):
        return Asked(words=f"which {_sort(label)}", start=start, end=end, head=head)
    person = label == "PERSON" and not article
    if label in ("ORG", "", "PRODUCT", "GPE", "LOC", "FAC") or article:
        person = (
            acts
            or (start > 0 and doc[start - 1].dep_ == "agent")
            or _is_called_he(doc, start, head)
        )
    return Asked(words="who" if person else "what", start=start, end=end, head=head)


def _outer(head: "Token", start: int) -> "Token":
    """The noun that a name in apposition hangs on, where that noun is asked for too."""
    while head.dep_ in ("appos", "compound", "nmod") and head.head.i >= start and head.head != head:
        head = head.head
    return head


def _sort(label: str) -> str:
    return {"GPE": "place", "LOC": "place", "FAC": "place", "ORG": "organization",
            "EVENT": "event", "LANGUAGE": "language", "LAW": "law"}.get(label, "thing")  # fmt: skip


def _class_of(doc: "Doc", start: int, end: int, mention: Mention) -> str:
    """What a name's own words say it is: "bridge" of Forth Bridge, "university" of … of …"""
    if mention.kind is Kind.TITLE or end - start < 2:
        return ""
    words = [t.lower_ for t in doc[start:end]]
    place = words.index("of") - 1 if "of" in words[1:] else len(words) - 1
    word = words[max(place, 0)]
    if words[0] in ("lake", "mount", "river", "fort"):
        return _KNOWN_BY.get(words[0], words[0])
    # "the Coe Motorway" is a motorway; a plural may be a club or a band.
    article = start > 0 and doc[start - 1].lower_ == "the"
    if article and word.isalpha() and not word.endswith("s") and doc[end - 1].text.istitle():
        return _KNOWN_BY.get(word, word)
    return _KNOWN_BY.get(word, word if word in _CLASSES else "")


def _class_before(doc: "Doc", start: int) -> int:
    """Where the class noun in front of a name begins: "film" of "the 1990 film Corn Song"."""
    left = start
    while (
        left
        and start - left < 4
        and doc[left - 1].pos_ in ("NOUN", "ADJ", "NUM")
        and (left < start or (doc[left - 1].tag_ == "NN" and doc[left - 1].text.islower()))
    ):
        left -= 1
    if left == start:
        return start
    noun, before = doc[start - 1], doc[left - 1] if left else None
    bound = noun.dep_ in ("compound", "nmod") and noun.head.i >= start
    apposed = any(c.i >= start and c.dep_ in ("appos", "nmod") for c in noun.children)
    if not (bound or apposed) or (before is not None and before.tag_ in ("PRP$", "POS")):
        return start
    return left


def _class_after(doc: "Doc", end: int, head: "Token") -> tuple[str, int] | None:
    """(class, end) of ", a builder," behind a name."""
    if end + 2 >= len(doc) or doc[end].text != "," or doc[end + 1].lower_ not in ("a", "an"):
        return None
    noun = next((c for c in head.children if c.dep_ == "appos" and c.i > end), None)
    if noun is None or noun.left_edge.i != end + 1 or noun.i - end > 5:
        return None
    stop = noun.right_edge.i + 1
    if stop - end > 8:
        return None
    closes = stop < len(doc) and doc[stop].text == ","
    return _plain(doc[end + 2 : stop]), stop + closes


def _region_end(doc: "Doc", end: int, head: "Token") -> int:
    """Where ", London," behind Camden ends."""
    if end + 1 >= len(doc) or doc[end].text != "," or doc[end + 1].ent_type_ not in ("GPE", "LOC"):
        return end
    if doc[end + 1].dep_ not in ("appos", "npadvmod", "conj", "compound") or head.dep_ == "conj":
        return end
    if any(c.dep_ == "cc" for c in head.children):
        return end
    stop = end + 1
    while stop < len(doc) and doc[stop].ent_type_ in ("GPE", "LOC"):
        stop += 1
    return stop + (stop < len(doc) and doc[stop].text == ",")


def _attribute(doc: "Doc", start: int, end: int, noun: "Token", label: str) -> Asked:
    """A name in front of a noun: "a German builder", "the Hart mill"."""
    left = noun.left_edge.i
    before = doc[left:start]
    nouns = f"{_plain(t for t in before if t.tag_ != 'DT')} {_plain(doc[end : noun.i + 1])}".strip()
    if len(before) == 1 and before[0].tag_ == "PRP$":
        return Asked(words=f"which {_plain(doc[end : noun.i + 1])}", start=left, end=noun.i + 1,
                     head=noun)  # fmt: skip
    is_part = noun.dep_ in ("compound", "nmod") and noun.head.i > noun.i
    if is_part or any(t.tag_ in ("PRP$", "POS", "CC") for t in before):
        return Asked(words="which", start=start, end=end, head=noun, fronted=False)
    if label == "NORP" and not _NO_NATION.match(doc[start].text):
        article = before[0].lower_ if len(before) and before[0].tag_ == "DT" else ""
        stop = noun.i + 1
        while stop < len(doc) and doc[stop].pos_ == "PROPN":
            stop += 1
        subject = doc[stop - 1] if doc[stop - 1].dep_ in ("nsubj", "nsubjpass") else noun
        if doc[stop - 1].pos_ == "PROPN" and subject.dep_ in ("nsubj", "nsubjpass"):
            # "The German builder Otto Hart moved."
            words = f"what nationality was the {_plain(doc[end:stop])} who"
            return Asked(words=words, start=left, end=stop, head=subject, fronted=False)
        if article in ("a", "an"):
            article = "an" if nouns[:1] in "aeiou" else "a"
        return Asked(words=f"{article} {nouns} of what nationality".strip(), start=left,
                     end=noun.i + 1, head=noun, fronted=False)  # fmt: skip
    word = "which" if label not in ("PERSON",) or noun.pos_ == "NOUN" else "what"
    return Asked(words=f"{word} {nouns}", start=left, end=noun.i + 1, head=noun)


def _is_tongue(doc: "Doc", name: str) -> bool:
    """Whether the name of a people stands for its language."""
    is_like = name.endswith(("sh", "ese", "an", "ch", "ic", "Greek", "Hindi"))
    return is_like and any(
        t.lemma_ in ("speak", "write", "sing", "translate", "language") for t in doc
    )


def _is_called_he(doc: "Doc", start: int, head: "Token") -> bool:
    """Whether the sentence calls its first name he or she."""
    return head.dep_ in ("nsubj", "nsubjpass") and start < 3 and head.n_lefts < 2 and any(
        t.lower_ in ("he", "she", "his", "her", "himself", "herself") for t in doc[start:]
    )  # fmt: skip


def _plain(tokens: "Iterable[Token]") -> str:
    """Tokens as a phrase in the middle of a sentence."""
    return "".join(t.text_with_ws for t in tokens).strip()
