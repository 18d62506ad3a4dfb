"""What "he", "it" and "the film" stand for, by the sentences before and the passage's question."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from pipeline.backends.compact.coreference.topics import DUMMY, LONGEST_DUMMY
from pipeline.backends.compact.questions.tagging import POSSESSIVES, Tag, Token
from pipeline.backends.compact.text.entity_types import Sort, class_word, may_be_person, sort_of
from pipeline.backends.compact.text.spans import Kind, Mention, mentions
from pipeline.backends.compact.text.words import is_common, words_in

LATEST = 60
"""Characters into a sentence after which a pronoun may mean what the sentence itself names."""

NEAR = 1000
"""Characters before and after a name that may say what it names."""
MOST_NAMES = 500
"""Names that are remembered: a text that has more is a list, whose pronouns mean none of them."""

_PERSONAL = words_in("he she his her")
_NEUTRAL = words_in("it its")
_PLURAL = words_in("they their")
# Nouns that mean the same in "The film opened" and "X is a 1990 movie".
_SYNONYMS = {
    "movie": "film", "picture": "film", "documentary": "film", "track": "song", "single": "song",
    "record": "album", "group": "band", "firm": "company", "corporation": "company",
    "business": "company", "series": "show", "programme": "show", "program": "show", "sitcom":
    "show", "book": "novel", "actress": "actor", "squad": "team", "town": "city", "chain":
    "company", "manufacturer": "company", "retailer": "company", "side": "team",
    "organisation": "organization", "charity": "organization",
}  # fmt: skip
_CLASSES = words_in(
    """film song album band company show novel play opera game magazine newspaper team club city
    village county state country island river lake mountain bridge tower castle church cathedral
    museum library university college school hospital station airport stadium park theatre
    organization party war battle festival award prize actor singer author writer poet painter
    composer director politician footballer player scientist king queen president emperor bank
    building palace temple language religion disease drug vaccine species plant bird website app
    software mill ship train car aircraft spacecraft planet star comet"""
)

_WORD_BEFORE = re.compile(r"(?<![A-Za-z])([A-Za-z]+)[\s\"'“‘]*$")
_COPULA = re.compile(
    r"[\"'”’]*(?:\s*\([^)]*\))?,?\s+(?:(?:is|was|are|were)\s*)?(?:the|a|an)\s+([^.;,]{2,90})"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Referent:
    """A name that later words may stand for."""

    text: str
    is_title: bool = False
    classes: frozenset[str] = frozenset()
    """What the sentence that named it called it: "film", "band"."""

    def may_be(self, pronoun: str) -> bool:
        """Whether nothing speaks against the pronoun's meaning this."""
        sort = sort_of(self.text)
        if pronoun in _PERSONAL:
            return not self.is_title and sort in (Sort.PERSON, Sort.UNKNOWN)
        if pronoun in _NEUTRAL:
            return sort is not Sort.PERSON
        return sort is not Sort.PERSON and not self.is_title


def class_of(noun: str) -> str:
    """The class that a noun names, synonyms as one; "" for words that are no such nouns."""
    noun = _SYNONYMS.get(noun.lower(), noun.lower())
    return noun if noun in _CLASSES else ""


@dataclass(slots=True)
class References:
    """The names of the sentences read so far, and which of them a word means."""

    context: str = ""
    _known: list[Referent] = field(default_factory=list)
    _last: Referent | None = None
    _asked: list[Referent] | None = None
    """The names of the context, once they were wanted."""

    def read(self, sentence: str) -> None:
        """Take in a sentence of the passage, in order."""
        found = [m for m in mentions(sentence) if m.kind in (Kind.NAME, Kind.TITLE)]
        named = found
        for number, mention in enumerate(named):
            referent = Referent(
                text=_with_article(sentence, mention),
                is_title=mention.kind is Kind.TITLE,
                classes=_classes(sentence, mention, is_first=number == 0),
            )
            if len(self._known) < MOST_NAMES:
                self._known.append(referent)
            if number == 0 and _opens(sentence, mention):
                self._last = referent

    def meant_by(self, pronoun: str) -> Referent | None:
        """What a pronoun most likely means: the last subject, or else the first fitting name."""
        if self._last is not None and self._last.may_be(pronoun):
            return self._last
        for referent in [*self._known[:1], *self._outside(), *self._known[1:]]:
            if referent.may_be(pronoun):
                return referent
        return None

    def named_as(self, noun: str) -> Referent | None:
        """The one name that was called so, or is so by its own words; None for none or several."""
        wanted = class_of(noun)
        if not wanted:
            return None
        found: dict[str, Referent] = {}
        for referent in [*self._known, *self._outside()]:
            if wanted in referent.classes or class_of(class_word(referent.text)) == wanted:
                found.setdefault(referent.text, referent)
        return next(iter(found.values())) if len(found) == 1 else None

    def full_name(self, surname: str) -> str:
        """The one name so far that ends with `surname` and may be a person's; "" for none."""
        found = {
            referent.text.removeprefix("the ")
            for referent in [*self._known, *self._outside()]
            if referent.text.endswith(f" {surname}") and not referent.is_title
        }
        name = found.pop() if len(found) == 1 else ""
        return name if name and may_be_person(name) else ""

    def _outside(self) -> list[Referent]:
        if self._asked is None:
            found = [
                _without_order(m)
                for m in mentions(self.context)
                if m.kind in (Kind.NAME, Kind.TITLE)
            ]
            # A context that opens with a capitalised word is mostly a question or an order.
            self._asked = [
                Referent(
                    text=_with_article(self.context, m),
                    is_title=m.kind is Kind.TITLE,
                    classes=_classes(self.context, m, is_first=False),
                )
                for m in found
                if True
            ][:MOST_NAMES]
        return self._asked


def _with_article(sentence: str, mention: Mention) -> str:
    """ "the Hart Prize" where the sentence says so."""
    before = sentence[max(0, mention.start - 4) : mention.start]
    article = before.lower() == "the " and mention.kind is Kind.NAME
    return f"the {mention.text}" if article else mention.text


def _without_order(mention: Mention) -> Mention:
    """ "Explain Hart Mill" opens a context; the name in it is "Hart Mill"."""
    first, _, name = mention.text.partition(" ")
    if mention.start or not name or not is_common(first) or mention.kind is Kind.TITLE:
        return mention
    return replace(mention, start=mention.end - len(name), text=name)


def _opens(sentence: str, mention: Mention) -> bool:
    before = sentence[: mention.start].strip(" \"'“‘*-•").lower()
    return before in ("", "the", "in", "a", "an") or bool(
        re.fullmatch(r"(?:the|in|on)?\s*(?:[\w\- ]{0,30}\b)?\d{4},?(?: the)?", before)
    )


def _classes(sentence: str, mention: Mention, *, is_first: bool) -> frozenset[str]:
    """What the words around a name call it: "the film X", "X is a British band"."""
    found = set()
    before = _WORD_BEFORE.search(sentence, max(0, mention.start - NEAR), mention.start)
    if before:
        found.add(class_of(before.group(1)))
    copula = _COPULA.match(sentence, mention.end, mention.end + NEAR)
    if copula and is_first:
        # The head of the phrase: the last known noun before "by", "of" or "that".
        head = re.split(r"\b(?:by|of|that|which|who|in|from|for|on|at|with|and|about)\b",
                        copula.group(1))[0]  # fmt: skip
        nouns = head.split()
        if nouns:
            found.add(class_of(nouns[-1]))
    return frozenset(found - {""})


def resolved(tokens: Sequence[Token], references: References) -> list[Token]:
    """The sentence's tokens with an early pronoun or "the film" replaced by the name it means.

    A surname alone becomes the full name that an earlier sentence gave.
    """
    tokens = [_in_full(token, references) for token in tokens]
    out = list(tokens)
    length = 0
    for i, token in enumerate(tokens):
        opens = i == 0 or tokens[i - 1].text in (",", ";")
        if token.tag is Tag.SPAN and token.has_kind(Kind.NAME, Kind.TITLE):
            break  # a name before the pronoun may be what it means
        length += len(token.text) + token.spaced
        if length > LATEST:
            break
        if opens and token.lower in _PERSONAL | _NEUTRAL | _PLURAL:
            behind = tokens[i + 1 : i + 1 + LONGEST_DUMMY]
            following = "".join((" " if t.spaced else "") + t.text for t in behind)
            if token.lower == "it" and DUMMY.match(following):
                break
            referent = references.meant_by(token.lower)
            if referent is not None and _is_new(referent, tokens):
                out[i : i + 1] = _named(referent, token, token.lower in POSSESSIVES)
            break
        if token.lower == "the" and i + 1 < len(tokens) and opens:
            noun = tokens[i + 1]
            after = tokens[i + 2] if i + 2 < len(tokens) else None
            ends = after is None or after.is_finite or after.lower in ("'s", "’s", "also")
            referent = references.named_as(noun.text.removesuffix("'s").removesuffix("’s"))
            if referent is not None and ends and _is_new(referent, tokens):
                owner = noun.text.endswith(("'s", "’s"))
                out[i : i + 2] = _named(referent, token, owner)
            break
    return out


def _in_full(token: Token, references: References) -> Token:
    if not token.has_kind(Kind.NAME) or " " in token.text:
        return token
    return replace(token, text=references.full_name(token.text) or token.text)


def _is_new(referent: Referent, tokens: Sequence[Token]) -> bool:
    return (
        referent.text.removeprefix("the ").lower() not in " ".join(t.text for t in tokens).lower()
    )


def _named(referent: Referent, old: Token, owner: bool) -> list[Token]:
    text = f'"{referent.text}"' if referent.is_title else referent.text
    kind = Kind.TITLE if referent.is_title else Kind.NAME
    mention = Mention(start=0, end=len(text), text=referent.text, kind=kind)
    name = replace(old, text=text, tag=Tag.SPAN, mention=mention, base="")
    if not owner:
        return [name]
    mark = "'" if text.endswith("s") else "'s"
    return [name, Token(text=mark, tag=Tag.PUNCTUATION, spaced=False)]
