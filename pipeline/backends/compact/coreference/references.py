"""What pronouns, class nouns and bare surnames stand for, by the sentences before.

Coreference by agreement of number, gender and type: near subjects first, then what else the last
few sentences name, then the names of the passage's question.
"""

from collections import deque
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pipeline.backends.compact.coreference.referents import (
    SUBJECTS,
    Referent,
    referents_of,
    tokens_of,
)
from pipeline.backends.compact.text.words import words_in

if TYPE_CHECKING:
    from spacy.tokens import Token

NEAR = 4
"""Sentences back that a pronoun may reach."""
EARLIER = 8
"""Sentences before one that are read to find what its words mean."""
EARLY = 60
"""Characters into a sentence up to which a pronoun gives way to a name."""
PRONOUNS = {
    "he": "he", "him": "he", "his": "he", "she": "she", "her": "she", "hers": "she",
    "it": "it", "its": "it", "they": "they", "them": "they", "their": "they",
}  # fmt: skip
BESIDE = ("beside",)
_ARGUMENTS = SUBJECTS | {"dobj"}
_CLAUSES = frozenset({"ccomp", "xcomp", "advcl", "csubj"})
_IMPERSONAL = words_in("be seem appear happen take")
_PERSONAL_ADJECTIVES = words_in("able unable likely unlikely ready due free eager willing set")


@dataclass(frozen=True, slots=True, kw_only=True)
class Replacement:
    """`text` belongs in the place of `sentence[start:end]` where the sentence stands alone."""

    start: int
    end: int
    text: str
    is_name: bool = False
    """A full name for a surname, rather than a name for a pronoun or a class noun."""


@dataclass(slots=True)
class References:
    """The names of the sentences read so far, and which of them a word means."""

    context: str = ""
    _near: deque[tuple[Referent, ...]] = field(default_factory=lambda: deque(maxlen=NEAR))
    """Of each of the last sentences what its subjects name or mean, then its other names."""
    _borne: dict[str, dict[str, Referent]] = field(default_factory=dict)
    """By class noun and by surname the names that bear it, by their text."""
    _genders: dict[str, str] = field(default_factory=dict)
    """The pronoun that a name was linked to."""
    _has_nouns: bool = False
    """Whether the last sentence has a common noun that "it" may mean."""
    _said: set[str] = field(default_factory=set)
    """The common nouns of all sentences."""

    def __post_init__(self) -> None:
        self._note(referents_of(self.context))
        self._has_nouns = "who" in self.context.lower()

    @classmethod
    def after(cls, earlier: Sequence[str], context: str) -> "References":
        """The references where the last of these sentences were read."""
        references = cls(context=context)
        for sentence in earlier[-EARLIER:]:
            references.read(sentence)
        return references

    def read(self, sentence: str) -> None:
        """Take in a sentence of the passage, in order."""
        named = referents_of(sentence)
        main = [self.in_full(each) or each for each in named if each.is_subject]
        others = [each for each in named if not each.is_subject]
        for link in _links(sentence, self):
            if link.kind in ("he", "she", "it"):
                self._genders.setdefault(link.referent.text, link.kind)
            if link.token.dep_ in SUBJECTS:
                (main if link.token.head.dep_ == "ROOT" else others).append(link.referent)
        self._near.append((*main, *others))
        self._note(named)
        nouns = {token.lower_ for _, token in tokens_of(sentence) if token.tag_ == "NN"}
        self._has_nouns = bool(nouns)
        self._said |= nouns

    def meant_by(self, kind: str) -> Referent | None:
        """What "he", "she", "it" or "they" most likely means; None where nothing agrees."""
        near = [*reversed(self._near), referents_of(self.context)]
        subjects = [referents[0] for referents in near if referents]
        others = (each for referents in near for each in referents if kind != "they")
        for referent in (*subjects, *others):
            gender = self._gender(referent)
            fits = gender in ("", kind) or (kind == "they" and gender == "it")
            if fits and referent.agrees(kind):
                # An unlabelled subject may be a person, and then "it" is what stands beside it.
                is_unsure = kind == "it" and not referent.label and not gender
                beside = (each for referents in near if referent in referents for each in referents)
                return (
                    None if is_unsure and any(each.gender == "it" for each in beside) else referent
                )
        # A thing that the recogniser takes for a PERSON, where nothing else can be meant.
        is_alone = kind == "it" and len(subjects) == 1 and not self._has_nouns
        return subjects[0] if is_alone and subjects[0].text not in self._genders else None

    def named_as(self, noun: str) -> Referent | None:
        """The one name that was called so, or is so by its own words; None for none or several."""
        found = self._borne.get(noun, {})
        return next(iter(found.values())) if len(found) == 1 else None

    def beside(self, it: Referent, noun: str) -> Referent | None:
        """What "the planet" means in "it passed the planet": the one other thing of the sentence
        before; None where a noun that was said before may be meant."""
        named = self._near[-1] if self._near and noun not in self._said else ()
        found = [each for each in named if each != it and each.agrees("it")]
        return found[0] if it in named and len(found) == 1 and found[0].label != "GPE" else None

    def in_full(self, surname: Referent) -> Referent | None:
        """The one person so far whose longer name ends with this word."""
        word = surname.mention.text
        found = None if " " in word or surname.label == "GPE" else self.named_as(word)
        if found is None or self._gender(found) == "it":
            return None
        is_person = surname.label == "PERSON" and len(found.mention.text.split()) <= 3
        return found if is_person or found.label == "PERSON" else None

    def _gender(self, referent: Referent) -> str:
        return self._genders.get(referent.text) or referent.gender

    def _note(self, named: Sequence[Referent]) -> None:
        for referent in named:
            *_, last = words = referent.mention.text.split() or [""]
            own = (last, referent.head.lower_) if len(words) > 1 else ()
            for word in {*referent.nouns, *own}:
                self._borne.setdefault(word, {}).setdefault(referent.mention.text, referent)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Link:
    """A pronoun, class noun or surname, `sentence[start:end]`, and the name that it stands for."""

    start: int
    end: int
    kind: str
    """ "he", "she", "it", "they", "noun", "beside" or "name"."""
    token: "Token"
    referent: Referent


def replacements(sentence: str, references: References) -> list[Replacement]:
    """A name in the place of the first early pronoun or class noun and of each bare surname.

    >>> references = References(context="Who was Ada Coe?")
    >>> [each.text for each in replacements("She married Otto Hart in 1852.", references)]
    ['Ada Coe']
    """
    found: list[Replacement] = []
    said = sentence.lower()
    for link in _links(sentence, references):
        is_early = link.start < EARLY and link.token.dep_ in {*SUBJECTS, "poss"}
        is_name = link.kind == "name"
        text = link.referent.text
        if not is_name and (not is_early or link.referent.mention.text.lower() in said):
            continue
        if not is_name and any(not each.is_name for each in found):
            continue
        if link.kind in PRONOUNS and link.token.dep_ == "poss":
            text = possessive(text)
        if not sentence[: link.start].strip(" \"“'‘*-•"):
            text = text[0].upper() + text[1:] if text.startswith("the ") else text
        found.append(Replacement(start=link.start, end=link.end, text=text, is_name=is_name))
    return found


def possessive(name: str) -> str:
    """The name with the mark of a possessor."""
    return name + ("'" if name.lower().endswith("s") else "'s")


def resolved(sentence: str, found: Sequence[Replacement]) -> str:
    """The sentence with its replacements, which are in order."""
    pieces, at = [], 0
    for each in found:
        pieces += [sentence[at : each.start], each.text]
        at = each.end
    return "".join(pieces) + sentence[at:]


def open_references(
    sentence: str, references: References, *, kinds: Collection[str] = PRONOUNS
) -> Iterator[str]:
    """The names of earlier sentences that pronouns stand for; none that it may explain itself.

    `kinds`: of the words that stand for them; BESIDE for what stands beside such a pronoun.

    >>> read = References()
    >>> read.read("Hart Mill was built by Otto Coe.")
    >>> list(open_references("The Prince opened it in 1852.", read))
    ['Hart Mill']
    >>> list(open_references("The mill lost its roof in 1852.", read))
    []
    """
    for link in _links(sentence, references):
        if link.kind in kinds:
            yield link.referent.mention.text


def _links(sentence: str, references: References) -> Iterator[_Link]:
    """What the words of a sentence stand for, where nothing before them in it can be meant."""
    named = referents_of(sentence)
    starts = {each.mention.start: each for each in named}
    before: dict[str, list[Token]] = {kind: [] for kind in ("he", "she", "it", "they")}
    end = 0
    it: _Link | None = None
    last: tuple[int, Token] | None = None
    for at, token in tokens_of(sentence):
        name = starts.get(at)
        kind = PRONOUNS.get(token.lower_) if token.tag_.startswith("PRP") else None
        if name is not None:
            end = name.mention.end
            full = references.in_full(name)
            if full is not None:
                yield _Link(start=at, end=end, kind="name", token=token, referent=full)
            for each in before:
                # A thing may be labelled PERSON: "Hart Mill lost its roof".
                is_either = each == "it" and (full or name).gender == ""
                if is_either or (full or name).agrees(each):
                    before[each].append(name.head)
        elif at < end:
            continue
        elif kind is not None and not _is_impersonal(token):
            # A name or noun of the sentence itself may explain it.
            is_own = any(_may_bind(each, token) for each in before[kind][-3:])
            meant = None if is_own else references.meant_by(kind)
            if meant is not None:
                link = _Link(start=at, end=at + len(token), kind=kind, token=token, referent=meant)
                it = link if kind == "it" and token.dep_ == "nsubj" else it
                yield link
        elif token.pos_ == "NOUN" and not token.ent_type_:
            ends = at + len(token)
            is_bare = _is_bare_definite(token, last)
            meant = references.named_as(token.lower_) if is_bare else None
            kind = "noun"
            if is_bare and meant is None and it and it.token.head in (token.head, token.head.head):
                kind, meant = "beside", references.beside(it.referent, token.lower_)
            if meant is not None and last is not None:
                yield _Link(start=last[0], end=ends, kind=kind, token=token, referent=meant)
            if token.dep_ in _ARGUMENTS:
                for each in ("they",) if token.tag_ == "NNS" else ("he", "she", "it"):
                    before[each].append(token)
        last = at, token


def _is_bare_definite(noun: "Token", last: tuple[int, "Token"] | None) -> bool:
    """Whether it is "the film" and no more."""
    modifiers = [child for child in noun.children if child.dep_ not in ("case", "punct")]
    return (
        last is not None
        and modifiers == [last[1]]
        and last[1].lower_ in ("the", "this")
        and noun.tag_ == "NN"
        and noun.dep_ != "compound"
    )


def _may_bind(name: "Token", pronoun: "Token") -> bool:
    """Whether a name before it may be what the pronoun means: its verb's own subject is not."""
    is_object = pronoun.dep_ in ("dobj", "dative") and pronoun.tag_ == "PRP"
    return not (is_object and name.dep_ in SUBJECTS and name.head == pronoun.head)


def _is_impersonal(pronoun: "Token") -> bool:
    """Whether "it" means nothing: "It is important to", "It was in 1852 that"."""
    verb = pronoun.head
    if pronoun.lower_ != "it" or pronoun.dep_ not in {*SUBJECTS, "expl"}:
        return False
    parts = list(verb.children)
    clauses = [child for child in parts if child.dep_ in _CLAUSES]
    if pronoun.dep_ == "nsubjpass":
        return any(child.dep_ == "ccomp" for child in clauses)
    for child in parts:
        if child.dep_ == "acomp":
            inner = [each for each in child.children if each.dep_ in _CLAUSES]
            return bool(clauses or inner) and child.lower_ not in _PERSONAL_ADJECTIVES
        # "It was Ada Coe who": a name is no class that could be said of a thing.
        if child.dep_ == "attr" and child.pos_ == "PROPN":
            clauses += [each for each in child.children if each.dep_ == "relcl"]
    return pronoun.dep_ == "expl" or (verb.lemma_ in _IMPERSONAL and bool(clauses))
