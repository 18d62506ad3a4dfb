"""What the agreement gate said of a sentence that auto-AIS says something else of.

The gate compares one span of the text with one snippet; auto-AIS scores the whole sentence against
every snippet of the report. So both may be right and still differ.
"""

from bisect import bisect_right
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from pipeline.diff.words import common_ends
from pipeline.pages.sentence_pairs import GateSays, Mark, MarkedSentence
from pipeline.rarr.types import Evidence, Revision, TraceStep, Verdict
from pipeline.text.spans import Span

_OTHERWISE = {
    Mark.ATTRIBUTED: Verdict.DISAGREES,
    Mark.NOT_ATTRIBUTED: Verdict.AGREES,
    Mark.CONTRADICTED: Verdict.AGREES,
}
"""The verdict that says something else than a mark."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A verdict of the trace about some words of one sentence."""

    turn: int
    """From 1."""
    verdict: Verdict
    evidence: Evidence | None
    is_of_other_words: bool = False
    """Whether an edit changed the words that it is about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A kept edit: `text_before[start:end]` became `text_after[start:new_end]`."""

    start: int
    end: int
    new_end: int

    def undone(self) -> "Change":
        return Change(start=self.start, end=self.new_end, new_end=self.end)


def with_gate(
    revision: Revision,
    before: Sequence[MarkedSentence],
    after: Sequence[MarkedSentence],
    *,
    starts_before: Sequence[int],
    starts_after: Sequence[int],
) -> tuple[tuple[MarkedSentence, ...], tuple[MarkedSentence, ...]]:
    """The sentences of x and of y, those told of which the gate says something else.

    `starts_*` are the places where the sentences begin, in the order of their numbers.
    """
    changes = {
        number: _change(step)
        for number, step in enumerate(revision.trace, start=1)
        if step.text_after != step.text_before
    }
    of_x: dict[int, list[Judged]] = {}
    of_y: dict[int, list[Judged]] = {}
    compared: set[tuple[str, str]] = set()
    for judged, span, since in _judged(revision):
        if judged.evidence:
            compared.add(judged.evidence.identity)
        undone = [changes[at].undone() for at in reversed(changes) if at < since]
        done = [change for at, change in changes.items() if at >= since]
        for side, moves, starts in ((of_x, undone, starts_before), (of_y, done, starts_after)):
            place, is_changed = _moved(span, moves)
            told = replace(judged, is_of_other_words=is_changed)
            # 0 for what is about more than one sentence.
            side.setdefault(_sentence_of(place, starts) or 0, []).append(told)
    snippets = revision.report.evidence
    return (
        tuple(_told(each, of_x, compared, snippets) for each in before),
        tuple(_told(each, of_y, compared, snippets) for each in after),
    )


def _judged(revision: Revision) -> Iterator[tuple[Judged, Span, int]]:
    """Each verdict with the words it is about, and the first turn whose edit may change them."""
    for turn, step in enumerate(revision.trace, start=1):
        if step.agreement is None:
            continue
        judged = Judged(turn=turn, verdict=step.agreement.verdict, evidence=step.evidence)
        if step.agreement.passage_span is not None:
            yield judged, step.agreement.passage_span, turn
        elif step.query.about is not None:
            yield judged, step.query.about, 1
        else:
            yield judged, Span(start=0, end=len(step.text_before)), turn


def _change(step: TraceStep) -> Change:
    old, new = step.text_before, step.text_after
    start, tail = common_ends(old, new)
    return Change(start=start, end=len(old) - tail, new_end=len(new) - tail)


def _moved(span: Span, changes: Sequence[Change]) -> tuple[Span, bool]:
    """Where the words stand after the changes, and whether one of them changed the words."""
    start, end, is_changed = span.start, span.end, False
    for change in changes:
        if start >= change.end:
            longer = change.new_end - change.end
            start, end = start + longer, end + longer
        elif end > change.start:
            start, end, is_changed = change.start, change.new_end, True
    return Span(start=start, end=end), is_changed


def _sentence_of(span: Span, starts: Sequence[int]) -> int | None:
    """The number of the sentence that holds the span; None where no one sentence does."""
    first = max(bisect_right(starts, span.start), 1)
    return first if max(bisect_right(starts, span.end - 1), 1) == first else None


def _told(
    sentence: MarkedSentence,
    of_sentences: Mapping[int, Sequence[Judged]],
    compared: Collection[tuple[str, str]],
    snippets: Sequence[Evidence],
) -> MarkedSentence:
    """`of_sentences`: what was judged of each sentence of this side, 0 for more than one;
    `compared`: the evidence that was compared with any words."""
    own = of_sentences.get(sentence.number, [])
    judged = [each for each in own if not each.is_of_other_words]
    verdicts = {each.verdict for each in judged}
    if sentence.contradicted_by is not None:
        against = snippets[sentence.contradicted_by - 1].identity
        beside = [
            each
            for each in (*own, *of_sentences.get(0, []))
            if each.evidence and each.evidence.identity == against
        ]
        # Evidence that was found for other sentences alone is mostly about something else.
        is_silent = all(each.verdict is Verdict.IRRELEVANT for each in beside)
        if against in compared and is_silent:
            return replace(
                sentence,
                mark=Mark.ATTRIBUTED if sentence.mark is Mark.ATTRIBUTED else Mark.NOT_ATTRIBUTED,
                is_disputed=False,
                contradicted_by=None,
                unrelated=sentence.contradicted_by,
                gate=_says(Verdict.IRRELEVANT, beside),
            )
    other = _OTHERWISE.get(sentence.mark)
    # What disagrees with one of its words disagrees with the sentence.
    if other in verdicts and not (other is Verdict.AGREES and Verdict.DISAGREES in verdicts):
        return replace(sentence, gate=_says(other, judged))
    return sentence


def _says(verdict: Verdict, judged: Sequence[Judged]) -> GateSays:
    turns = tuple(each.turn for each in judged if each.verdict is verdict)
    return GateSays(verdict=verdict, turns=turns)
