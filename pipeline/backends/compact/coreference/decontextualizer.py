"""Sentences that stand alone: "he", "it" and "the film" give way to the name they stand for."""

import re
from collections.abc import Sequence

from pipeline.backends.compact.coreference.references import References, resolved
from pipeline.backends.compact.coreference.topics import PRONOUN, with_subject
from pipeline.backends.compact.questions.tagging import tokens_of
from pipeline.backends.compact.text.spans import mentions
from pipeline.rarr.types import Passage

MAX_ADDED_WORDS = 4
"""A rewrite that differs by more is not trusted."""

_DEFINITE = re.compile(r"The\s+(?P<noun>[a-z]+)(?P<owner>['’]s)?(?=\s)")


class CompactDecontextualizer:
    """Replaces a pronoun or class noun that opens a sentence; everything else stays as it is.

    A name that does not fit ("she" for a film) is passed over, and where no name of the sentences
    before or of the context fits, the sentence stays as it is.
    """

    def decontextualize(self, *, passage: Passage, sentences: Sequence[str]) -> Sequence[str]:
        references = References(context=passage.context)
        rewritten = []
        for sentence in sentences:
            new = _standing_alone(sentence, references)
            difference = abs(len(new.split()) - len(sentence.split()))
            rewritten.append(new if difference <= MAX_ADDED_WORDS else sentence)
            references.read(sentence)
        return rewritten


def _standing_alone(sentence: str, references: References) -> str:
    definite = _DEFINITE.match(sentence)
    if definite:
        tokens = tokens_of(sentence, mentions(sentence))
        name = resolved(tokens, references)[0]
        if name.mention is None or tokens[0].mention is not None:
            return sentence
        owner = ("'" if name.text.endswith("s") else "'s") if definite["owner"] else ""
        return _capital(f"{name.text}{owner}{sentence[definite.end() :]}")
    pronoun = PRONOUN.search(sentence)
    referent = references.meant_by(pronoun["word"].lower()) if pronoun else None
    if referent is None:
        return sentence
    return _capital(with_subject(sentence, referent.text))


def _capital(sentence: str) -> str:
    """A sentence that now opens with "the Hart Prize" opens with a capital."""
    return "T" + sentence[1:] if sentence.startswith("the ") else sentence
