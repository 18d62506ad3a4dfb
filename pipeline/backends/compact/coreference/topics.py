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
        named = [m for m in mentions(source) if m.kind is Kind.NAME]
        # A context that opens with a capitalised word is mostly a question or an order.
        strong = [m for m in named if not m.is_weak or source is text]
        if strong:
            return strong[0].text
    return ""


def subjects_of(sentence: str) -> list[Referent]:
    """The names that are a sentence's subject, its subject's possessor, or what that is of.

    >>> [each.text for each in subjects_of("In 1990 the length of the Thames grew.")]
    ['the Thames']
    """
    heads = {referent.head: referent for referent in referents_of(sentence)}
    token = next((t for _, t in tokens_of(sentence) if _is_main_subject(t)), None)
    while token is not None and token not in heads:
        possessor = next((child for child in token.children if child.dep_ == "poss"), None)
        of = next((child for child in token.children if child.lower_ == "of"), None)
        below = of.children if of is not None else ()
        token = possessor or next((child for child in below if child.dep_ == "pobj"), None)
    if token is None:
        return []
    return [heads[each] for each in (token, *token.conjuncts) if each in heads]


def _is_main_subject(token: "Token") -> bool:
    # A heading or a fragment has no verb: its root is what it is about.
    is_fragment = token.dep_ == "ROOT" and token.pos_ in ("NOUN", "PROPN")
    return is_fragment or (token.dep_ in SUBJECTS and token.head.dep_ == "ROOT")
