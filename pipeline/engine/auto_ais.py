"""Auto-AIS of a revision, by sentence, and the derived figures (sections 2.1-2.3).

x and y are scored against the same report A, each sentence decontextualized within its text.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, NamedTuple

from pipeline.metrics.attribution import attribution, best_entailment, f1_ap, restrictive
from pipeline.metrics.citation_marks import with_citations, without_citations
from pipeline.metrics.preservation import preservation_levenshtein
from pipeline.rarr.checked_calls import decontextualize, score_entailment
from pipeline.rarr.ports import Decontextualizer, Entailment, SentenceSplitter
from pipeline.rarr.serialization import to_plain
from pipeline.rarr.types import EntailmentScore, Passage, Report, Revision

ATTRIBUTED = 0.5
"""The least probability of entailment of an attributed sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceScore:
    start: int
    end: int
    """Its span in its text (x or y)."""
    text: str
    decontextualized: str
    """The sentence as scored."""
    entailed: float | None = None
    """max over e in A of NLI(e, s), 0.0 to 1.0; 0.0 for an empty report."""
    evidence: int | None = None
    """Index of the evidence that entails it most; None for an empty report."""
    contradicted: float | None = None
    """max over e in A of the probability that e contradicts s; None if unknown."""
    contradicted_by: int | None = None
    reason: str = ""
    """Names the contradicted value and the evidence's, if known."""

    @property
    def is_attributed(self) -> bool:
        return self.entailed is not None and self.entailed >= ATTRIBUTED

    @property
    def is_contradicted(self) -> bool:
        return self.contradicted is not None and self.contradicted >= ATTRIBUTED

    @property
    def is_disputed(self) -> bool:
        """One source supports the sentence, another contradicts it (section 9)."""
        return self.is_attributed and self.is_contradicted and self.evidence != self.contradicted_by

    @property
    def restrictive(self) -> float | None:
        """Its share in restrictive attribution; None if contradiction is unknown."""
        if self.entailed is None:
            return None
        known = 0.0 if self.evidence is None else self.contradicted
        return restrictive(self.entailed, known)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scores:
    """The figures of one revision, 0.0 to 1.0; None without sentences."""

    before: tuple[SentenceScore, ...]
    after: tuple[SentenceScore, ...] = ()
    attribution_before: float | None = None
    attribution_after: float | None = None
    """Attr_auto, equation 2: permissive, a single supporting source is enough."""
    preservation: float | None = None
    """Pres_Lev, equation 3."""
    f1_ap: float | None = None
    """Of attribution after and Pres_Lev, as in the paper's Table 2."""

    @property
    def restrictive_before(self) -> float | None:
        """Attribution without sentences that a source contradicts more (section 9).

        None without sentences or if contradiction is unknown.
        """
        return _restrictive(self.before)

    @property
    def restrictive_after(self) -> float | None:
        return _restrictive(self.after)


class ScoringModels(NamedTuple):
    entailment: Entailment
    splitter: SentenceSplitter
    decontextualizer: Decontextualizer


def score(revision: Revision, models: ScoringModels) -> Scores:
    """Score x and y of a revision against its report.

    Raises the models' `TransientError`, and `UnreadableReply` for a wrong number of results.
    """
    passage = revision.passage
    before = _sentences(passage, models)
    after = before
    if revision.is_changed:
        after = _sentences(replace(passage, text=revision.text), models)

    known = _entailed([*before, *after], revision.report, models.entailment)
    before = tuple(_scored(each, revision.report, known) for each in before)
    after = tuple(_scored(each, revision.report, known) for each in after)
    attribution_after = attribution([each.entailed or 0.0 for each in after])
    preservation = preservation_levenshtein(passage.text, revision.text)
    return Scores(
        before=before,
        after=after,
        attribution_before=attribution([each.entailed or 0.0 for each in before]),
        attribution_after=attribution_after,
        preservation=preservation,
        f1_ap=f1_ap(attribution_after, preservation),
    )


def score_answer(
    passage: Passage, report: Report, models: ScoringModels, *, also: Iterable[tuple[str, str]]
) -> tuple[Scores, dict[tuple[str, str], EntailmentScore]]:
    """Score the statements of a cited answer, without citations, against its sources.

    `also` are further pairs to score in the same call; all results are returned.
    """
    statements = _sentences(passage, models, cites=True)
    known = _entailed(statements, report, models.entailment, also)
    scored = tuple(_scored(each, report, known) for each in statements)
    figure = attribution([each.entailed or 0.0 for each in scored])
    return Scores(before=scored, attribution_before=figure), known


def sentences_to_plain(scores: Scores) -> dict[str, list[dict[str, Any]]]:
    """The value of `models.Revision.sentences`."""
    return {"before": to_plain(scores.before), "after": to_plain(scores.after)}


def sentences_from_plain(plain: Mapping[str, Any], which: str) -> tuple[SentenceScore, ...]:
    return tuple(SentenceScore(**each) for each in plain.get(which, []))


ATTRIBUTED_CODES = "ad"
"""The `sentence_codes` of attributed sentences."""


def sentence_codes(sentences: Sequence[SentenceScore]) -> str:
    """Return a letter per sentence, for filters.

    a: attributed · d: attributed, contradicted by another source · c: contradicted, not attributed
    · n: not attributed · -: not scored.
    """
    return "".join(map(_code, sentences))


def _code(sentence: SentenceScore) -> str:
    if sentence.entailed is None:
        return "-"
    if sentence.is_attributed:
        return "d" if sentence.is_disputed else "a"
    return "c" if sentence.is_contradicted else "n"


def _restrictive(sentences: Sequence[SentenceScore]) -> float | None:
    counted = [each.restrictive for each in sentences]
    known = [figure for figure in counted if figure is not None]
    return attribution(known) if len(known) == len(counted) else None


def _sentences(
    passage: Passage, models: ScoringModels, *, cites: bool = False
) -> tuple[SentenceScore, ...]:
    """Citations are excluded from the sentences of a text that `cites`."""
    positions = [(span.start, span.end) for span in models.splitter(passage.text)]
    bare = without_citations if cites else str
    if cites:
        positions = list(with_citations(passage.text, positions))
    rewritten = decontextualize(
        [bare(passage.text[start:end]) for start, end in positions],
        passage=replace(passage, text=bare(passage.text)),
        decontextualizer=models.decontextualizer,
    )
    return tuple(
        SentenceScore(start=start, end=end, text=passage.text[start:end], decontextualized=each)
        for (start, end), each in zip(positions, rewritten, strict=True)
    )


def _entailed(
    sentences: Sequence[SentenceScore],
    report: Report,
    entailment: Entailment,
    also: Iterable[tuple[str, str]] = (),
) -> dict[tuple[str, str], EntailmentScore]:
    """Score every (evidence, sentence) pair and `also` in one call."""
    pairs = (
        (evidence.titled_text, sentence.decontextualized)
        for sentence in sentences
        for evidence in report.evidence
    )
    return score_entailment(chain(pairs, also), entailment=entailment)


def _scored(
    sentence: SentenceScore, report: Report, known: Mapping[tuple[str, str], EntailmentScore]
) -> SentenceScore:
    answers = [known[each.titled_text, sentence.decontextualized] for each in report.evidence]
    entailed, evidence = best_entailment([answer.entailed for answer in answers])
    contradictions = [
        (answer.contradicted, -index)
        for index, answer in enumerate(answers)
        if answer.contradicted is not None
    ]
    contradicted, index = max(contradictions, default=(None, None))
    return replace(
        sentence,
        entailed=entailed,
        evidence=evidence,
        contradicted=contradicted,
        contradicted_by=None if index is None else -index,
        reason="" if index is None else answers[-index].reason,
    )
