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
from pipeline.backends.compact.text.words import STOPWORDS, Word, words_in
from pipeline.rarr.types import Span

LONGEST = 6
"""Words that a gap may have; a longer one is another sentence, not another value."""
ALIGNED_FROM = 0.5
"""Share of the sentence's other content words that must line up before a gap is believed."""
_NEAR = 3
"""Words on either side of a gap among which one must line up."""
_JOINTS = words_in("of the and de van von")
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
    first, last = _unaligned(side, mention, sentence)
    if first == last or last - first > LONGEST or not _is_held(side, first, last):
        return None
    aligned = side.aligned(first, last)
    left = side.place[first - 1] if first else -1
    right = side.place[last] if last < len(side.mine) else -1
    if aligned < ALIGNED_FROM or left == right == -1:
        return None
    loose = side.mine[first:last]
    gap: Sequence[Word] = side.theirs[left + 1 : right if right >= 0 else None]
    if left < 0 or right < 0:
        gap = _one_value(gap, evidence, is_first=left >= 0)
    mine = _trimmed(loose, side.mine[0], mentions(sentence))
    theirs = _trimmed(gap, side.theirs[0], mentions(evidence))
    if not mine or not theirs or len(gap) > LONGEST:
        return None
    if not mention.meets(Span(start=mine[0].start, end=mine[-1].end)):
        return None
    wrong, answer = _slot(mention, mine, theirs, sentence, evidence)
    if _BREAK.search(wrong.text) or _BREAK.search(answer.text) or _differ(wrong, answer):
        return None
    besides_mine, besides_theirs = _left_out(loose, mine), _left_out(gap, theirs)
    if besides_theirs - besides_mine or (wrong.kind.is_numeric and besides_theirs != besides_mine):
        return None  # "12 windows" does not stand where "four doors" does
    if already_used(answer, others(sentence, wrong)):
        return None
    return Slot(mine=wrong, theirs=answer, aligned=aligned)


def _one_value(gap: Sequence[Word], evidence: str, *, is_first: bool) -> Sequence[Word]:
    """Of a gap that no word closes on one side, the value next to the other side; none where it
    is part of a longer phrase: "English" of "by English band Depeche Mode"."""
    inside = [v for v in mentions(evidence) if gap and gap[0].start <= v.start <= gap[-1].start]
    if not inside:
        return ()
    value = inside[0 if is_first else -1]
    beyond = [w for w in gap if (w.start >= value.end if is_first else w.end <= value.start)]
    next_one = beyond[:1] if is_first else beyond[-1:]
    for word in next_one:
        between = evidence[min(value.end, word.end) : max(value.start, word.start)]
        if word.is_content and not _BREAK.search(between):
            return ()
    return [w for w in gap if (w.start < value.end if is_first else w.end > value.start)]


def _unaligned(side: Laid, mention: Mention, sentence: str) -> tuple[int, int]:
    """The words around a span, up to a comma or the like, that line up with nothing; the last
    exclusive, equal for none."""
    first, last = side.of_mine(mention)
    loose = [i for i in range(first, last) if side.place[i] < 0]
    if not loose or loose[-1] - loose[0] >= len(loose):
        return 0, 0
    first, last = loose[0], loose[-1] + 1

    def goes_on(at: int) -> bool:
        """Whether nothing parts the word at this place from the one before it."""
        return not _BREAK.search(sentence[side.mine[at - 1].end : side.mine[at].start])

    while first and side.place[first - 1] < 0 and goes_on(first):
        first -= 1
    while last < len(side.mine) and side.place[last] < 0 and goes_on(last):
        last += 1
    return first, last


def _is_held(side: Laid, first: int, last: int) -> bool:
    """Whether enough stands fast around the gap: a content word near it on one side."""
    near = [*range(max(0, first - _NEAR), first), *range(last, min(len(side.mine), last + _NEAR))]
    return any(side.mine[i].is_content and side.place[i] >= 0 for i in near)


def _trimmed(gap: Sequence[Word], opening: Word, values: Sequence[Mention]) -> Sequence[Word]:
    """The gap without words at its ends that can be no part of a value; empty where it holds more
    than one. `opening` is the first word of the clause, whose capital says nothing."""
    tells = [
        word.text[0].isdigit()
        or (word.text[0].isupper() and word != opening and word.text.lower() not in STOPWORDS)
        or (
            (word.is_content or word.text[0].isupper())
            and any(value.start < word.end and word.start < value.end for value in values)
        )
        for word in gap
    ]
    if not any(tells):
        return ()
    first, last = tells.index(True), len(tells) - tells[::-1].index(True)
    inner = zip(gap[first:last], tells[first:last], strict=True)
    if not all(is_part or word.text in _JOINTS for word, is_part in inner):
        return ()
    return gap[first:last]


def _differ(one: Mention, other: Mention) -> bool:
    """Whether one is a figure or holds one, and the other not."""
    return one.kind.is_numeric != other.kind.is_numeric or (
        any(map(str.isdigit, one.text)) != any(map(str.isdigit, other.text))
    )


def _left_out(gap: Sequence[Word], kept: Sequence[Word]) -> set[str]:
    """The stems of what stands in a gap beside its value."""
    return {word.stem for word in gap if word.is_content and word not in kept}


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


def _same(one: str, other: str) -> bool:
    return one.strip().casefold() == other.strip().casefold()


def _mention(text: str, start: int, end: int) -> Mention:
    """The characters `start` to `end` as a span: the known one, else a name."""
    known = (*mentions(text), *counted_figures(text))
    name = Mention(start=start, end=end, text=text[start:end], kind=Kind.NAME)
    return next((each for each in known if (each.start, each.end) == (start, end)), name)
