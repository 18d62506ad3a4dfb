"""Citation recall and precision from people's judgments: ALCE's human study, its appendix F.

Not to be taken for the automatic figures, which ask an entailment model and do not know of
partial support.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

NONE, PARTIAL, FULL = 0, 1, 2
"""What a citation does for its sentence by itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CitationScores:
    """One answer's figures, each from 0.0 to 1.0; None where there is nothing to score."""

    recall: float | None
    """The share of sentences whose sources, together, support them; one that cites nothing
    is not supported."""
    precision: float | None
    """The share of citations that support their sentence at least in part, and stand in a
    sentence that is supported."""


def citation_scores(
    *, sentences: int, supported: Mapping[int, bool], citations: Sequence[tuple[int, int]]
) -> CitationScores:
    """One rater's judgments of one answer, as figures.

    `supported` maps a sentence's number, from 0, to its citation recall; a sentence that is
    missing there cites nothing. `citations` are (sentence, NONE | PARTIAL | FULL).

    >>> citation_scores(
    ...     sentences=4, supported={0: True, 2: False}, citations=[(0, FULL), (0, NONE), (2, FULL)]
    ... )
    CitationScores(recall=0.25, precision=0.3333333333333333)
    """
    recalled = sum(supported.get(sentence, False) for sentence in range(sentences))
    precise = sum(
        supported.get(sentence, False) and level >= PARTIAL for sentence, level in citations
    )
    return CitationScores(
        recall=recalled / sentences if sentences else None,
        precision=precise / len(citations) if citations else None,
    )
