"""What models answer, checked: one for each that was asked, or `UnreadableReply`."""

import math
from collections.abc import Iterable, Sequence

from pipeline.rarr.errors import UnreadableReply
from pipeline.rarr.ports import Decontextualizer, Entailed, Entailment, Relevance
from pipeline.rarr.types import Passage


def score_relevance(pairs: Sequence[tuple[str, str]], *, relevance: Relevance) -> list[float]:
    """The relevance model's scores, one a pair, all of them numbers.

    Raises `UnreadableReply` where the model gives fewer, more, or something not finite.
    """
    if not pairs:
        return []
    scores = [float(score) for score in relevance.score(pairs)]
    if len(scores) != len(pairs):
        raise UnreadableReply(f"The relevance model scored {len(scores)} of {len(pairs)} pairs.")
    for score, (query, _) in zip(scores, pairs, strict=True):
        if not math.isfinite(score):
            raise UnreadableReply(f"The relevance model gave {score} for the query {query!r}.")
    return scores


def score_entailment(
    pairs: Iterable[tuple[str, str]], *, entailment: Entailment
) -> dict[tuple[str, str], Entailed]:
    """What the entailment model says of each (premise, hypothesis) pair, asked once and together.

    Raises `UnreadableReply` where the model scores fewer or more.
    """
    asked = list(dict.fromkeys(pairs))
    scores = entailment.score(asked) if asked else []
    if len(scores) != len(asked):
        raise UnreadableReply(f"The entailment model scored {len(scores)} of {len(asked)} pairs.")
    return dict(zip(asked, scores, strict=True))


def probabilities(pairs: Sequence[tuple[str, str]], *, entailment: Entailment) -> list[float]:
    """Of each pair the probability, 0.0 to 1.0, that the premise entails the hypothesis."""
    found = score_entailment(pairs, entailment=entailment)
    return [found[pair].entailed for pair in pairs]


def decontextualize(
    sentences: Sequence[str], *, passage: Passage, decontextualizer: Decontextualizer
) -> Sequence[str]:
    """Each sentence of the passage so that it stands alone.

    Raises `UnreadableReply` where the model gives fewer or more.
    """
    alone = decontextualizer.decontextualize(passage=passage, sentences=sentences)
    if len(alone) != len(sentences):
        raise UnreadableReply(
            f"The decontextualizer gave {len(alone)} sentences for {len(sentences)}."
        )
    return alone
