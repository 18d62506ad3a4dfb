"""Slot against slot: a sentence laid beside the clause of evidence that it was written from.

Where the words left and right of a span line up with neighbours in the evidence, what stands
between those is what the span should say, whatever the parser makes of a value that has no
business there: "the Vulgar Tongue" is no name, but it is what the slot holds.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from pipeline.backends.compact.revision.answers import already_used, is_counterpart
from pipeline.backends.compact.revision.word_alignment import Laid, laid
from pipeline.backends.compact.text.spans import Kind, Mention, counted_figures, mentions, others
from pipeline.backends.compact.text.words import STOPWORDS, Word

LONGEST = 6
"""Words that a gap may have; a longer one is another sentence, not another value."""
ALIGNED_FROM = 0.5
"""Share of the sentence's other content words that must line up before a gap is believed."""
_NEAR = 3
"""Words on either side of a gap among which one must line up."""
_BREAK = re.compile(r"(?<!\b[A-Z])[.;:!?()\[\]\"“”,\n](?!\d)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """Two stretches that stand between the same words."""

    mine: Mention
    """Of the sentence: the span asked for, or what of it and around it does not line up."""
    theirs: Mention
    """Of the evidence."""
    aligned: float
    """Share of the sentence's other content words that line up, `ALIGNED_FROM` to 1.0."""


def slot_of(mention: Mention, *, sentence: str, evidence: str) -> Slot | None:
    """The slot of a span in the clause that is most like the sentence; None if none has one."""
    best: Slot | None = None
    for side in laid(sentence, evidence):
        slot = _slot_in(side, mention, sentence, evidence)
        if slot and (best is None or slot.aligned > best.aligned):
            best = slot
    return best


def _slot_in(side: Laid, mention: Mention, sentence: str, evidence: str) -> Slot | None:
    first, last = _unaligned(side, mention)
    if first == last or not _is_held(side, first, last):
        return None
    aligned = side.aligned(first, last)
    low = side.place[first - 1] + 1 if first else 0
    high = side.place[last] if last < len(side.mine) else len(side.theirs)
    if aligned < ALIGNED_FROM or low >= high or last - first > LONGEST:
        return None
    mine = _trimmed(side.mine[first:last], side.mine[0], mentions(sentence))
    gap: Sequence[Word] = side.theirs[low:high]
    if not first or last == len(side.mine):
        gap = _one_value(gap, mentions(evidence), is_last=bool(first))
    theirs = _trimmed(gap, side.theirs[0], mentions(evidence))
    if not mine or not theirs or len(gap) > LONGEST:
        return None
    if _left_out(side.mine[first:last], mine) != _left_out(gap, theirs):
        return None  # "12 windows" does not stand where "four doors" does
    if mine[0].start >= mention.end or mine[-1].end <= mention.start:
        return None
    wrong, right = _slot(mention, mine, theirs, sentence, evidence)
    rest = others(sentence, wrong.start, wrong.end)
    if any(_BREAK.search(each.text) for each in (wrong, right)) or already_used(right, rest):
        return None
    if wrong.kind.is_numeric != right.kind.is_numeric or _has_digit(wrong) != _has_digit(right):
        return None
    return Slot(mine=wrong, theirs=right, aligned=aligned)


def _one_value(gap: Sequence[Word], values: Sequence[Mention], *, is_last: bool) -> Sequence[Word]:
    """Of a gap that no word closes on one side, the value next to the other side."""
    inside = [v for v in values if gap[0].start <= v.start and v.end <= gap[-1].end]
    if not inside:
        return ()
    if is_last:
        return [word for word in gap if word.start < inside[0].end]
    return [word for word in gap if word.end > inside[-1].start]


def _unaligned(side: Laid, mention: Mention) -> tuple[int, int]:
    """The words around a span that line up with nothing, the last exclusive; equal for none."""
    first, last = side.of_mine(mention)
    loose = [i for i in range(first, last) if side.place[i] < 0]
    if not loose or loose[-1] - loose[0] >= len(loose):
        return 0, 0
    first, last = loose[0], loose[-1] + 1
    while first and side.place[first - 1] < 0:
        first -= 1
    while last < len(side.mine) and side.place[last] < 0:
        last += 1
    return first, last


def _is_held(side: Laid, first: int, last: int) -> bool:
    """Whether enough stands fast around the gap: a content word near it on one side."""
    near = [*range(max(0, first - _NEAR), first), *range(last, min(len(side.mine), last + _NEAR))]
    return any(side.mine[i].is_content and side.place[i] >= 0 for i in near)


def _trimmed(gap: Sequence[Word], opening: Word, values: Sequence[Mention]) -> Sequence[Word]:
    """The gap without words at its ends that can be no part of a value; `opening` is the first
    word of the clause, whose capital says nothing."""
    tells = [
        word.text[0].isdigit()
        or any(value.start < word.end and word.start < value.end for value in values)
        or (word.text[0].isupper() and word != opening and word.text.lower() not in STOPWORDS)
        for word in gap
    ]
    if not any(tells):
        return ()
    return gap[tells.index(True) : len(tells) - tells[::-1].index(True)]


def _left_out(gap: Sequence[Word], kept: Sequence[Word]) -> list[str]:
    return [word.stem for word in gap if word.is_content and word not in kept]


def _slot(
    mention: Mention, mine: Sequence[Word], theirs: Sequence[Word], sentence: str, evidence: str
) -> tuple[Mention, Mention]:
    """Both sides of a slot: whole spans where they have the same words around the gap."""
    low, high = mine[0].start, mine[-1].end
    start, end = theirs[0].start, theirs[-1].end
    inside = [each for each in mentions(evidence) if each.start < end and start < each.end]
    if len(inside) == 1 and mention.start <= low and high <= mention.end:
        other = inside[0]
        if (
            is_counterpart(mention, other)
            and other.start <= start
            and end <= other.end
            and _same(sentence[mention.start : low], evidence[other.start : start])
            and _same(sentence[high : mention.end], evidence[end : other.end])
        ):
            return mention, other
    return _mention(sentence, low, high), _mention(evidence, start, end)


def _has_digit(span: Mention) -> bool:
    return any(char.isdigit() for char in span.text)


def _same(one: str, other: str) -> bool:
    return one.strip().casefold() == other.strip().casefold()


def _mention(text: str, start: int, end: int) -> Mention:
    """The characters `start` to `end` as a span: the known one, else a name."""
    known = (*mentions(text), *counted_figures(text))
    name = Mention(start=start, end=end, text=text[start:end], kind=Kind.NAME)
    return next((each for each in known if (each.start, each.end) == (start, end)), name)
