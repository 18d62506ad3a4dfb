"""Sentences that stand alone: a pronoun subject gives way to what the passage is about."""

from collections.abc import Sequence

from pipeline.backends.compact.topics import topic_of, with_subject
from pipeline.rarr.types import Passage

MAX_ADDED_WORDS = 4
"""A rewrite that differs by more is not trusted."""


class CompactDecontextualizer:
    """Replaces a pronoun subject by the passage's topic; everything else stays as it is."""

    def decontextualize(self, *, passage: Passage, sentences: Sequence[str]) -> Sequence[str]:
        topic = topic_of("", passage.context)
        rewritten = []
        before = ""
        for sentence in sentences:
            new = with_subject(sentence, topic_of(before, passage.context) if before else topic)
            difference = abs(len(new.split()) - len(sentence.split()))
            rewritten.append(new if difference <= MAX_ADDED_WORDS else sentence)
            before += " " + sentence
        return rewritten
