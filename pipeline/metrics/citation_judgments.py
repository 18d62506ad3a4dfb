"""Citation recall and precision from human judgments (ALCE, appendix F)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

NONE, PARTIAL, FULL = 0, 1, 2
"""The support of a sentence by one citation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HumanCitationScores:
    """One answer's figures, 0.0 to 1.0; None where there is nothing to score."""

    recall: float | None
    """The share of sentences supported by their sources together; without sources, none is."""
    precision: float | None
    """The share of citations with at least partial support, in supported sentences."""


def citation_scores(
    *, sentences: int, supported: Mapping[int, bool], citations: Sequence[tuple[int, int]]
) -> HumanCitationScores:
    """Score one answer by one rater's judgments.

    `supported` maps the indexes of citing sentences to whether they are supported; `citations`
    are (sentence, NONE | PARTIAL | FULL).

    >>> citation_scores(
    ...     sentences=4, supported={0: True, 2: False}, citations=[(0, FULL), (0, NONE), (2, FULL)]
    ... )
    HumanCitationScores(recall=0.25, precision=0.3333333333333333)
    """
    recalled = sum(supported.get(sentence, False) for sentence in range(sentences))
    precise = sum(
        supported.get(sentence, False) and level >= PARTIAL for sentence, level in citations
    )
    return HumanCitationScores(
        recall=recalled / sentences if sentences else None,
        precision=precise / len(citations) if citations else None,
    )
