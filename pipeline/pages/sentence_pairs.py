"""The sentences of a passage beside what became of them, each with its auto-AIS mark."""

import enum
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, zip_longest

from pipeline.diff.words import Kind, Piece
from pipeline.engine.auto_ais import SentenceScore
from pipeline.rarr.types import Verdict

# A sentence is the other one revised when they share this much of the shorter one's letters.
_ALIKE = 0.3


VERDICT_WORDS = {
    Verdict.AGREES: "agrees",
    Verdict.DISAGREES: "disagrees",
    # Evidence about something else, or that is silent; or a passage that lost the words.
    Verdict.IRRELEVANT: "no answer to compare",
}
"""What pages call the agreement gate's verdicts."""


class Mark(enum.StrEnum):
    """What auto-AIS says of a sentence."""

    ATTRIBUTED = "attributed"
    NOT_ATTRIBUTED = "not-attributed"
    CONTRADICTED = "contradicted"
    NOT_SCORED = "not-scored"

    @property
    def icon(self) -> str:
        return {"attributed": "✓", "not-attributed": "✕", "contradicted": "≠"}.get(self, "?")

    @property
    def word(self) -> str:
        return self.replace("-", " ")


@dataclass(frozen=True, slots=True, kw_only=True)
class GateSays:
    """What the agreement gate said of a sentence, where auto-AIS says something else."""

    verdict: Verdict
    turns: tuple[int, ...]
    """The turns of the trace that say so, from 1; none where it was not asked of the sentence."""

    @property
    def words(self) -> str:
        return VERDICT_WORDS[self.verdict]


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkedSentence:
    """A sentence of x or y with its changes and its mark."""

    side: str
    """ "before" or "after" """
    number: int
    """From 1, within its side."""
    pieces: tuple[Piece, ...]
    mark: Mark = Mark.NOT_SCORED
    score: float | None = None
    evidence: int | None = None
    """Number in the report, from 1, of the evidence that carries the sentence best."""
    contradicted_by: int | None = None
    """Number in the report of the evidence that speaks against it, if any does."""
    contradiction: float | None = None
    """How likely that evidence contradicts it, where it does; 0.0 to 1.0."""
    unrelated: int | None = None
    """Number in the report of evidence that auto-AIS takes for a contradiction, and that the gate
    found irrelevant to the sentence or compared with others alone; then the sentence is not
    `contradicted_by` it."""
    gate: GateSays | None = None
    is_disputed: bool = False
    """Whether one piece of evidence supports it and another one contradicts it."""
    read_as: str = ""
    """The sentence as the entailment model read it, "" where that is the sentence itself."""

    @property
    def figure(self) -> float | None:
        """The figure that belongs to the mark: how likely evidence contradicts the sentence where
        the mark says so, else how likely it supports it. None where it is not scored."""
        return self.contradiction if self.mark is Mark.CONTRADICTED else self.score


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Sentences of x beside what became of them in y; either side may be empty."""

    before: tuple[MarkedSentence, ...]
    after: tuple[MarkedSentence, ...]

    @property
    def is_same(self) -> bool:
        """Neither the words nor the mark changed: a narrow page need show only one side."""
        return [(s.pieces, s.mark, s.score) for s in self.before] == [
            (s.pieces, s.mark, s.score) for s in self.after
        ]


def mark_sentences(
    side: str,
    text: str,
    pieces: Sequence[Piece],
    scores: Sequence[SentenceScore],
    *,
    evidence_count: int,
) -> tuple[MarkedSentence, ...]:
    """The sentences of one side of a diff, "before" or "after".

    A text without scores is one sentence that is not scored.
    """
    absent = Kind.ADDED if side == "before" else Kind.REMOVED
    own = [piece for piece in pieces if piece.kind is not absent]
    stretches = diff_by_sentence(own, text, scores, absent=absent)
    return tuple(
        _mark_sentence(side, number, stretch, score, evidence_count)
        for number, (stretch, score) in enumerate(
            zip_longest(stretches, scores, fillvalue=None), start=1
        )
        if stretch
    )


def _mark_sentence(
    side: str,
    number: int,
    pieces: tuple[Piece, ...],
    score: SentenceScore | None,
    evidence_count: int,
) -> MarkedSentence:
    if score is None or score.entailed is None:
        return MarkedSentence(side=side, number=number, pieces=pieces)
    speaks_against = score.is_contradicted
    if score.is_attributed:
        mark = Mark.ATTRIBUTED
    else:
        mark = Mark.CONTRADICTED if speaks_against else Mark.NOT_ATTRIBUTED
    alone = score.decontextualized
    return MarkedSentence(
        side=side,
        number=number,
        pieces=pieces,
        mark=mark,
        score=score.entailed,
        evidence=_number(score.evidence, evidence_count),
        contradicted_by=(
            _number(score.contradicted_by, evidence_count) if speaks_against else None
        ),
        contradiction=score.contradicted if speaks_against else None,
        is_disputed=score.is_disputed,
        read_as="" if alone.strip() == score.text.strip() else alone,
    )


def _number(index: int | None, count: int) -> int | None:
    """A place from 0 as a number from 1, None where there is no such place."""
    return index + 1 if index is not None and 0 <= index < count else None


def diff_by_sentence(
    pieces: Sequence[Piece],
    text: str,
    scores: Sequence[SentenceScore],
    *,
    absent: Kind = Kind.REMOVED,
) -> tuple[tuple[Piece, ...], ...]:
    """A diff in stretches, one for each sentence of y, with what was removed in its place.

    What was removed between two sentences stands at the beginning of the second one. Of x the
    pieces that are `absent` are those that were added.
    """
    # Each sentence reaches to the next one, so that no letter of the text is left out.
    starts = [min(max(score.start, 0), len(text)) for score in scores[1:]]
    stretches: list[tuple[Piece, ...]] = []
    queue = [piece for piece in pieces if piece.text]
    at = 0
    for end in [*starts, len(text)]:
        taken: list[Piece] = []
        while queue:
            piece = queue[0]
            if piece.kind is absent:
                if end < len(text) and _next_letter(queue, at) >= end:
                    break
                taken.append(queue.pop(0))
                continue
            if at >= end:
                break
            part = piece.text[: end - at]
            taken.append(Piece(kind=piece.kind, text=part))
            at += len(part)
            queue[0] = replace(piece, text=piece.text[len(part) :])
            if not queue[0].text:
                queue.pop(0)
        stretches.append(_stripped(taken))
    return tuple(stretches)


def _next_letter(queue: Sequence[Piece], at: int) -> int:
    """Where in y the next letter stands that was not removed; `at` is where `queue` begins."""
    for piece in queue:
        if piece.kind is Kind.REMOVED:
            continue
        if piece.text.strip():
            return at + len(piece.text) - len(piece.text.lstrip())
        at += len(piece.text)
    return at


def _stripped(pieces: list[Piece]) -> tuple[Piece, ...]:
    while pieces and not pieces[0].text.strip():
        pieces = pieces[1:]
    while pieces and not pieces[-1].text.strip():
        pieces = pieces[:-1]
    if pieces:
        pieces[0] = replace(pieces[0], text=pieces[0].text.lstrip())
        pieces[-1] = replace(pieces[-1], text=pieces[-1].text.rstrip())
    return tuple(pieces)


def pair_sentences(
    before: Sequence[MarkedSentence], after: Sequence[MarkedSentence]
) -> tuple[Pair, ...]:
    """Each sentence beside the one it became. A split or a merge puts several on one side."""
    groups: list[list[int]] = []  # [first and last of before, first and last of after]
    for i, j in _alike(before, after):
        if groups and (i <= groups[-1][1] or j <= groups[-1][3]):
            groups[-1][1], groups[-1][3] = max(groups[-1][1], i), max(groups[-1][3], j)
        else:
            groups.append([i, i, j, j])
    pairs: list[Pair] = []
    at_before = at_after = 0
    for i1, i2, j1, j2 in [*groups, [len(before), len(before), len(after), len(after)]]:
        # What lies between has no counterpart by its words: paired by its place.
        for old, new in zip_longest(before[at_before:i1], after[at_after:j1]):
            pairs.append(Pair(before=(old,) if old else (), after=(new,) if new else ()))
        if i1 < len(before):
            pairs.append(Pair(before=tuple(before[i1 : i2 + 1]), after=tuple(after[j1 : j2 + 1])))
        at_before, at_after = i2 + 1, j2 + 1
    return tuple(pairs)


def _alike(
    before: Sequence[MarkedSentence], after: Sequence[MarkedSentence]
) -> list[tuple[int, int]]:
    """Which sentences share enough of the diff's common text, in order."""
    # The common text is the same on both sides, letter by letter without its white space:
    # the n-th common letter of x is the n-th common letter of y.
    ends_before, ends_after = _common_ends(before), _common_ends(after)
    alike: list[tuple[int, int]] = []
    i = j = at = 0
    while i < len(before) and j < len(after):
        end = min(ends_before[i], ends_after[j])
        if end - at > 0 and end - at >= _ALIKE * min(_letters(before[i]), _letters(after[j])):
            alike.append((i, j))
        at = end
        if ends_before[i] == end:
            i += 1
        if j < len(after) and ends_after[j] == end:
            j += 1
    return alike


def _common_ends(sentences: Sequence[MarkedSentence]) -> list[int]:
    """How many common letters there are up to the end of each sentence."""
    common = (
        sum(_count(piece.text) for piece in sentence.pieces if piece.kind is Kind.SAME)
        for sentence in sentences
    )
    return list(accumulate(common))


def _letters(sentence: MarkedSentence) -> int:
    return sum(_count(piece.text) for piece in sentence.pieces)


def _count(text: str) -> int:
    return len("".join(text.split()))
