"""Questions from statements: the wh-phrase first, the auxiliary before the subject.

Where the parse leaves a doubt, the clause keeps its order and the wh-phrase stands in the span's
place: "The mill opened in what year?" can still be read and searched for.
"""

import re
from collections.abc import Collection, Iterable, Sequence
from itertools import takewhile

from pipeline.backends.compact.questions.clauses import (
    Clause,
    clause_of,
    clauses_of,
    phrase_of,
    trimmed,
)
from pipeline.backends.compact.questions.wh_phrases import (
    ATTRIBUTIVE,
    PLACES,
    Asked,
    asked_for_date,
    asked_for_name,
    asked_for_number,
)
from pipeline.backends.compact.text.parsing import Doc, Token
from pipeline.backends.compact.text.spans import Kind, Mention, mentions
from pipeline.backends.compact.text.words import words_in

MOST_TOKENS = 100
"""Tokens that a question is made of: a longer sentence is a list, and asked for in part."""
LEAST_CONTENT = 2
"""Content words that a question needs; the clause around a shorter one is asked instead."""
LONGEST_REST = 12
"""Words of a question behind which a comma parts off what stood before the subject."""
LONGEST_ROW = 3
"""Places in a row that are around each other: a town, a county, a country."""
LONGEST_LIST = 10
"""Words of a list's other members, up to which they are said before the question."""
_OWNERS = {
    "its": ("it", False), "his": ("he", False), "her": ("she", False), "their": ("they", True),
    "our": ("we", True), "my": ("I", True), "your": ("you", True),
}  # fmt: skip
_CONTENT = frozenset({"NOUN", "PROPN", "VERB", "ADJ", "NUM"})
_PLACES = words_in("in at near inside outside to into")
_TIMES = words_in("in on since from until till during by after before between around at circa to")
_ISLANDS = words_in(
    "relcl acl advcl ccomp parataxis dep punct nsubj nsubjpass csubj meta intj mark"
)
"""What nothing is asked out of, if it is to stand at the front."""


def question_for(doc: Doc, start: int, end: int, mention: Mention) -> str:
    """The question for the span `doc[start:end]` of a sentence."""
    if len(doc) > 3 * MOST_TOKENS:
        return question_in_place(doc, start, end, mention)
    is_ordinal = mention.quantity is not None and mention.quantity.form == "ordinal"
    is_before_superlative = any(token.tag_ == "JJS" for token in doc[end : end + 1])
    if is_ordinal and (doc[start:end].root.dep_ == "advmod" or is_before_superlative):
        return whole_question(doc)  # "first opened", "the second highest hill"
    asked = asked_for(doc, start, end, mention)
    head = asked.head
    if asked.owner:
        return finished(f"{asked.words} {_has(asked)}")
    if _is_around(head):
        return finished(_where_is(head.head))
    # A quoted title may have a verb of its own, which is no clause of this sentence.
    inside = head.pos_ in ("VERB", "AUX") and asked.start <= head.i < asked.end
    question = ""
    for clause in clauses_of(head.head if inside else head, keep=asked.places):
        if clause.subject and len(clause.tokens) <= MOST_TOKENS:
            question = _of_subject(clause, asked) or _fronted(clause, asked, mention)
            if question and _says_enough(clause, asked):
                break
    return finished(question) if question else question_in_place(doc, start, end, mention)


def asked_for(doc: Doc, start: int, end: int, mention: Mention) -> Asked:
    """How to ask for `doc[start:end]`, which is the mention."""
    if mention.kind in (Kind.YEAR, Kind.DATE):
        return asked_for_date(doc, start, end, mention)
    if mention.kind is Kind.NUMBER:
        return asked_for_number(doc, start, end, mention)
    return asked_for_name(doc, start, end, mention)


def _has(asked: Asked) -> str:
    """ "did the mill have", of "Each of the mill's two wheels was": whatever is said of them."""
    *owner, mark = asked.owner
    name, is_many = _OWNERS.get(mark.lower_, (_text(owner), False))
    is_many |= any(t.tag_ in ("NNS", "NNPS") for t in owner[-1:])
    clause = clause_of(asked.head)
    is_past = clause is not None and clause.helper in ("did", "was", "were", "had")
    return f"{'did' if is_past else 'do' if is_many else 'does'} {name} have"


def _is_around(head: Token) -> bool:
    """Whether a place is said to be around the one before it, as Ohio in "Troy, Ohio"."""
    inner, between = head.head, head.doc[max(0, head.left_edge.i - 1)]
    are_places = {head.ent_type_, inner.ent_type_} <= PLACES
    is_beside = head.dep_ in ("appos", "conj") and between.text == ","
    return is_beside and are_places and _is_row(head) and _is_row(inner)


def _where_is(place: Token) -> str:
    """ "Where is Troy, where Otto Hart died in 1852", of a place with others behind it."""
    question, clause, leads = f"where is {_text(phrase_of(place))}", clause_of(place), place.head
    is_led = leads.lower_ in _PLACES
    if not is_led or clause is None or not clause.subject or clause.verb != leads.head:
        return question
    rest = trimmed([t for t in clause.rest if t != leads and not leads.is_ancestor(t)])
    said = _phrase(f"{question}, where", _text(clause.subject), clause.implied, _text(rest))
    return _with_lead(said, clause)


def _is_row(head: Token) -> bool:
    """Whether what is parsed as a list is a few nouns without an "and"."""
    nouns = (head, *head.conjuncts)
    joined = any(t.dep_ == "cc" for noun in nouns for t in noun.children)
    return len(nouns) <= LONGEST_ROW and not joined


def _says_enough(clause: Clause, asked: Asked) -> bool:
    """Whether a search for the clause has a chance; else the clause around it is asked."""
    tokens = (*clause.subject, *clause.tokens)
    content = sum(t.pos_ in _CONTENT and t.i not in asked.places for t in tokens)
    return content >= LEAST_CONTENT or clause.verb.dep_ == "conj"


def question_in_place(doc: Doc, start: int, end: int, mention: Mention) -> str:
    """The sentence in its own order, with the wh-phrase where the span stood."""
    asked = asked_for(doc, start, end, mention)
    first = max(0, min(asked.start - MOST_TOKENS // 2, len(doc) - MOST_TOKENS))
    return finished(_in_place(list(doc[first : first + MOST_TOKENS]), asked))


def whole_question(doc: Doc) -> str:
    """A yes-or-no question about a whole sentence."""
    tokens = [t for t in doc[:MOST_TOKENS] if not t.is_space]
    root = next((t for t in tokens if t.dep_ == "ROOT"), None)
    clause = clause_of(root) if root is not None else None
    if root is not None and root.tag_ == "VB" and root.i < 2 < len(tokens):
        return finished(f"should you {_text(tokens)}")
    if clause is None or not clause.subject or clause.helper in ("", "may", "might") or (
        len(clause.tokens) + len(clause.subject) <= 0.7 * len(tokens)
    ):  # fmt: skip
        while len(tokens) > 1 and (tokens[0].dep_ in ("cc", "advmod") or tokens[0].text == ","):
            tokens = tokens[1:]
        return finished(f"is it true that {_text(tokens)}")
    return finished(_inverted(clause, ()))


def _of_subject(clause: Clause, asked: Asked) -> str:
    """ "Who built the mill?": the subject is asked for, and nothing changes places."""
    places = {t.i for t in clause.subject}
    if asked.start not in places or asked.head.dep_ in ATTRIBUTIVE:
        return ""
    group = _others_of_list(asked, places)
    if group is None:
        return ""
    lead, gone = group
    before = _text(t for t in clause.subject if t.i < asked.start and t.i not in gone)
    after = _text(t for t in clause.subject if t.i >= asked.end and t.i not in gone)
    if (before or after) and (lead or (before and after and asked.words in ("who", "what"))):
        return ""
    verbal = _with_lead(_phrase(clause.implied, _text(clause.rest)), clause)
    return lead + _phrase(before, asked.words, after, verbal)


def _fronted(clause: Clause, asked: Asked, mention: Mention) -> str:
    """ "In what year did the mill open?"; "" where the parse leaves a doubt."""
    if not (clause.helper and clause.subject and asked.fronted and _may_leave(asked, clause)):
        return ""
    group = _others_of_list(asked, {t.i for t in clause.tokens})
    if group is None or asked.start in {t.i for t in clause.subject}:
        return ""
    lead, gone = group
    doc, first, last, words = asked.head.doc, min(gone), max(gone), asked.words
    before, after = doc[max(0, first - 1)], doc[min(last + 1, len(doc) - 1)]
    is_range = after.text in "(/–—-" or after.lower_ in ("and", "or") or (
        after.lower_ == "to" and after.pos_ != "PART" and before.lower_ not in ("from", "in", "on")
    )  # fmt: skip
    is_joined = before.tag_ == "CC" or before.text in '(–—-/"“'
    if is_joined or (is_range and mention.kind.is_numeric and after in clause.tokens):
        return ""
    if before.dep_ not in ("prep", "agent") or before not in clause.tokens:
        return _phrase(f"{lead}{words}", _inverted(clause, gone))
    is_of_verb = before.head.pos_ in ("VERB", "AUX", "ADJ")
    if words == "who" and before.lower_ == "in" and is_of_verb:
        words = "which place"  # nobody is born in a person, whatever the name is taken for
    is_place = words.startswith("which place") and before.lower_ in _PLACES
    is_time = mention.kind in (Kind.DATE, Kind.YEAR) and before.lower_ in _TIMES
    if is_place and not lead and (is_of_verb or clause.removed != clause.verb):
        return _phrase(words.replace("which place", "where"), _inverted(clause, gone | {before.i}))
    front = before
    while front.head.dep_ == "prep" or (front.head.dep_ == "pobj" and not (is_time or is_place)):
        front = front.head
    if lead and not is_of_verb and front != before:
        return ""
    ends = last == clause.tokens[-1].i if front != before else before.i == before.head.i + 1
    if words in ("who", "what") and ends:
        return _phrase(f"{lead}{words}", _inverted(clause, gone))
    phrase = [t for t in clause.tokens if front.i <= t.i < first]
    words = "whom" if words == "who" else words
    return lead + _phrase(_text(phrase), words, _inverted(clause, gone | {t.i for t in phrase}))


def _may_leave(asked: Asked, clause: Clause) -> bool:
    """Whether nothing between the phrase and the verb forbids to ask at the front."""
    path = takewhile(lambda token: token != clause.verb, asked.head.ancestors)
    is_free = all(token.dep_ not in _ISLANDS or token.tag_ == "VB" for token in path)
    return is_free and asked.head.dep_ != "appos"


def _others_of_list(asked: Asked, inside: Collection[int]) -> tuple[str, set[int]] | None:
    """("other than …, ", the places of all) of the list that the phrase is a member of.

    ("", its own places) for no list, and None for one that cannot be said so.
    """
    members = sorted([asked.head, *asked.head.conjuncts], key=lambda t: t.i)
    listed = {t.i for t in members[0].subtree} & set(inside)
    is_list = all(m.pos_ in ("NOUN", "PROPN", "NUM") and m.i in listed for m in members)
    if len(members) == 1:
        return "", set(asked.places)
    if not is_list:
        return None
    if _is_row(asked.head):
        return "", listed | set(asked.places)
    rest = _text(t for t in asked.head.doc if t.i in listed and t.i not in asked.places)
    others = re.sub(r"^(?:[,&\s]|and |or )+|(?:[,&\s]| and| or)+$|,(?=\s*,)", "", rest)
    if not others or len(others.split()) > LONGEST_LIST:
        return None
    return f"other than {others}, ", listed


def _inverted(clause: Clause, gone: Collection[int]) -> str:
    """Helper, subject and the rest, without the tokens at the places `gone`."""
    rest = [t for t in clause.rest if t.i not in gone and t != clause.removed]
    said = _phrase(clause.helper, _text(clause.subject), _text(rest, bare=clause.bare))
    return _with_lead(said, clause, gone)


def _with_lead(question: str, clause: Clause, gone: Collection[int] = ()) -> str:
    """The question with what stood before the subject at its end."""
    lead = _text(trimmed([t for t in clause.lead if t.i not in gone]))
    apart = "," if lead and len(question.split()) > LONGEST_REST else ""
    return _phrase(question + apart, lead)


def _in_place(tokens: Sequence[Token], asked: Asked) -> str:
    before = [t for t in tokens if t.i < asked.start]
    after = [t for t in tokens if t.i >= asked.end]
    words = asked.words
    if words == "who" and before and before[-1].pos_ == "ADP":
        words = "whom"
    tight = bool(before) and not before[-1].whitespace_ and before[-1].i == asked.start - 1
    return f"{_text(before)}{'' if tight else ' '}{words} {_text(after)}"


def _phrase(*parts: str) -> str:
    return " ".join(filter(None, parts))


def _text(tokens: Iterable[Token], bare: Token | None = None) -> str:
    """The text of tokens, spaced as they were; a first word loses its place's capital."""
    out: list[str] = []
    previous: Token | None = None
    for token in tokens:
        adjoins = previous is not None and previous.i + 1 == token.i
        if previous is not None and (previous.whitespace_ or not adjoins):
            out.append(" ")
        word = token.lemma_ if token == bare else _small(token)
        out.append("not" if token.lower_ in ("n't", "n’t") and not adjoins else word)
        previous = token
    return "".join(out).strip()


def _small(token: Token) -> str:
    """A word without the capital that its place at the sentence's beginning gave it."""
    if token.i or token.text == "I" or not (len(token) == 1 or token.text[1:].islower()):
        return token.text
    opens_name = any(m.start == token.idx for m in mentions(token.doc.text)[:1])
    is_name = token.ent_type_ and token.pos_ not in ("DET", "ADP", "NUM")
    return token.text if opens_name or is_name else token.lower_


def finished(text: str) -> str:
    """The question with its capital, its mark, and no space before a mark.

    >>> finished("who built the mill ,")
    'Who built the mill?'
    """
    text = re.sub(r"\(\s*\)", "", text)
    text = re.sub(r" ([,;:.)]|['’]s\b)", r"\1", re.sub(r"\s+", " ", text)).strip()
    text = re.sub(r",{2,}", ",", text)
    text = text.rstrip(" .!?;:,–—-(")
    if text.count('"') % 2:
        text = "".join(text.rsplit('"', 1))
    text += ")" * (text.count("(") - text.count(")"))
    return text[:1].upper() + re.sub(r"\s+", " ", text[1:]) + "?"
