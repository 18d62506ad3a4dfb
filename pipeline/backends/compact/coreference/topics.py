"""What a passage is about, and the name that is a sentence's grammatical subject."""

from typing import TYPE_CHECKING

from pipeline.backends.compact.coreference.references import early_pronoun, possessive
from pipeline.backends.compact.coreference.referents import (
    SUBJECTS,
    Referent,
    referents_of,
    tokens_of,
)
from pipeline.backends.compact.text.spans import Kind, Mention, mentions

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


def with_subject(sentence: str, topic: str) -> str:
    """The sentence with its pronoun subject replaced by the topic; unchanged where unsure.

    >>> with_subject("He was born in 1879.", "Albert Einstein")
    'Albert Einstein was born in 1879.'
    """
    found = early_pronoun(sentence) if topic and topic.lower() not in sentence.lower() else None
    if found is None:
        return sentence
    at, pronoun = found
    name = possessive(topic) if pronoun.dep_ == "poss" else topic
    return sentence[:at] + name + sentence[at + len(pronoun) :]


def subject_of(sentence: str) -> Mention | None:
    """The name that is a sentence's subject, its subject's possessor, or what that is of.

    >>> subject_of("In 1990 the length of the Thames grew.").text
    'Thames'
    """
    found = subjects_of(sentence)
    return found[0].mention if found else None


def subjects_of(sentence: str) -> list[Referent]:
    """The names that are a sentence's subject, as `subject_of` says; several for "A and B"."""
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
