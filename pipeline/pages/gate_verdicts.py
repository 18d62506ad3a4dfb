"""Conflicts between the agreement gate and auto-AIS.

The gate compares one span with one snippet, auto-AIS the sentence with all snippets.
"""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from pipeline.diff.words import common_ends
from pipeline.pages.sentence_pairs import GateConflict, Mark, MarkedSentence
from pipeline.rarr.types import Evidence, Revision, Verdict
from pipeline.text.spans import Span

_CONFLICTING = {
    Mark.ATTRIBUTED: Verdict.DISAGREES,
    Mark.NOT_ATTRIBUTED: Verdict.AGREES,
    Mark.CONTRADICTED: Verdict.AGREES,
}
"""Mark → the verdict in conflict with it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GateJudgment:
    """A verdict of the trace on some words."""

    step: int
    """From 1."""
    verdict: Verdict
    evidence: Evidence | None
    is_outdated: bool = False
    """An edit changed the words."""


class TextChange(NamedTuple):
    """An accepted edit: `text_before[start:end]` became `text_after[start:new_end]`."""

    start: int
    end: int
    new_end: int


def mark_gate_conflicts(
    revision: Revision,
    before: Sequence[MarkedSentence],
    after: Sequence[MarkedSentence],
    *,
    starts_before: Sequence[int],
    starts_after: Sequence[int],
) -> tuple[tuple[MarkedSentence, ...], tuple[MarkedSentence, ...]]:
    """Return the sentences of x and y with conflicts; `starts_*` are their offsets."""
    changes = {
        number: _change(step.text_before, step.text_after)
        for number, step in enumerate(revision.trace, start=1)
        if step.text_after != step.text_before
    }
    of_x: defaultdict[int, list[GateJudgment]] = defaultdict(list)
    of_y: defaultdict[int, list[GateJudgment]] = defaultdict(list)
    compared: set[tuple[str, str]] = set()
    for judged, span, since in _judged(revision):
        if judged.evidence:
            compared.add(judged.evidence.identity)
        undone = [
            TextChange(change.start, change.new_end, change.end)
            for number, change in reversed(changes.items())
            if number < since
        ]
        done = [change for number, change in changes.items() if number >= since]
        for side, moves, starts in ((of_x, undone, starts_before), (of_y, done, starts_after)):
            moved, is_changed = _moved(span, moves)
            side[_sentence_of(moved, starts)].append(replace(judged, is_outdated=is_changed))
    snippets = revision.report.evidence
    return (
        tuple(_mark(each, of_x, compared, snippets) for each in before),
        tuple(_mark(each, of_y, compared, snippets) for each in after),
    )


def _judged(revision: Revision) -> Iterator[tuple[GateJudgment, Span, int]]:
    """Yield each verdict, its words, and the first step that may change them."""
    for number, step in enumerate(revision.trace, start=1):
        if step.agreement is None:
            continue
        judged = GateJudgment(step=number, verdict=step.agreement.verdict, evidence=step.evidence)
        if step.agreement.passage_span is not None:
            yield judged, step.agreement.passage_span, number
        elif step.query.about is not None:
            yield judged, step.query.about, 1
        else:
            yield judged, Span(start=0, end=len(step.text_before)), number


def _change(old: str, new: str) -> TextChange:
    start, tail = common_ends(old, new)
    return TextChange(start, len(old) - tail, len(new) - tail)


def _moved(span: Span, changes: Sequence[TextChange]) -> tuple[Span, bool]:
    """Return the span after the changes, and whether its words changed."""
    start, end, is_changed = span.start, span.end, False
    for change in changes:
        if start >= change.end:
            longer = change.new_end - change.end
            start, end = start + longer, end + longer
        elif end > change.start:
            start, end, is_changed = change.start, change.new_end, True
    return Span(start=start, end=end), is_changed


def _sentence_of(span: Span, starts: Sequence[int]) -> int:
    """Return the number of the one sentence with the span, or 0."""
    first = max(bisect_right(starts, span.start), 1)
    return first if max(bisect_right(starts, span.end - 1), 1) == first else 0


def _mark(
    sentence: MarkedSentence,
    of_sentences: Mapping[int, Sequence[GateJudgment]],
    compared: Collection[tuple[str, str]],
    snippets: Sequence[Evidence],
) -> MarkedSentence:
    """Mark a conflict.

    `of_sentences` has verdicts by sentence number, 0 for several; `compared` identifies evidence.
    """
    all_judged = of_sentences.get(sentence.number, [])
    judged = [each for each in all_judged if not each.is_outdated]
    verdicts = {each.verdict for each in judged}
    if sentence.contradicted_by is not None:
        against = snippets[sentence.contradicted_by - 1].identity
        on_evidence = [
            each
            for each in (*all_judged, *of_sentences.get(0, []))
            if each.evidence and each.evidence.identity == against
        ]
        # Evidence retrieved for other sentences is mostly about something else.
        is_silent = all(each.verdict is Verdict.IRRELEVANT for each in on_evidence)
        if against in compared and is_silent:
            return replace(
                sentence,
                mark=Mark.ATTRIBUTED if sentence.mark is Mark.ATTRIBUTED else Mark.NOT_ATTRIBUTED,
                is_disputed=False,
                contradicted_by=None,
                unrelated=sentence.contradicted_by,
                gate=_conflict(Verdict.IRRELEVANT, on_evidence),
            )
    other = _CONFLICTING.get(sentence.mark)
    # A disagreement on some words is one on the sentence.
    if other in verdicts and not (other is Verdict.AGREES and Verdict.DISAGREES in verdicts):
        return replace(sentence, gate=_conflict(other, judged))
    return sentence


def _conflict(verdict: Verdict, judged: Sequence[GateJudgment]) -> GateConflict:
    steps = tuple(each.step for each in judged if each.verdict is verdict)
    return GateConflict(verdict=verdict, steps=steps)
