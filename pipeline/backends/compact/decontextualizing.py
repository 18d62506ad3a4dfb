"""Sentences that stand alone: a pronoun subject gives way to what the passage is about."""

from collections.abc import Sequence

from pipeline.backends.compact.spans import Kind, Mention, mentions
from pipeline.backends.compact.topics import topic_of, with_subject
from pipeline.rarr.types import Passage

MAX_ADDED_WORDS = 4
"""A rewrite that differs by more is not trusted."""


class CompactDecontextualizer:
    """Replaces a pronoun subject by the passage's topic; everything else stays as it is."""

    def decontextualize(self, *, passage: Passage, sentences: Sequence[str]) -> Sequence[str]:
        outside = topic_of("", passage.context)
        rewritten = []
        named: list[Mention] = []  # by the sentences before, each looked at once
        for sentence in sentences:
            new = with_subject(sentence, _topic(named) or outside)
            difference = abs(len(new.split()) - len(sentence.split()))
            rewritten.append(new if difference <= MAX_ADDED_WORDS else sentence)
            named += [mention for mention in mentions(sentence) if mention.kind is Kind.NAME]
        return rewritten


def _topic(named: Sequence[Mention]) -> str:
    """As `topic_of`, for names that were found already."""
    strong = (mention for mention in named if not mention.is_weak or len(named) == 1)
    return next((mention.text for mention in strong), "")
