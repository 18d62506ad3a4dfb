"""Pairs of the sentences of x and y, with auto-AIS marks."""

import enum
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, zip_longest

from pipeline.diff.words import Piece, PieceKind
from pipeline.engine.auto_ais import SentenceScore
from pipeline.rarr.types import Verdict

_ALIKE = 0.3
"""Two sentences are paired if they share this part of the shorter one's letters."""

VERDICT_WORDS = {
    Verdict.AGREES: "agrees",
    Verdict.DISAGREES: "disagrees",
    Verdict.IRRELEVANT: "no answer to compare",
}
"""The names of the agreement gate's verdicts on pages."""


class Mark(enum.StrEnum):
    """The result of auto-AIS for a sentence."""

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
class GateConflict:
    """A verdict of the gate in conflict with auto-AIS."""

    verdict: Verdict
    steps: tuple[int, ...]
    """Steps of the trace with the verdict, from 1; none if the gate did not judge the sentence."""

    @property
    def words(self) -> str:
        return VERDICT_WORDS[self.verdict]


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkedSentence:
    side: str
    """ "before" or "after" """
    number: int
    """From 1 on its side."""
    pieces: tuple[Piece, ...]
    mark: Mark = Mark.NOT_SCORED
    score: float | None = None
    evidence: int | None = None
    """Report number, from 1, of the evidence that entails it best."""
    contradicted_by: int | None = None
    """Report number of the evidence that contradicts it."""
    contradiction: float | None = None
    """Probability of that contradiction, 0.0 to 1.0."""
    reason: str = ""
    """Names the contradicted value and the evidence's, if known."""
    unrelated: int | None = None
    """Report number of evidence that contradicts it by auto-AIS but is irrelevant to it by the
    gate; then `contradicted_by` is None."""
    gate: GateConflict | None = None
    is_disputed: bool = False
    """One piece of evidence supports it and another contradicts it."""
    read_as: str = ""
    """The decontextualized sentence; "" if that is the same."""

    @property
    def figure(self) -> float | None:
        """Return the mark's probability; None if not scored."""
        return self.contradiction if self.mark is Mark.CONTRADICTED else self.score


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Corresponding sentences of x and y; a side may be empty."""

    before: tuple[MarkedSentence, ...]
    after: tuple[MarkedSentence, ...]

    @property
    def is_same(self) -> bool:
        """Return whether words and marks are unchanged."""
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
    """Return the sentences of `side`; a text without scores is one."""
    absent = PieceKind.ADDED if side == "before" else PieceKind.REMOVED
    present = [piece for piece in pieces if piece.kind is not absent]
    stretches = diff_by_sentence(present, text, scores, absent=absent)
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
    is_contradicted = score.is_contradicted
    mark = Mark.CONTRADICTED if is_contradicted else Mark.NOT_ATTRIBUTED
    alone = score.decontextualized
    return MarkedSentence(
        side=side,
        number=number,
        pieces=pieces,
        mark=Mark.ATTRIBUTED if score.is_attributed else mark,
        score=score.entailed,
        evidence=_number(score.evidence, evidence_count),
        contradicted_by=_number(score.contradicted_by if is_contradicted else None, evidence_count),
        contradiction=score.contradicted if is_contradicted else None,
        reason=score.reason if is_contradicted else "",
        is_disputed=score.is_disputed,
        read_as="" if alone.strip() == score.text.strip() else alone,
    )


def _number(index: int | None, count: int) -> int | None:
    """Convert an index to a number from 1; None out of range."""
    return index + 1 if index is not None and 0 <= index < count else None


def diff_by_sentence(
    pieces: Sequence[Piece],
    text: str,
    scores: Sequence[SentenceScore],
    *,
    absent: PieceKind = PieceKind.REMOVED,
) -> tuple[tuple[Piece, ...], ...]:
    """Split a diff at the sentences of `text`.

    Pieces `absent` from `text` between two sentences go to the second.
    """
    # Each sentence extends to the next one, so that the stretches cover the text.
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
    """Return the offset in y of the next remaining letter, from `at`."""
    for piece in queue:
        if piece.kind is PieceKind.REMOVED:
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
    """Pair the sentences; splits and merges have several on a side."""
    groups: list[list[int]] = []  # [first and last of before, first and last of after]
    for i, j in _alike(before, after):
        if groups and (i <= groups[-1][1] or j <= groups[-1][3]):
            groups[-1][1], groups[-1][3] = max(groups[-1][1], i), max(groups[-1][3], j)
        else:
            groups.append([i, i, j, j])
    pairs: list[Pair] = []
    at_before = at_after = 0
    for i1, i2, j1, j2 in [*groups, [len(before), len(before), len(after), len(after)]]:
        # Sentences between pairs share no words: paired by position.
        for old, new in zip_longest(before[at_before:i1], after[at_after:j1]):
            pairs.append(Pair(before=(old,) if old else (), after=(new,) if new else ()))
        if i1 < len(before):
            pairs.append(Pair(before=tuple(before[i1 : i2 + 1]), after=tuple(after[j1 : j2 + 1])))
        at_before, at_after = i2 + 1, j2 + 1
    return tuple(pairs)


def _alike(
    before: Sequence[MarkedSentence], after: Sequence[MarkedSentence]
) -> list[tuple[int, int]]:
    """Return index pairs of sentences with enough common text."""
    # Without white space, the n-th common letter of x is the n-th common letter of y.
    ends_before, ends_after = (
        list(accumulate(_letters(sentence, PieceKind.SAME) for sentence in side))
        for side in (before, after)
    )
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


def _letters(sentence: MarkedSentence, *kinds: PieceKind) -> int:
    """Count the letters of pieces of `kinds`, by default of all."""
    texts = (piece.text for piece in sentence.pieces if not kinds or piece.kind in kinds)
    return sum(len("".join(text.split())) for text in texts)
