"""What a passage is about: its first name that can be a subject, or else its context's."""

import re

from pipeline.backends.compact.text.spans import Kind, Mention, mentions
from pipeline.backends.compact.text.words import words

PRONOUN = re.compile(
    r"(?P<before>^|[,;]\s+)(?P<word>(?i:he|she|it|they|his|her|its|their))\b(?!\s+is\s+(?:said|believed|known)\s+that)"
)
_POSSESSIVE = frozenset({"his", "her", "its", "their"})
# "It is important to …", "It was in 1990 that …": this "it" means nothing before it.
DUMMY = re.compile(
    r"\s+(?:is|was|has been|seems?|appears?|takes?|took)\s+(?:\w+ly\s+)?(?:\w+\s+)?"
    r"(?:that|to|when|how|why|important|possible|likely|said|not|worth|estimated|recommended|necessary)\b"
)

LONGEST_DUMMY = 60
"""Tokens behind an "it" that tell whether it means nothing; no pattern of it reaches farther."""


def topic_of(text: str, context: str = "") -> str:
    """The name that a pronoun in `text` most likely means; "" where nothing is likely."""
    for source in (text, context):
        named = [m for m in mentions(source) if m.kind is Kind.NAME]
        # A context that opens with a capitalised word is mostly a question or an order.
        strong = named
        if strong:
            return strong[0].text
    return ""


def with_subject(sentence: str, topic: str) -> str:
    """The sentence with its pronoun subject replaced by the topic; unchanged where unsure.

    >>> with_subject("He was born in 1879.", "Albert Einstein")
    'Albert Einstein was born in 1879.'
    """
    match = PRONOUN.search(sentence)
    if not topic or match is None or match.start("word") > 60:
        return sentence
    start, end = match.span("word")
    word = match["word"].lower()
    if topic.lower() in sentence.lower():
        return sentence
    # A name before the pronoun may be what it means.
    if any(m.kind is Kind.NAME for m in mentions(sentence[:start])):
        return sentence
    if word == "it" and DUMMY.match(sentence, end):
        return sentence
    new = topic
    if word in _POSSESSIVE:
        new += "'" if topic.endswith("s") else "'s"
    return sentence[:start] + new + sentence[end:]


def subject_of(sentence: str) -> Mention | None:
    """The name that a sentence opens with; nothing but small words and years stand before it.

    >>> subject_of("In 1990 the Thames flooded Oxford.").text
    'Thames'
    """
    named = [m for m in mentions(sentence) if m.kind is Kind.NAME]
    if not named or any(
        word.is_content and not word.text[:1].isdigit()
        for word in words(sentence)
        if word.end <= named[0].start
    ):
        return None
    return named[0]
