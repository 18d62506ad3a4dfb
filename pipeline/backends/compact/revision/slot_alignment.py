"""Slots: words between neighbours that align in a sentence and a clause of the evidence.

They are the answer even if the parser sees no entity in them: "the Vulgar Tongue".
"""

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache

from pipeline.backends.compact.text.spans import (
    CITATION,
    Mention,
    MentionKind,
    counted_figures,
    mentions,
    mentions_outside,
)
from pipeline.backends.compact.text.words import STOPWORDS, Word, mask_matches, word_set, words
from pipeline.backends.compact.values import already_used, is_counterpart
from pipeline.text.sentences import split_sentences

MOST_WORDS = 400
"""Of a sentence or clause; longer ones are lists."""
LONGEST = 6
"""Words of a gap."""
ALIGNED_FROM = 0.5
"""Least aligned share of the sentence's other content words."""
_JOINTS = word_set("of the and de van von")
_BREAK = re.compile(r"(?<!\b[A-Z])[.;:!?()\[\]\"“”,\n](?!\d)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Alignment:
    """A sentence and a clause: for each word the clause's word, or -1."""

    mine: tuple[Word, ...]
    theirs: tuple[Word, ...]
    targets: tuple[int, ...]

    def holds(self, position: int) -> bool:
        return bool(self.theirs) and self.theirs[0].start <= position < self.theirs[-1].end

    def aligned(self, first: int, last: int) -> float:
        """Return the aligned share of content words outside `mine[first:last]`, 0.0 to 1.0."""
        rest = [
            self.targets[i] >= 0
            for i, word in enumerate(self.mine)
            if word.is_content and not first <= i < last
        ]
        return sum(rest) / len(rest) if rest else 0.0


def word_range(row: Sequence[Word], span: Mention) -> tuple[int, int]:
    """Return a span's words as a half-open range, empty for none."""
    inside = [i for i, w in enumerate(row) if w.start < span.end and span.start < w.end]
    return (inside[0], inside[-1] + 1) if inside else (0, 0)


@lru_cache(maxsize=4096)
def align_to_clauses(sentence: str, text: str) -> tuple[Alignment, ...]:
    mine = words(mask_matches(sentence, CITATION))[:MOST_WORDS]
    everything = words(text)
    starts = [word.start for word in everything]
    alignments = []
    for each in split_sentences(text):
        first, last = bisect_left(starts, each.start), bisect_left(starts, each.end)
        theirs = everything[first:last][:MOST_WORDS]
        alignments.append(Alignment(mine=mine, theirs=theirs, targets=_align(mine, theirs)))
    return tuple(alignments)


def _align(mine: Sequence[Word], theirs: Sequence[Word]) -> tuple[int, ...]:
    places = [-1] * len(mine)
    matcher = SequenceMatcher(
        None, [w.stem for w in mine], [w.stem for w in theirs], autojunk=False
    )
    for a, b, size in matcher.get_matching_blocks():
        # A lone "the" aligns with any other.
        if size == 1 and not mine[a].is_content:
            continue
        for k in range(size):
            places[a + k] = b + k
    return tuple(places)


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """Two spans between the same words."""

    mine: Mention
    """In the sentence: the span, or the unaligned words of and around it."""
    theirs: Mention
    """In the evidence."""
    aligned: float
    """Aligned share of the other content words, `ALIGNED_FROM` to 1.0."""


def slot_of(mention: Mention, *, sentence: str, evidence: str) -> Slot | None:
    """Return the slot in the clause most like the sentence, or None."""
    best: Slot | None = None
    for side in align_to_clauses(sentence, evidence):
        slot = _slot_in(side, mention, sentence, evidence)
        if slot and (best is None or slot.aligned > best.aligned):
            best = slot
    return best


def _slot_in(side: Alignment, mention: Mention, sentence: str, evidence: str) -> Slot | None:
    first, last = _unaligned(side, mention, sentence)
    if first == last or last - first > LONGEST:
        return None
    aligned = side.aligned(first, last)
    left = side.targets[first - 1] if first else -1
    right = side.targets[last] if last < len(side.mine) else -1
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
    wrong, answer = _slot(mention, mine, theirs, sentence, evidence)
    if _BREAK.search(answer.text) or wrong.kind.is_numeric != answer.kind.is_numeric:
        return None
    if wrong.kind.is_numeric and _other_stems(loose, mine) != _other_stems(gap, theirs):
        return None  # "12 windows" does not stand where "four doors" does
    if already_used(answer, mentions_outside(sentence, wrong)):
        return None
    return Slot(mine=wrong, theirs=answer, aligned=aligned)


def _one_value(gap: Sequence[Word], evidence: str, *, is_first: bool) -> Sequence[Word]:
    """Limit a gap that is open on one side to the value at the other.

    None in a longer phrase: "English" of "by English band Depeche Mode".
    """
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


def _unaligned(side: Alignment, mention: Mention, sentence: str) -> tuple[int, int]:
    """Return the range of unaligned words around a span, up to punctuation."""
    first, last = word_range(side.mine, mention)
    loose = [i for i in range(first, last) if side.targets[i] < 0]
    if not loose:
        return 0, 0
    first, last = loose[0], loose[-1] + 1

    def goes_on(at: int) -> bool:
        """Whether nothing parts the word at this place from the one before it."""
        return not _BREAK.search(sentence[side.mine[at - 1].end : side.mine[at].start])

    while first and side.targets[first - 1] < 0 and goes_on(first):
        first -= 1
    while last < len(side.mine) and side.targets[last] < 0 and goes_on(last):
        last += 1
    return first, last


def _trimmed(gap: Sequence[Word], opening: Word, values: Sequence[Mention]) -> Sequence[Word]:
    """Strip words that are no part of a value; empty if the gap has several values."""
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


def _other_stems(gap: Sequence[Word], excluded: Sequence[Word]) -> set[str]:
    return {word.stem for word in gap if word.is_content and word not in excluded}


def _slot(
    mention: Mention, mine: Sequence[Word], theirs: Sequence[Word], sentence: str, evidence: str
) -> tuple[Mention, Mention]:
    low, high = mine[0].start, mine[-1].end
    start, end = theirs[0].start, theirs[-1].end
    inside = [each for each in mentions(evidence) if each.start < end and start < each.end]
    if len(inside) == 1 and mention.start <= low and high <= mention.end:
        other = inside[0]
        if (
            is_counterpart(mention, other)
            and _same(sentence[mention.start : low], evidence[other.start : start])
            and _same(sentence[high : mention.end], evidence[end : other.end])
        ):
            return mention, other
    return _mention(sentence, low, high), _mention(evidence, start, end)


def _same(one: str, other: str) -> bool:
    return one.strip().casefold() == other.strip().casefold()


def _mention(text: str, start: int, end: int) -> Mention:
    known = (*mentions(text), *counted_figures(text))
    name = Mention(start=start, end=end, text=text[start:end], kind=MentionKind.NAME)
    return next((each for each in known if (each.start, each.end) == (start, end)), name)
