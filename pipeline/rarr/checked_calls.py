"""Model calls that raise `UnreadableReply` for a wrong number of results."""

import math
from collections.abc import Iterable, Sequence

from pipeline.rarr.errors import UnreadableReply
from pipeline.rarr.ports import Decontextualizer, Entailment, EntailmentScore, Relevance
from pipeline.rarr.types import Passage


def score_relevance(pairs: Sequence[tuple[str, str]], *, relevance: Relevance) -> list[float]:
    """Return one finite score per (query, snippet) pair."""
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
) -> dict[tuple[str, str], EntailmentScore]:
    """Score the distinct (premise, hypothesis) pairs in a single call."""
    unique = list(dict.fromkeys(pairs))
    scores = entailment.score(unique) if unique else []
    if len(scores) != len(unique):
        raise UnreadableReply(f"The entailment model scored {len(scores)} of {len(unique)} pairs.")
    return dict(zip(unique, scores, strict=True))


def probabilities(pairs: Sequence[tuple[str, str]], *, entailment: Entailment) -> list[float]:
    """Return per pair the probability, 0.0 to 1.0, that the premise entails the hypothesis."""
    scores_by_pair = score_entailment(pairs, entailment=entailment)
    return [scores_by_pair[pair].entailed for pair in pairs]


def decontextualize(
    sentences: Sequence[str], *, passage: Passage, decontextualizer: Decontextualizer
) -> Sequence[str]:
    """Rewrite each of the passage's sentences to be understood alone."""
    alone = decontextualizer.decontextualize(passage=passage, sentences=sentences)
    if len(alone) != len(sentences):
        raise UnreadableReply(
            f"The decontextualizer gave {len(alone)} sentences for {len(sentences)}."
        )
    return alone
