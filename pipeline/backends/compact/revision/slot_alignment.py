"""Slot against slot: a sentence laid beside the clause of evidence that it was written from.

Where the words left and right of a span line up with neighbours in the evidence, the value that
stands between those is what the span should say.
"""

from collections.abc import Sequence

from pipeline.backends.compact.revision.answers import already_used, is_counterpart
from pipeline.backends.compact.revision.word_alignment import Laid, laid
from pipeline.backends.compact.text.spans import Kind, Mention, mentions, others
from pipeline.backends.compact.text.words import Word

LONGEST = 6
"""Words that a gap may have; a longer one is another sentence, not another value."""
ALIGNED_FROM = 0.5
"""Share of the sentence's other content words that must line up before a gap is believed."""


def filler_of(mention: Mention, *, sentence: str, evidence: str) -> Mention | None:
    """The value in the slot of the clause that is most like the sentence; None if none is."""
    best: Mention | None = None
    most = ALIGNED_FROM
    for side in laid(sentence, evidence):
        filler = _filler_in(side, mention, sentence, evidence, most)
        if filler:
            best, most = filler
    return best


def _filler_in(
    side: Laid, mention: Mention, sentence: str, evidence: str, least: float
) -> tuple[Mention, float] | None:
    """The value in one clause's slot, and how much of the rest of the sentence lines up with the
    clause; None for less than `least`, 0.0 to 1.0."""
    first, last = side.of_mine(mention)
    if first == last:
        return None
    place = side.place
    if mention.kind in (Kind.NAME, Kind.TITLE):
        while first < last - 1 and place[first] >= 0 and _follows(place, first):
            first += 1
        while first < last - 1 and place[last - 1] >= 0 and _precedes(place, last - 1):
            last -= 1
    if any(place[i] >= 0 for i in range(first, last)):
        return None
    low = place[first - 1] if first else -1
    high = place[last] if last < len(side.mine) else len(side.theirs)
    if (first and low < 0) or (last < len(side.mine) and high < 0):
        return None
    if not low < high or not 0 < high - low - 1 <= LONGEST:
        return None
    if not _is_held(side, first, last):
        return None
    aligned = side.aligned(first, last)
    if aligned < least:
        return None
    answer = _answer(side.theirs[low + 1 : high], mention, evidence)
    if answer is None or already_used(answer, others(sentence, mention.start, mention.end)):
        return None
    return answer, aligned


def _follows(place: Sequence[int], i: int) -> bool:
    return i == 0 or place[i - 1] == place[i] - 1


def _precedes(place: Sequence[int], i: int) -> bool:
    return i + 1 == len(place) or place[i + 1] == place[i] + 1


def _is_held(side: Laid, first: int, last: int) -> bool:
    """Whether enough stands fast around the gap: a content word near it on one side, a word on
    the other, or two words running at the edge of both texts."""
    left = [side.mine[i].is_content for i in range(max(0, first - 3), first) if side.place[i] >= 0]
    right = [
        side.mine[i].is_content
        for i in range(last, min(len(side.mine), last + 3))
        if side.place[i] >= 0
    ]
    return (
        (bool(left) or not first)
        and (bool(right) or last == len(side.mine))
        and (any(left) or any(right))
    )


def _answer(gap: Sequence[Word], mention: Mention, evidence: str) -> Mention | None:
    """The one span of the evidence that stands in the gap, as a whole."""
    start, end = gap[0].start, gap[-1].end
    inside = [
        m
        for m in mentions(evidence)
        if m.start < end and start < m.end and is_counterpart(mention, m)
    ]
    return inside[0] if len(inside) == 1 else None
