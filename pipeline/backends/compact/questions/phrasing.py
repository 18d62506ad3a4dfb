"""Questions from statements: the wh-phrase first, the auxiliary before the subject.

Where the parse leaves a doubt, the clause keeps its order and the wh-phrase stands in the span's
place: "The mill opened in what year?" can still be read and searched for.
"""

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from pipeline.backends.compact.questions.clauses import (
    CONTENT,
    Clause,
    clause_of,
    clauses_of,
    conjuncts_of,
    trimmed,
)
from pipeline.backends.compact.questions.wh_phrases import Asked, asked_for
from pipeline.backends.compact.text.spans import Kind, Mention, mentions
from pipeline.backends.compact.text.words import words_in

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

MOST_TOKENS = 100
"""Tokens that a question is made of: a longer sentence is a list, and asked for in part."""
LEAST_CONTENT = 2
"""Content words that a question needs; the clause around a shorter one is asked instead."""
LONGEST_REST = 12
"""Words of a question behind which a comma parts off what stood before the subject."""
LONGEST_STRANDING = 8
"""Tokens before a preposition that may be left behind: "Who was the mill built by?"."""
_TIMES = words_in("in on since from until till during by after before between around at circa to")
_PLACES = words_in("in at near inside outside to into")
_PAST_LIKE_PARTICIPLE = words_in(
    """built made held led won bought sold told taught kept left sent found brought caught fought
    lost met paid put read said set shot spent thought understood"""
)
_OBJECTS = {"he": "him", "she": "her", "they": "them", "we": "us", "I": "me"}
_ENDING = frozenset({"ADP", "PUNCT", "ADV", "SCONJ", "CCONJ", "PART"})
# What may stand between a span and its clause's verb, if it is to be asked for at the front.
_PATH = words_in(
    """pobj prep agent dobj attr npadvmod advmod oprd dative xcomp acomp pcomp nummod amod compound
    quantmod nmod nsubj nsubjpass expl conj"""
)


def question_for(doc: "Doc", start: int, end: int, mention: Mention) -> str:
    """The question for the span `doc[start:end]` of a sentence."""
    if len(doc) > 3 * MOST_TOKENS:
        return question_in_place(doc, start, end, mention)
    if _tells_when(doc[start:end].root, mention):
        return whole_question(doc)
    asked = asked_for(doc, start, end, mention)
    # A quoted title may have a verb of its own, which is no clause of this sentence.
    inside = asked.head.pos_ in ("VERB", "AUX") and asked.start <= asked.head.i < asked.end
    for clause in clauses_of(
        asked.head.head if inside else asked.head, keep=doc[asked.start : asked.end]
    ):
        if len(clause.tokens) <= MOST_TOKENS and _says_enough(clause, asked):
            question = _of_subject(clause, asked, mention) or _fronted(clause, asked, mention)
            return finished(question or _clause_in_place(clause, asked))
    return question_in_place(doc, start, end, mention)


def _tells_when(head: "Token", mention: Mention) -> bool:
    """Whether an ordinal counts nothing: "first opened", "the second highest hill"."""
    if mention.quantity is None or mention.quantity.form != "ordinal":
        return False
    return head.head.tag_ in ("JJS", "RBS") or (
        head.dep_ == "advmod" and head.head.pos_ in ("VERB", "AUX")
    ) or any(c.tag_ in ("JJS", "RBS") and c.i > head.i for c in head.head.children)  # fmt: skip


def _says_enough(clause: Clause, asked: Asked) -> bool:
    """Whether a search for the clause has a chance; else the clause around it is asked."""
    tokens = (*clause.subject, *clause.tokens, *clause.gap)
    rest = (t for t in tokens if not asked.start <= t.i < asked.end)
    return (
        clause.verb.dep_ in ("ROOT", "conj", "parataxis", "ccomp")
        or sum(t.pos_ in CONTENT for t in rest) >= LEAST_CONTENT
    )


def question_in_place(doc: "Doc", start: int, end: int, mention: Mention) -> str:
    """The sentence in its own order, with the wh-phrase where the span stood."""
    asked = asked_for(doc, start, end, mention)
    first = max(0, min(asked.start - MOST_TOKENS // 2, len(doc) - MOST_TOKENS))
    return finished(_in_place(list(doc[first : first + MOST_TOKENS]), asked))


def whole_question(doc: "Doc") -> str:
    """A yes-or-no question about a whole sentence."""
    tokens = [t for t in doc[:MOST_TOKENS] if not t.is_space]
    root = next((t for t in tokens if t.dep_ == "ROOT"), None)
    clause = clause_of(root, is_whole=True) if root is not None else None
    if root is None or clause is None:
        if root is not None and root.tag_ == "VB" and root.i < 2 and len(tokens) > 2:
            return finished(f"should you {_text(tokens)}")
        return finished(f"is it true that {_text(tokens)}")
    covered = len(clause.tokens) + len(clause.subject) > 0.7 * len(tokens)
    joined = not covered or any(
        t.dep_ == "conj" and t.pos_ in ("VERB", "AUX") for t in root.children
    )
    if joined or not clause.helper or clause.helper in ("may", "might"):
        while len(tokens) > 1 and (tokens[0].dep_ in ("cc", "advmod") or tokens[0].text == ","):
            tokens = tokens[1:]
        return finished(f"is it true that {_text(tokens)}")
    return finished(_inverted(clause, ()))


def _of_subject(clause: Clause, asked: Asked, mention: Mention) -> str:
    """ "Who built the mill?": the subject is asked for, and nothing changes places."""
    places = [t.i for t in clause.subject]
    if asked.start not in places:
        return ""
    group = _coordinated(asked, clause.subject)
    verbal = _with_lead(f"{clause.implied} {_text(_rest(clause))}", clause)
    if group is not None:
        others, covered = group
        if covered != set(places):
            return ""
        return f"other than {others}, {asked.words} {verbal}"
    before = [t for t in clause.subject if t.i < asked.start]
    besides = _said_besides(asked, mention)
    after = [t for t in clause.subject if t.i >= asked.end and t.i not in besides]
    if before and asked.words in ("who", "what") and after:
        return ""
    words = _class_from_predicate(clause, asked) if not (before or after) else asked.words
    verbal = verbal if words == asked.words else _without_attribute(clause)
    return " ".join(part for part in (_text(before), words, _text(after), verbal) if part)


def _class_from_predicate(clause: Clause, asked: Asked) -> str:
    """ "which museum" of "X is a museum that …"; the words as they are, where nothing follows."""
    attribute = next((t for t in clause.verb.children if t.dep_ == "attr"), None)
    if not clause.is_copular or attribute is None or asked.words not in ("what", "which place"):
        return asked.words
    inside = [t for t in clause.tokens if attribute.left_edge.i <= t.i <= attribute.i]
    if not inside or inside[0].lower_ not in ("a", "an"):
        return asked.words
    clauses = [t for t in attribute.children if t.dep_ in ("acl", "relcl") and t.i > attribute.i]
    if len(clauses) != 1 or clauses[0].left_edge.i != attribute.i + 1 or len(inside) > 6:
        return asked.words
    return f"which {_text(inside[1:])}"


def _without_attribute(clause: Clause) -> str:
    attribute = next(t for t in clause.verb.children if t.dep_ == "attr")
    rest = [t for t in _rest(clause) if t.i > attribute.i]
    is_relative = rest and rest[0].tag_ in ("WDT", "WP")
    return _text(rest[1:]) if is_relative else f"{clause.helper} {_text(rest)}"


def _fronted(clause: Clause, asked: Asked, mention: Mention) -> str:
    """ "In what year did the mill open?"; "" where the parse leaves a doubt."""
    if (
        not clause.helper
        or not asked.fronted
        or not clause.subject
        or not _may_leave(asked, clause)
    ):
        return ""
    group = _coordinated(asked, clause.tokens)
    gone = set(range(asked.start, asked.end)) | _said_besides(asked, mention)
    lead, head, words = "", asked.head, asked.words
    if group is not None:
        others, gone = group
        lead = f"other than {others}, "
        head = next(iter(conjuncts_of(head)))
    first, last = min(gone), max(gone)
    before = next((t for t in reversed(clause.tokens) if t.i < first), None)
    after = next((t for t in clause.tokens if t.i > last), None)
    if before is not None and before.tag_ == "CC" and before.i == first - 1:
        return ""
    ranges = ("and", "or") if before is not None and before.lower_ == "from" else (
        "and", "or", "to",
    )  # fmt: skip
    if (
        after is not None
        and (after.text in "(/–—-" or after.lower_ in ranges)
        and (mention.kind.is_numeric and after.i == last + 1)
    ):
        return ""
    if before is None or before.pos_ not in ("ADP", "SCONJ") or before.i != first - 1:
        if before is not None and before.text in '(–—-/"“' and before.i == first - 1:
            return ""
        return f"{lead}{words} {_inverted(clause, gone)}"
    governor = before.head
    is_verb = governor.pos_ in ("VERB", "AUX") and governor.dep_ != "prep"
    of_verb = is_verb or governor.dep_ in ("acomp", "oprd")
    if asked.is_place and before.lower_ in _PLACES and not lead:
        if of_verb or not clause.is_copular:
            where = re.sub(r"^which \w+", "where", words)
            return f"{where} {_inverted(clause, gone | {before.i})}"
        return f"in {words} {_inverted(clause, gone | {before.i})}"
    if before.dep_ == "agent" and words == "who" and clause.helper in ("was", "were"):
        active = _active(clause, gone | {before.i})
        if active:
            return lead + active
    is_time = mention.kind in (Kind.DATE, Kind.YEAR) and before.lower_ in _TIMES
    nested = not (of_verb or is_time)
    if words in ("who", "what") or nested:
        behind = sum(_edge(clause) < t.i < first for t in clause.tokens)
        ends = after is None or (after.pos_ in _ENDING and after.lower_ != before.lower_)
        if 0 < behind <= LONGEST_STRANDING and ends:
            return f"{lead}{words} {_inverted(clause, gone)}"
        if nested:
            return "" if lead else _piped(clause, asked)
        words = "whom" if words == "who" else words
    return f"{lead}{before.lower_} {words} {_inverted(clause, gone | {before.i})}"


def _said_besides(asked: Asked, mention: Mention) -> set[int]:
    """Where ", who …," and ", a builder," behind a name stand: they go with the name."""
    places: set[int] = set()
    doc = asked.head.doc
    for child in asked.head.children:
        left, right = child.left_edge.i - 1, child.right_edge.i + 1
        if (
            child.dep_ in ("relcl", "appos", "acl")
            and left >= asked.end
            and (
                doc[left].text in ",(" and not mention.kind.is_numeric and child.ent_type_ != "GPE"
            )
        ):
            places.update(range(left, right + (right < len(doc) and doc[right].text in ",)")))
    return places


def _piped(clause: Clause, asked: Asked) -> str:
    """ "At the foot of which hill did Hart live?": the whole phrase goes to the front."""
    top = asked.head
    while top.head not in (clause.verb, top):
        top = top.head
    inside = {t.i for t in top.subtree}
    phrase = [t for t in clause.tokens if t.i in inside]
    if top.head != clause.verb or sum(t.i < asked.start for t in phrase) > LONGEST_STRANDING:
        return ""
    return f"{_in_place(trimmed(phrase), asked)} {_inverted(clause, inside)}"


def _may_leave(asked: Asked, clause: Clause) -> bool:
    """Whether nothing between the phrase and the verb forbids to ask at the front."""
    token = asked.head
    for _ in range(MOST_TOKENS):
        if token == clause.verb:
            return True
        is_infinitive = any(child.tag_ == "TO" for child in token.children)
        if token.head == token or not (
            token.dep_ in _PATH or token == asked.head
            or (is_infinitive and token.dep_ in ("advcl", "acl", "ccomp"))
        ):  # fmt: skip
            return False
        if token.dep_ == "appos":
            return False
        if token.dep_ in ("nsubj", "nsubjpass") and token.head != clause.verb:
            return False
        token = token.head
    return False


def _coordinated(asked: Asked, tokens: Sequence["Token"]) -> tuple[str, set[int]] | None:
    """(the other members, places of all) of the coordination that the phrase is a member of."""
    head = asked.head
    if not (head.dep_ == "conj" or any(c.dep_ == "conj" for c in head.children)):
        return None
    members = list(conjuncts_of(head))
    if any(m.pos_ not in ("NOUN", "PROPN", "NUM") for m in members):
        return None
    inside = {t.i for t in tokens}
    places = {t.i for t in members[0].subtree} & inside
    if not {m.i for m in members} <= places:
        return None
    names = []
    for member, following in zip(members, [*members[1:], None], strict=True):
        if member == head:
            continue
        stop = following.left_edge.i if following is not None else member.right_edge.i + 1
        own = [t for t in member.doc[member.left_edge.i : stop] if t.i in places]
        while own and (own[-1].dep_ == "cc" or own[-1].text in ",&"):
            own.pop()
        names.append(_text(own))
    if not all(0 < len(name.split()) <= 5 for name in names) or len(names) > 5:
        return None
    return _list(names), places


def _list(names: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def _inverted(clause: Clause, gone: "Iterable[int]") -> str:
    """Helper, subject and the rest, without the tokens at the places `gone`."""
    gone = set(gone)
    subject = _text(clause.subject)
    parts = [clause.helper, subject, _text(t for t in _rest(clause) if t.i not in gone)]
    if clause.bare:
        parts[2] = _text((t for t in _rest(clause) if t.i not in gone), bare=clause.verb)
    elif clause.removed is not None:
        parts[2] = _text(t for t in _rest(clause) if t.i not in gone and t != clause.removed)
    return _with_lead(" ".join(part for part in parts if part), clause, gone)


def _active(clause: Clause, gone: set[int]) -> str:
    """ "Who built the mill?" of "The mill was built by …"; "" where the past is another form."""
    verb = clause.verb
    rest = [t for t in _rest(clause) if t.i not in gone and t != clause.removed]
    at = next((i for i, t in enumerate(rest) if t == verb), -1)
    if at < 0 or verb.tag_ != "VBN" or any(t.pos_ != "ADV" for t in rest[:at]):
        return ""
    if not (verb.lower_.endswith("ed") or verb.lower_ in _PAST_LIKE_PARTICIPLE):
        return ""
    subject = _text(clause.subject)
    said = f"who {_text(rest[:at])} {verb.lower_} {_OBJECTS.get(subject, subject)} "
    said += _text(rest[at + 1 :])
    return _with_lead(said, clause, gone)


def _rest(clause: Clause) -> "list[Token]":
    """What stands behind the subject."""
    edge = _edge(clause)
    rest = [t for t in clause.tokens if t.i > edge]
    if clause.gap and clause.verb in rest:
        at = rest.index(clause.verb) + 1
        rest[at:at] = clause.gap
    return rest


def _with_lead(question: str, clause: Clause, gone: "Iterable[int]" = ()) -> str:
    """The question with what stood before the subject at its end."""
    gone, edge = set(gone), _edge(clause)
    lead = _text(trimmed([t for t in clause.tokens if t.i < edge and t.i not in gone]))
    apart = "," if lead and len(question.split()) > LONGEST_REST else ""
    return f"{question.strip()}{apart} {lead}".rstrip()


def _edge(clause: Clause) -> int:
    """The place of the subject's last token before the verb; -1 for none."""
    return max((t.i for t in clause.subject if t.i < clause.verb.i), default=-1)


def _clause_in_place(clause: Clause, asked: Asked) -> str:
    """The clause in its own order, the wh-phrase in the span's place."""
    tokens = sorted({t.i: t for t in (*clause.subject, *clause.tokens)}.values(), key=lambda t: t.i)
    inside = {t.i for t in clause.tokens}
    own = all(t.i in inside or t.i < clause.verb.i for t in clause.subject)
    if clause.implied or not own or clause.verb.dep_ in ("relcl", "conj"):
        subject = _text(clause.subject)
        rest = _rest(clause)
        return " ".join(part for part in (subject, clause.implied, _in_place(rest, asked)) if part)
    return _in_place(tokens, asked)


def _in_place(tokens: "Sequence[Token]", asked: Asked) -> str:
    before = [t for t in tokens if t.i < asked.start]
    after = [t for t in tokens if t.i >= asked.end]
    words = asked.words
    if words == "who" and before and before[-1].pos_ == "ADP":
        words = "whom"
    tight = bool(before) and not before[-1].whitespace_ and before[-1].i == asked.start - 1
    return f"{_text(before)}{'' if tight else ' '}{words} {_text(after)}"


def _text(tokens: "Iterable[Token]", bare: "Token | None" = None) -> str:
    """The text of tokens, spaced as they were; a first word loses its place's capital."""
    out: list[str] = []
    previous: Token | None = None
    for token in tokens:
        if previous is not None and (previous.i + 1 != token.i or previous.whitespace_):
            out.append(" ")
        word = token.lemma_ if token == bare else token.text
        if token.lower_ in ("n't", "n’t") and (previous is None or previous.tag_ != "MD"):
            word = "not"
        out.append(_small(token, word))
        previous = token
    return "".join(out).strip()


def _small(token: "Token", word: str) -> str:
    """A word without the capital that its place at the sentence's beginning gave it."""
    opens = token.i == 0 or (token.is_sent_start and token.nbor(-1).text in ".:;!?")
    if not opens or word == "I" or (len(word) > 1 and not word[1:].islower()):
        return word
    name = (
        token.pos_ == "PROPN"
        or _opens_name(token)
        or (token.ent_type_ and token.pos_ not in ("DET", "ADP", "NUM"))
    )
    return word if name else word.lower()


def _opens_name(token: "Token") -> bool:
    return any(m.start == token.idx and not m.kind.is_numeric for m in mentions(token.doc.text)[:1])


def finished(text: str) -> str:
    """The question with its capital, its mark, and no space before a mark.

    >>> finished("who built the mill ,")
    'Who built the mill?'
    """
    text = re.sub(r"\(\s*\)", "", text)
    text = re.sub(r" ([,;:.)]|['’]s\b)", r"\1", re.sub(r"\s+", " ", text)).strip()
    text = text.rstrip(" .!?;:,–—-(")
    if text.count('"') % 2:
        text = "".join(text.rsplit('"', 1))
    text += ")" * (text.count("(") - text.count(")"))
    return text[:1].upper() + re.sub(r"\s+", " ", text[1:]) + "?"
