"""The names of a sentence and its subjects."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from pipeline.backends.compact.text.parsing import Parsed, Token, parsed
from pipeline.backends.compact.text.spans import Mention, MentionKind, mentions
from pipeline.backends.compact.text.words import word_set

MOST_NAMES = 30
"""Names per sentence; more are a list."""
SUBJECTS = frozenset({"nsubj", "nsubjpass"})
_MALE = word_set("mr sir lord king prince emperor pope duke man father son brother husband actor")
_FEMALE = word_set(
    "mrs ms miss dame lady queen princess empress duchess woman mother daughter sister wife actress"
)
_MADE = word_set("build construct found establish release publish locate situate launch compose")
"""Never done to people."""
_NO_REFERENT = word_set("NORP LANGUAGE DATE TIME PERCENT MONEY QUANTITY ORDINAL CARDINAL")


@dataclass(frozen=True, slots=True, kw_only=True)
class Referent:
    """A name that other words may refer to."""

    mention: Mention
    """Positions are in its sentence."""
    text: str
    """As written inside a sentence: "the Thames", a title in quotation marks."""
    head: Token
    nouns: frozenset[str]
    """Its class nouns in the sentence: "film", "bridge"."""

    @property
    def is_subject(self) -> bool:
        """It is the main clause's subject."""
        return self.head.dep_ in SUBJECTS and self.head.head.dep_ == "ROOT"

    @property
    def gender(self) -> str:
        """One of "he", "she", "it", or "" if unknown."""
        words = self.mention.text.lower().split()
        called = self.nouns | {word.strip(".") for word in words[:-1]}
        if self.mention.label in ("PERSON", "") and bool(called & _MALE) != bool(called & _FEMALE):
            return "he" if called & _MALE else "she"
        is_thing = (
            self.mention.kind is MentionKind.TITLE
            or self.mention.label not in ("PERSON", "ORG", "")
            or self.text.startswith("the ")
            or (self.head.dep_ == "nsubjpass" and self.head.head.lemma_ in _MADE)
        )
        return "it" if is_thing else ""

    def agrees(self, kind: str) -> bool:
        """Check whether "he", "she", "it" or "they" may refer to it."""
        gender, label = self.gender, self.mention.label
        is_plural = self.head.tag_ in ("NNPS", "NNS") and self.mention.kind is not MentionKind.TITLE
        if kind == "they":
            return is_plural or label in ("ORG", "NORP")
        if is_plural or (kind == "it" and self.head.conjuncts) or label in _NO_REFERENT:
            return False
        if kind == "it":
            return gender == "it" or (not gender and label != "PERSON")
        # "Ada Hart" may be labelled ORG, "Oslo" is not.
        is_person = label in ("PERSON", "") or " " in self.mention.text
        return is_person and gender in ("", kind)


def tokens_of(text: str) -> Iterator[tuple[int, Token]]:
    """Yield a text's tokens with their positions."""
    for sentence in parsed(text):
        for token in sentence.doc:
            if not token.is_space:
                yield sentence.start + token.idx, token


def referents_of(sentence: str) -> tuple[Referent, ...]:
    """Return the names and titles of a sentence, in order."""
    return _referents_of(sentence, parsed(sentence))


@lru_cache(maxsize=256)
def _referents_of(sentence: str, _: tuple[Parsed, ...]) -> tuple[Referent, ...]:
    names = [m for m in mentions(sentence) if m.kind in (MentionKind.NAME, MentionKind.TITLE)][
        :MOST_NAMES
    ]
    referents = []
    tokens = tokens_of(sentence)
    token = next(tokens, None)
    for mention in names:
        inside: list[Token] = []
        while token and token[0] < mention.end:
            if token[0] + len(token[1]) > mention.start:
                inside.append(token[1])
            token = next(tokens, None)
        if not inside:
            continue
        places = {token.i for token in inside}
        head = next((t for t in inside if t.head.i == t.i or t.head.i not in places), inside[-1])
        has_article = sentence[max(0, mention.start - 4) : mention.start].lower() == "the "
        text = f"the {mention.text}" if has_article else mention.text
        text = f'"{mention.text}"' if mention.kind is MentionKind.TITLE else text
        nouns = frozenset(_called(inside, head))
        referents.append(Referent(mention=mention, text=text, head=head, nouns=nouns))
    return tuple(referents)


def _called(inside: list[Token], head: Token) -> Iterator[str]:
    """Yield the class nouns of a name: by copula, apposition or the noun before it."""
    nouns = [child for child in head.children if child.dep_ == "appos"]
    if inside[0].i:
        before = inside[0].nbor(-1)
        if before in (head.head, *head.children, *inside[0].children) or before.head == head.head:
            nouns.append(before)
    if head.dep_ == "nsubj" and head.head.lemma_ == "be":
        nouns += [child for child in head.head.children if child.dep_ == "attr"]
    for noun in nouns:
        for each in (noun, *noun.conjuncts):
            if each.pos_ == "NOUN" and not each.ent_type_:
                yield each.lemma_


def topic_of(text: str, context: str = "") -> str:
    """Return the most likely antecedent of a pronoun in `text`, or ""."""
    for source in (text, context):
        named = [m.text for m in mentions(source) if m.kind is MentionKind.NAME]
        if named:
            return named[0]
    return ""


def subjects_of(sentence: str, at: int | None = None) -> list[Referent]:
    """Return the names in the subject of the main clause, or of that at character `at`.

    >>> [each.text for each in subjects_of("In 1990 the length of the Thames grew.")]
    ['the Thames']
    """
    heads = {referent.head: referent for referent in referents_of(sentence)}
    token = _subject(sentence, at)
    while token is not None and token not in heads:
        of = next((child for child in token.children if child.lower_ == "of"), None)
        below = [child for child in of.children if child.dep_ == "pobj"] if of is not None else []
        # "Brenland's king", "the band Small Rain", "the Hart house", "the length of the Thames"
        before = [child for child in token.children if child.dep_ == "poss" or child in heads]
        token = next(iter(before + below), None)
    if token is None:
        return []
    return [heads[each] for each in (token, *token.conjuncts) if each in heads]


def kind_of(sentence: str, *, is_first: bool) -> str:
    """Return the kind of thing that a sentence is about, "" if definite or named.

    >>> kind_of("A tennis court is 24 metres long.", is_first=False)
    'tennis court'
    """
    token = _subject(sentence)
    if token is None or token.pos_ != "NOUN" or token.ent_type_ or subjects_of(sentence):
        return ""
    parts = list(token.children)
    if any(child.dep_ in ("prep", "poss", "relcl", "nummod", "acl") for child in parts):
        return ""
    determiners = {child.lower_ for child in parts if child.dep_ == "det"}
    words = [child.text for child in parts if child.dep_ in ("compound", "amod")]
    # Evidence may call "researchers" and "a man" something else.
    return (
        " ".join([*words, token.text]) if words and (is_first or "the" not in determiners) else ""
    )


def _subject(sentence: str, at: int | None = None) -> Token | None:
    tokens = list(tokens_of(sentence))
    inside = next((token for start, token in tokens if at is not None and start >= at), None)
    for verb in inside.ancestors if inside is not None else ():
        for child in verb.lefts:
            if child.dep_ in SUBJECTS:  # "the mill that burned down": the mill
                return verb.head if verb.dep_ == "relcl" and child.tag_ in ("WDT", "WP") else child
    for _, token in tokens:
        # A heading has no verb; its root is its subject.
        is_fragment = token.dep_ == "ROOT" and token.pos_ in ("NOUN", "PROPN")
        if is_fragment or (token.dep_ in SUBJECTS and token.head.dep_ == "ROOT"):
            return token
    return None
