"""Model calls that raise `UnreadableReply` unless there is one valid result per input."""

import math
from collections.abc import Iterable, Sequence

from pipeline.rarr.errors import UnreadableReply
from pipeline.rarr.ports import Decontextualizer, Entailment, Relevance
from pipeline.rarr.types import EntailmentScore, Passage


def score_relevance(pairs: Sequence[tuple[str, str]], *, relevance: Relevance) -> list[float]:
    """Return a finite score per (query, snippet) pair."""
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


def entailment_probabilities(
    pairs: Sequence[tuple[str, str]], *, entailment: Entailment
) -> list[float]:
    """Return the probability, 0.0 to 1.0, of entailment per (premise, hypothesis) pair."""
    scores_by_pair = score_entailment(pairs, entailment=entailment)
    return [scores_by_pair[pair].entailed for pair in pairs]


def decontextualize(
    sentences: Sequence[str], *, passage: Passage, decontextualizer: Decontextualizer
) -> Sequence[str]:
    """Rewrite each of the passage's sentences to be understood alone."""
    rewritten = decontextualizer.decontextualize(passage=passage, sentences=sentences)
    if len(rewritten) != len(sentences):
        raise UnreadableReply(
            f"The decontextualizer gave {len(rewritten)} sentences for {len(sentences)}."
        )
    return rewritten
