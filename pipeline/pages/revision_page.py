"""The page of a revision as values, without the database."""

import enum
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from pipeline.diff.words import Piece, excerpt, word_diff
from pipeline.engine.auto_ais import Scores
from pipeline.pages.gate_verdicts import mark_gate_conflicts
from pipeline.pages.sentence_pairs import (
    VERDICT_WORDS,
    Mark,
    MarkedSentence,
    Pair,
    mark_sentences,
    pair_sentences,
)
from pipeline.rarr.types import (
    Agreement,
    EditOutcome,
    Evidence,
    Report,
    Revision,
    SkippedPage,
    TraceStep,
    Verdict,
)
from pipeline.text.spans import Span
from rarrweb.web.addresses import web_address

_NAMED = 12
"""Sentences that a notice names; it counts the others."""


class AttributionLevel(enum.StrEnum):
    """How much of y is attributed; partly attributed text must not pass as whole."""

    ALL = "all"
    PARTLY = "partly"
    NONE = "none"
    NO_EVIDENCE = "no-evidence"
    NOT_SCORED = "not-scored"
    NO_TEXT = "no-text"


@dataclass(frozen=True, slots=True, kw_only=True)
class AttributionSummary:
    """How much of y is attributed, and which sentences are not."""

    level: AttributionLevel
    attributed: int
    total: int
    attributed_before: int
    total_before: int
    unattributed: tuple[MarkedSentence, ...]
    """The first `_NAMED`."""
    unattributed_more: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    text: str
    is_marked: bool
    """It answers a query."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    title: str
    heading: str
    stretches: tuple[Stretch, ...]
    url: str
    """Any text."""
    link: str
    """The URL if it is an http(s) address, else ""."""
    number: int | None
    """In the attribution report, from 1; None if it is not in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportCard:
    """A snippet of the attribution report."""

    quote: Quote
    queries: tuple[str, ...]
    """The queries it covers best."""
    carries: tuple[MarkedSentence, ...]
    """The sentences of y attributed to it."""
    contradicts: tuple[MarkedSentence, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceRow:
    number: int
    css_class: str
    """agrees, accepted, rejected, disagrees, irrelevant, nothing or error."""
    icon: str
    words: str
    step: TraceStep
    quote: Quote | None
    has_answers: bool
    """The reason does not quote the two answers."""
    change: tuple[Piece, ...]
    """The accepted or rejected edit with some text around it."""
    extra_evidence: tuple[Quote, ...] = ()
    """The other snippets of an edit from several."""
    differing: tuple[MarkedSentence, ...] = ()
    """Sentences where auto-AIS is in conflict with this verdict."""

    @property
    def verdict_words(self) -> str:
        return VERDICT_WORDS[self.step.agreement.verdict] if self.step.agreement else ""

    @property
    def is_no_op(self) -> bool:
        """Return whether there was no edit and no error."""
        return self.css_class in {"agrees", "irrelevant", "nothing"}


@dataclass(frozen=True, slots=True, kw_only=True)
class RevisionPage:
    result: Revision
    scores: Scores
    pairs: tuple[Pair, ...]
    attribution: AttributionSummary
    cards: tuple[ReportCard, ...]
    trace: tuple[TraceRow, ...]
    tally: tuple[tuple[int, str], ...]
    """Number of steps by outcome: (2, "agrees"), (1, "edit accepted"), …"""
    skipped_pages: tuple[tuple[SkippedPage, str], ...]
    """Each page that was not read, with its link or ""."""
    disputed: tuple[MarkedSentence, ...]
    """The sentences of y that some evidence supports and other evidence contradicts."""
    has_verdicts: bool
    """The trace has verdicts of an agreement model."""
    differing: tuple[MarkedSentence, ...]
    """The sentences of either side where gate and auto-AIS are in conflict."""

    @property
    def event_rows(self) -> list[TraceRow]:
        """The steps with an edit, an error, or a disagreement."""
        return [row for row in self.trace if not row.is_no_op]

    @property
    def no_op_rows(self) -> list[TraceRow]:
        return [row for row in self.trace if row.is_no_op]

    @property
    def used_cards(self) -> list[ReportCard]:
        """The evidence that supports or contradicts a sentence of y."""
        return [card for card in self.cards if card.carries or card.contradicts]

    @property
    def other_cards(self) -> list[ReportCard]:
        return [card for card in self.cards if not (card.carries or card.contradicts)]

    @property
    def decontextualized(self) -> list[MarkedSentence]:
        """The sentences that auto-AIS read in another form; unchanged ones once."""
        sides = (
            (pair.after if pair.is_same else (*pair.before, *pair.after)) for pair in self.pairs
        )
        return [sentence for side in sides for sentence in side if sentence.read_as]


def read_page(revision: Revision, scores: Scores, *, has_gate: bool = True) -> RevisionPage:
    """Make the page; `has_gate` if an agreement model gave the verdicts."""
    pieces = word_diff(revision.passage.text, revision.text)
    count = len(revision.report.evidence)
    before = mark_sentences(
        "before", revision.passage.text, pieces, scores.before, evidence_count=count
    )
    after = mark_sentences("after", revision.text, pieces, scores.after, evidence_count=count)
    if has_gate:
        before, after = mark_gate_conflicts(
            revision,
            before,
            after,
            starts_before=[score.start for score in scores.before],
            starts_after=[score.start for score in scores.after],
        )
    pairs = tuple(
        # An unchanged sentence has its conflict only on the side of y.
        replace(pair, before=tuple(replace(each, gate=None) for each in pair.before))
        if pair.is_same
        else pair
        for pair in pair_sentences(before, after)
    )
    differing = tuple(
        sentence
        for pair in pairs
        for sentence in (*pair.before, *pair.after)
        if sentence.gate and sentence.gate.steps
    )
    trace = tuple(
        replace(
            _trace_row(number, step, revision.report),
            differing=tuple(each for each in differing if each.gate and number in each.gate.steps),
        )
        for number, step in enumerate(revision.trace, start=1)
    )
    return RevisionPage(
        result=revision,
        scores=scores,
        pairs=pairs,
        attribution=_attribution(revision, before, after),
        cards=_report_cards(revision, after),
        trace=trace,
        tally=tuple((count, words) for words, count in Counter(t.words for t in trace).items()),
        skipped_pages=tuple((page, web_address(page.url)[0]) for page in revision.skipped_pages),
        disputed=tuple(sentence for sentence in after if sentence.is_disputed),
        has_verdicts=has_gate and any(step.agreement for step in revision.trace),
        differing=differing,
    )


def _attribution(
    revision: Revision, before: Sequence[MarkedSentence], after: Sequence[MarkedSentence]
) -> AttributionSummary:
    attributed = [s for s in after if s.mark is Mark.ATTRIBUTED]
    unattributed = tuple(s for s in after if s.mark is not Mark.ATTRIBUTED)
    if not revision.text.strip():
        level = AttributionLevel.NO_TEXT
    elif not revision.report.evidence:
        level = AttributionLevel.NO_EVIDENCE
    elif all(s.mark is Mark.NOT_SCORED for s in after):
        level = AttributionLevel.NOT_SCORED
    elif len(attributed) == len(after):
        level = AttributionLevel.ALL
    else:
        level = AttributionLevel.PARTLY if attributed else AttributionLevel.NONE
    return AttributionSummary(
        level=level,
        attributed=len(attributed),
        total=len(after),
        attributed_before=sum(s.mark is Mark.ATTRIBUTED for s in before),
        total_before=len(before),
        unattributed=unattributed[:_NAMED],
        unattributed_more=len(unattributed[_NAMED:]),
    )


# ---- Evidence -------------------------------------------------------------------------------
def mark_spans(text: str, spans: Iterable[Span]) -> tuple[Stretch, ...]:
    """Split the text into stretches; spans may overlap or overshoot."""
    stretches: list[Stretch] = []
    at = 0
    for span in sorted(spans, key=lambda span: (span.start, span.end)):
        start, end = max(span.start, at, 0), min(span.end, len(text))
        if start >= end:
            continue
        if start > at:
            stretches.append(Stretch(text=text[at:start], is_marked=False))
        stretches.append(Stretch(text=text[start:end], is_marked=True))
        at = end
    if at < len(text):
        stretches.append(Stretch(text=text[at:], is_marked=False))
    return tuple(stretches)


def _quote(evidence: Evidence, spans: Iterable[Span], report: Report) -> Quote:
    numbers = (n for n, each in enumerate(report.evidence, 1) if each.identity == evidence.identity)
    return Quote(
        title=evidence.title,
        # A page's first heading often repeats its title.
        heading="" if evidence.heading == evidence.title else evidence.heading,
        stretches=mark_spans(evidence.text, spans),
        url=evidence.url,
        link=web_address(evidence.url)[0],
        number=next(numbers, None),
    )


def _report_cards(revision: Revision, after: Sequence[MarkedSentence]) -> tuple[ReportCard, ...]:
    covers = dict(enumerate(revision.report.covers, start=1))
    return tuple(
        ReportCard(
            quote=_quote(evidence, _answering_spans(revision, evidence), revision.report),
            queries=covers.get(number, ()),
            carries=tuple(s for s in after if s.evidence == number and s.mark is Mark.ATTRIBUTED),
            contradicts=tuple(s for s in after if s.contradicted_by == number),
        )
        for number, evidence in enumerate(revision.report.evidence, start=1)
    )


def _answering_spans(revision: Revision, evidence: Evidence) -> list[Span]:
    return [
        step.agreement.evidence_span
        for step in revision.trace
        if step.evidence is not None
        and step.agreement is not None
        and step.agreement.evidence_span is not None
        and step.agreement.verdict is not Verdict.IRRELEVANT
        and step.evidence.identity == evidence.identity
    ]


# ---- The trace ------------------------------------------------------------------------------
_OUTCOMES: dict[EditOutcome, tuple[str, str, str]] = {
    EditOutcome.ACCEPTED: ("accepted", "✎", "edit accepted"),
    EditOutcome.UNCHANGED: ("disagrees", "≠", "the edit changed nothing"),
    **{each: ("rejected", "✕", "edit rejected") for each in EditOutcome if each.is_rejection},
}
_VERDICTS = {
    Verdict.AGREES: ("agrees", "="),
    Verdict.DISAGREES: ("disagrees", "≠"),
    Verdict.IRRELEVANT: ("irrelevant", "○"),
}


def _outcome(step: TraceStep) -> tuple[str, str, str]:
    """Return CSS class, icon and words."""
    if step.error is not None or step.edit_outcome is EditOutcome.ERROR:
        return ("error", "!", "error")
    if step.evidence is None:
        return ("nothing", "∅", "no evidence found")
    if step.edit_outcome in _OUTCOMES:
        return _OUTCOMES[step.edit_outcome]
    if step.agreement is not None:
        verdict = step.agreement.verdict
        return (*_VERDICTS[verdict], VERDICT_WORDS[verdict])
    return ("irrelevant", "○", "not judged")


def _trace_row(number: int, step: TraceStep, report: Report) -> TraceRow:
    css_class, icon, words = _outcome(step)
    change: tuple[Piece, ...] = ()
    proposed = step.rejected_text or step.text_after
    if proposed != step.text_before:
        change = excerpt(word_diff(step.text_before, proposed), around=40)
    span = step.agreement.evidence_span if step.agreement is not None else None
    return TraceRow(
        number=number,
        css_class=css_class,
        icon=icon,
        words=words,
        step=step,
        quote=_quote(step.evidence, [span] if span else [], report) if step.evidence else None,
        has_answers=_has_answers(step.agreement),
        change=change,
        extra_evidence=tuple(_quote(each, [], report) for each in step.additional_evidence),
    )


def _has_answers(agreement: Agreement | None) -> bool:
    if agreement is None:
        return False
    answers = (agreement.passage_answer, agreement.evidence_answer)
    reason = agreement.reason.casefold()
    return any(answers) and not all(answer.casefold() in reason for answer in answers)
