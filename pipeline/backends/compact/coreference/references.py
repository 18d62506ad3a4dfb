"""Resolution of pronouns, class nouns and surnames by earlier sentences and context."""

from collections import deque
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field

from pipeline.backends.compact.coreference.referents import (
    SUBJECTS,
    Referent,
    referents_of,
    tokens_of,
)
from pipeline.backends.compact.text.parsing import Token
from pipeline.backends.compact.text.words import word_set
from pipeline.rarr.types import Passage
from pipeline.text.spans import Span

MAX_DISTANCE = 4
"""Sentences that a pronoun may refer back."""
EARLIER = 8
"""Earlier sentences to read for a sentence's references."""
_FORMS = {"he": "he him his", "she": "she her hers", "it": "it its", "they": "they them their"}
PRONOUNS = {pronoun: kind for kind, words in _FORMS.items() for pronoun in words.split()}
"""By pronoun its kind: "he", "she", "it" or "they"."""
COMPANION = ("companion",)
_ARGUMENTS = SUBJECTS | {"dobj"}
_CLAUSES = frozenset({"ccomp", "xcomp", "advcl", "csubj"})
_IMPERSONAL = word_set("be seem appear happen take")


Edit = tuple[int, int, str]
"""Characters of a sentence, and their replacement."""


@dataclass(slots=True)
class References:
    """The names of the sentences read so far."""

    context: str = ""
    _near: deque[tuple[Referent, ...]] = field(default_factory=lambda: deque(maxlen=MAX_DISTANCE))
    """Of each of the last sentences, names of its subjects, then its other names."""
    _borne: dict[str, dict[str, Referent]] = field(default_factory=dict)
    """By class noun and surname, its bearers by their text."""

    _has_nouns: bool = False
    """The last sentence has a common noun that "it" may mean."""

    def __post_init__(self) -> None:
        self._note(referents_of(self.context))
        self._has_nouns = "who" in self.context.lower()

    @classmethod
    def after(cls, earlier: Sequence[str], context: str) -> "References":
        """Return the references after the last of these sentences."""
        references = cls(context=context)
        for sentence in earlier[-EARLIER:]:
            references.read(sentence)
        return references

    def read(self, sentence: str) -> None:
        """Read the passage's next sentence."""
        named = referents_of(sentence)
        main = [each for each in named if each.is_subject]
        subjects = (link for link in _links(sentence, self) if link.token.dep_ in SUBJECTS)
        main += [link.referent for link in subjects]
        self._near.append((*main, *(each for each in named if not each.is_subject)))
        self._note(named)
        self._has_nouns = any(token.tag_ == "NN" for _, token in tokens_of(sentence))

    def meant_by(self, kind: str) -> Referent | None:
        """Return the most likely antecedent of "he", "she", "it" or "they", or None."""
        near = [*reversed(self._near), referents_of(self.context)]
        subjects = [referents[0] for referents in near if referents]
        others = (each for referents in near for each in referents if kind != "they")
        for referent in (*subjects, *others):
            if referent.agrees(kind):
                # An unlabelled subject may be a person, and "it" another name.
                is_unsure = kind == "it" and not referent.mention.label and not referent.gender
                companions = (
                    each for referents in near if referent in referents for each in referents
                )
                has_thing = is_unsure and any(each.gender == "it" for each in companions)
                return None if has_thing else referent
        # A thing labelled PERSON, if nothing else can be meant.
        is_alone = kind == "it" and len(subjects) == 1 and not self._has_nouns
        return subjects[0] if is_alone else None

    def named_as(self, noun: str) -> Referent | None:
        bearers = self._borne.get(noun, {})
        return next(iter(bearers.values())) if len(bearers) == 1 else None

    def companion(self, it: Referent) -> Referent | None:
        """Return the only other name of the sentence before, or None."""
        others = [each for each in self._near[-1] if each != it] if self._near else []
        return others[0] if len(others) == 1 else None

    def in_full(self, surname: Referent) -> Referent | None:
        """Return the only person whose longer name ends with this word, or None."""
        word = surname.mention.text
        person = None if " " in word or surname.mention.label == "GPE" else self.named_as(word)
        return person if person and person.mention.label == "PERSON" else None

    def _note(self, named: Sequence[Referent]) -> None:
        for referent in named:
            *_, last = words = referent.mention.text.split() or [""]
            parts = (last, referent.head.lower_) if len(words) > 1 else ()
            for word in {*referent.nouns, *parts}:
                self._borne.setdefault(word, {}).setdefault(referent.mention.text, referent)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Link(Span):
    kind: str
    """"he", "she", "it", "they", "noun", "companion" or "name"."""
    token: Token
    referent: Referent


class CompactDecontextualizer:
    """Replaces a pronoun or class noun that opens a sentence, and bare surnames."""

    def decontextualize(self, *, passage: Passage, sentences: Sequence[str]) -> Sequence[str]:
        references = References(context=passage.context)
        rewritten = []
        for sentence in sentences:
            new = sentence
            for start, end, name in reversed(replacements(sentence, references)):
                new = new[:start] + name + new[end:]
            rewritten.append(new)
            references.read(sentence)
        return rewritten


def replacements(sentence: str, references: References) -> list[Edit]:
    """Return edits for the first pronoun or class noun and each bare surname, in order.

    >>> references = References(context="Who was Ada Coe?")
    >>> replacements("She married Otto Hart in 1852.", references)
    [(0, 3, 'Ada Coe')]
    """
    edits: list[Edit] = []
    lowered, is_stated = sentence.lower(), False
    for link in _links(sentence, references):
        text = link.referent.text
        if link.kind != "name":
            if is_stated or link.referent.mention.text.lower() in lowered:
                continue
            is_stated = True
        if link.kind in PRONOUNS and link.token.dep_ == "poss":
            text += "'s"
        if not sentence[: link.start].strip(" \"“'‘*-•"):
            text = text[0].upper() + text[1:] if text.startswith("the ") else text
        edits.append((link.start, link.end, text))
    return edits


def open_references(
    sentence: str, references: References, *, kinds: Collection[str] = PRONOUNS
) -> Iterator[str]:
    """Yield names of earlier sentences that words of these `kinds` refer to.

    >>> read = References()
    >>> read.read("Hart Mill was built by Otto Coe.")
    >>> list(open_references("The mill lost its roof in 1852.", read))
    []
    """
    for link in _links(sentence, references):
        if link.kind in kinds:
            yield link.referent.mention.text


def _links(sentence: str, references: References) -> Iterator[_Link]:
    named = referents_of(sentence)
    starts = {each.mention.start: each for each in named}
    before: dict[str, list[Token]] = {kind: [] for kind in _FORMS}
    end = 0
    it: Referent | None = None
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
                # "Hart Mill lost its roof" may be a PERSON.
                is_either = each == "it" and (full or name).gender == ""
                if is_either or (full or name).agrees(each):
                    before[each].append(name.head)
        elif at < end:
            continue
        elif kind is not None and not _is_impersonal(token):
            may_be_bound = any(_may_bind(each, token) for each in before[kind][-3:])
            meant = None if may_be_bound else references.meant_by(kind)
            if meant is not None:
                it = meant if kind == "it" else it
                yield _Link(start=at, end=at + len(token), kind=kind, token=token, referent=meant)
        elif token.pos_ == "NOUN" and not token.ent_type_:
            ends = at + len(token)
            is_bare = _is_bare_definite(token, last)
            meant = references.named_as(token.lower_) if is_bare else None
            kind = "noun" if meant else "companion"
            if is_bare and meant is None and it is not None:
                meant = references.companion(it)
            if meant is not None and last is not None:
                yield _Link(start=last[0], end=ends, kind=kind, token=token, referent=meant)
            if token.dep_ in _ARGUMENTS:
                for each in ("they",) if token.tag_ == "NNS" else ("he", "she", "it"):
                    before[each].append(token)
        last = at, token


def _is_bare_definite(noun: Token, last: tuple[int, Token] | None) -> bool:
    modifiers = [child for child in noun.children if child.dep_ not in ("case", "punct")]
    return (
        last is not None
        and modifiers == [last[1]]
        and last[1].lower_ in ("the", "this")
        and noun.tag_ == "NN"
        and noun.dep_ != "compound"
    )


def _may_bind(name: Token, pronoun: Token) -> bool:
    """Check whether a name may be the pronoun's antecedent: its verb's own subject is not."""
    is_object = pronoun.dep_ in ("dobj", "dative") and pronoun.tag_ == "PRP"
    return not (is_object and name.dep_ in SUBJECTS and name.head == pronoun.head)


def _is_impersonal(pronoun: Token) -> bool:
    """Check for an "it" without meaning: "It is important to", "It was in 1852 that"."""
    verb = pronoun.head
    if pronoun.lower_ != "it" or pronoun.dep_ not in {*SUBJECTS, "expl"}:
        return False
    parts = [verb, *(child for child in verb.children if child.dep_ == "acomp")]
    kinds = {child.dep_ for part in parts for child in part.children}
    if pronoun.dep_ == "nsubjpass":
        return "ccomp" in kinds
    return pronoun.dep_ == "expl" or (verb.lemma_ in _IMPERSONAL and bool(kinds & _CLAUSES))
