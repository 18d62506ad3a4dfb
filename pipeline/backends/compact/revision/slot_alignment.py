"""Gap against gap: a sentence laid beside the clause of evidence that it was written from.

Where the words left and right of a span line up with neighbours in the evidence, what stands
between those is what the span should say, whatever sort of thing it is and however long.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from pipeline.backends.compact.revision.answers import (
    already_used,
    by_answer,
    is_counterpart,
    offered,
)
from pipeline.backends.compact.revision.word_alignment import Laid, laid
from pipeline.backends.compact.text.names import name_words
from pipeline.backends.compact.text.spans import Kind, Mention, mentions
from pipeline.backends.compact.text.words import STOPWORDS, Word

LONGEST = 6
"""Words that a gap may have; a longer one is another sentence, not another value."""
ALIGNED_FROM = 0.5
"""Share of the sentence's other content words that must line up before a gap is believed."""
_SMALL = frozenset(
    ["of", "the", "de", "van", "von", "la", "and", "&", "in", "for", "on", "a", "to"]
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """What stands in the evidence between the neighbours of a span."""

    focus: Mention
    """The part of the passage's span that does not line up."""
    answer: Mention
    aligned: float
    """How much of the rest of the sentence lines up with the same clause, 0.0 to 1.0."""


def gap_of(mention: Mention, *, sentence: str, evidence: str) -> Gap | None:
    """The gap that the span fills, of the clause that is most like the sentence; None if none."""
    best: Gap | None = None
    for side in laid(sentence, evidence):
        gap = _gap_in(side, mention, sentence, evidence)
        if gap and (best is None or gap.aligned > best.aligned):
            best = gap
    return best


def _gap_in(side: Laid, mention: Mention, sentence: str, evidence: str) -> Gap | None:
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
    if aligned < ALIGNED_FROM:
        return None
    answer = _answer(side.theirs[low + 1 : high], mention, evidence)
    used = sentence[: mention.start] + " " * len(mention.text) + sentence[mention.end :]
    if answer is None or already_used(answer, used):
        return None
    return Gap(focus=_focus(side, mention, sentence, first, last), answer=answer, aligned=aligned)


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
    start, end = gap[0].start, gap[-1].end
    inside = [m for m in mentions(evidence) if start <= m.start and m.end <= end]
    text = evidence[start:end]
    if mention.kind.is_numeric and len(gap) == 1 and text.isdigit():
        # "1940 January" was "24 January": the place tells, whatever the number looks like.
        return Mention(start=start, end=end, text=text, kind=Kind.NUMBER)
    if mention.kind.is_numeric:
        fitting = [m for m in inside if is_counterpart(mention, m)]
        return fitting[0] if len(fitting) == 1 and len(gap) <= 4 else None
    if "\n" in text or re.search(r"[;:()]|,\s", text):
        return fitting_name(inside)
    if all(w.text[:1].isupper() or w.text[:1].isdigit() or w.text in _SMALL for w in gap):
        if not gap[0].text[:1].isupper() or not gap[-1].text[:1].isupper():
            return fitting_name(inside)
        if len(gap) == 1 and gap[0].text.lower() in STOPWORDS:
            return None
        owned = re.search(r"['’]s?$", text)
        end -= len(owned.group()) if owned else 0
        found = Mention(start=start, end=end, text=evidence[start:end], kind=Kind.NAME)
        return _in_full(found, evidence)
    return fitting_name(inside)


def _in_full(name: Mention, evidence: str) -> Mention:
    """The full name of which the evidence gives one word in this place."""
    if len(name_words(name.text)) > 1:
        return name
    for group in by_answer([m for m in offered(evidence) if m.kind is Kind.NAME]):
        if any(m.start == name.start for m in group):
            return max(group, key=lambda m: (len(name_words(m.text)), -m.start))
    return name


def fitting_name(inside: Sequence[Mention]) -> Mention | None:
    """The only name of a gap that has other words too."""
    names = [m for m in inside if m.kind in (Kind.NAME, Kind.TITLE)]
    return names[0] if len(names) == 1 else None


def _focus(side: Laid, mention: Mention, sentence: str, first: int, last: int) -> Mention:
    start = max(mention.start, side.mine[first].start)
    end = min(mention.end, side.mine[last - 1].end)
    if last < len(side.mine) and side.mine[last].start >= mention.end:
        end = mention.end
    if start == mention.start and end == mention.end:
        return mention
    return Mention(start=start, end=end, text=sentence[start:end], kind=mention.kind)
