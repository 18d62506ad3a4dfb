"""What a passage is about, and the name that is a sentence's grammatical subject."""

from typing import TYPE_CHECKING

from pipeline.backends.compact.coreference.referents import (
    SUBJECTS,
    Referent,
    referents_of,
    tokens_of,
)
from pipeline.backends.compact.text.spans import Kind, mentions

if TYPE_CHECKING:
    from spacy.tokens import Token


def topic_of(text: str, context: str = "") -> str:
    """The name that a pronoun in `text` most likely means; "" where nothing is likely."""
    for source in (text, context):
        named = [m.text for m in mentions(source) if m.kind is Kind.NAME]
        if named:
            return named[0]
    return ""


def subjects_of(sentence: str, at: int | None = None) -> list[Referent]:
    """The names that are a sentence's subject, its subject's possessor, or what that is of.

    `at`: of the clause that this character stands in, rather than of the main clause.

    >>> [each.text for each in subjects_of("In 1990 the length of the Thames grew.")]
    ['the Thames']
    """
    heads = {referent.head: referent for referent in referents_of(sentence)}
    token = _subject(sentence, at)
    while token is not None and token not in heads:
        of = next((child for child in token.children if child.lower_ == "of"), None)
        below = [child for child in of.children if child.dep_ == "pobj"] if of is not None else []
        # "Brenland's king", "the band Small Rain", "the Hart house", "the length of the Thames"
        beside = [child for child in token.children if child.dep_ == "poss" or child in heads]
        token = next(iter(beside + below), None)
    if token is None:
        return []
    return [heads[each] for each in (token, *token.conjuncts) if each in heads]


def is_described(text: str, at: int) -> bool:
    """Whether the clause that this character stands in has a subject, and does not name it.

    >>> text = "The tall MVP won in 1990, and Ada Hart lost in 1991."
    >>> is_described(text, text.index("1990")), is_described(text, text.index("1991"))
    (True, False)
    """
    token = _subject(text, at)
    named = [each for each in subjects_of(text, at) if not each.mention.text.isupper()]
    return token is not None and token.pos_ in ("NOUN", "PROPN") and not named


def kind_of(sentence: str, *, is_first: bool) -> str:
    """The kind of thing that a sentence is about; "" for a name, a pronoun or "the mill".

    `is_first`: nothing before it can be what "the mill" means.

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
    modifiers = ("compound", "amod") if is_first or determiners & {"a", "an"} else ("compound",)
    words = [child.text for child in parts if child.dep_ in modifiers and child.i < token.i]
    # "Researchers" and "a man" are no kind that evidence must speak of in these very words.
    return (
        " ".join([*words, token.text]) if words and (is_first or "the" not in determiners) else ""
    )


def _subject(sentence: str, at: int | None = None) -> "Token | None":
    tokens = list(tokens_of(sentence))
    inside = next((token for start, token in tokens if at is not None and start >= at), None)
    for verb in inside.ancestors if inside is not None else ():
        for child in verb.lefts:
            if child.dep_ in SUBJECTS:  # "the mill that burned down": the mill
                return verb.head if verb.dep_ == "relcl" and child.tag_ in ("WDT", "WP") else child
    for _, token in tokens:
        # A heading or a fragment has no verb: its root is what it is about.
        is_fragment = token.dep_ == "ROOT" and token.pos_ in ("NOUN", "PROPN")
        if is_fragment or (token.dep_ in SUBJECTS and token.head.dep_ == "ROOT"):
            return token
    return None
