"""ALCE's figures of a run's output, strict as the reference has them and corrected."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pipeline.importing.alce_answers import AlceAnswer, Dataset
from pipeline.metrics import alce_reference, citation_corrections
from pipeline.metrics.answer_recall import exact_recall, list_scores, read_answer_scores
from pipeline.metrics.citation_marks import without_citations
from pipeline.metrics.citation_support import (
    CitedAnswer,
    Entailments,
    Entails,
    Pair,
    Statement,
    Support,
    citation_support,
)
from pipeline.metrics.inference import Estimate, mean_estimate
from pipeline.metrics.rouge import rouge_lsum
from pipeline.rarr.types import Span

Split = Callable[[str], Sequence[Span]]
Read = Callable[[Sequence[tuple[str, str]]], Sequence[str]]
"""The short answer of each (question, text), "" for none."""
Punkt = Callable[[str], Sequence[str]]
Figures = dict[str, float | None]
"""One item's figures, by the reference's names; shares are from 0.0 to 1.0."""
COUNTS = ("length", "num_preds")
"""Figures that are no shares: means of words and of answers."""
NAMES = (
    "citation_rec", "citation_prec", "citation_rec_graded", "str_em", "str_hit", "qampari_prec",
    "qampari_rec", "qampari_rec_top5", "qampari_f1", "qampari_f1_top5", "num_preds", "claims_nli",
    "rougeLsum", "QA-EM", "QA-F1", "QA-Hit", "mauve", "length",
)  # fmt: skip
"""What the output file names; `mauve` is not measured here, so it is always null."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CitationScores:
    """The figures of all answers: shares from 0.0 to 1.0, None where there is nothing to score."""

    n: int
    strict: Mapping[str, Estimate | None]
    corrected: Mapping[str, Estimate | None]

    def to_plain(self) -> dict[str, Any]:
        """As the output file holds it: shares and their intervals in percent."""
        found: dict[str, Any] = {"n": self.n}
        for name, estimates in (("strict", self.strict), ("corrected", self.corrected)):
            inflated = {key: in_percent(key, each) for key, each in estimates.items()}
            found[name] = {key: each and each.value for key, each in inflated.items()}
            found[f"{name}_intervals"] = {
                key: each and {"n": each.n, "low": each.low, "high": each.high}
                for key, each in inflated.items()
            }
        return found


def in_percent(name: str, estimate: Estimate | None) -> Estimate | None:
    """The estimate times 100, unless it is of something that is counted."""
    if estimate is None or name in COUNTS:
        return estimate
    low, high = estimate.low, estimate.high
    return Estimate(
        value=100 * estimate.value,
        n=estimate.n,
        low=None if low is None else 100 * low,
        high=None if high is None else 100 * high,
    )


def score_citations(
    answers: Sequence[AlceAnswer],
    *,
    dataset: Dataset | None,
    entails: Entails,
    split: Split,
    punkt: Punkt | None = None,
    read: Read | None = None,
    at_most: int = alce_reference.AT_MOST,
) -> CitationScores:
    """The figures of all answers; `dataset` says which of them there are.

    `punkt` is NLTK's own splitter, for the strict figures; without it `split` stands in.
    `read` finds short answers for ASQA's QA figures.
    """
    readings: list[_Reading] = []
    for each in answers:
        readings.append(_strict(each, dataset, split, punkt, at_most))
    for each in answers:
        readings.append(_corrected(each, dataset, split, at_most))
    known = Entailments(entails)
    found = citation_support(
        [each.cited for each in readings],
        known,
        also=(pair for each in readings for pair in each.claims),
    )
    figures = [_figures(*each, known) for each in zip(readings, found, strict=True)]
    if read:
        asked = [pair for each in readings for pair in each.questions]
        answered = iter(read(asked))
        for reading, one in zip(readings, figures, strict=True):
            one |= _read_figures(reading, [next(answered) for _ in reading.questions])
    n = len(answers)
    return CitationScores(n=n, strict=_means(figures[:n]), corrected=_means(figures[n:]))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reading:
    """One answer, taken apart in one of the two ways."""

    cited: CitedAnswer
    claims: Sequence[Pair]
    """The output as a premise of each claim."""
    has_claims: bool
    questions: Sequence[Pair]
    """ASQA's questions, each with the output."""
    short_answers: Sequence[Sequence[str]]
    figures: Figures
    """Those that need no model."""
    is_strict: bool


def _strict(
    answer: AlceAnswer, dataset: Dataset | None, split: Split, punkt: Punkt | None, at_most: int
) -> _Reading:
    output = alce_reference.first_line(answer.output)
    passages = answer.passages

    def sentences(text: str) -> list[str]:
        if punkt:
            return list(punkt(text))
        return list(alce_reference.sentences_as_punkt([span.of(text) for span in split(text)]))

    parts = (
        alce_reference.listed(output, question=answer.question)
        if dataset == "qampari"
        else sentences(output)
    )
    found = alce_reference.statements(parts, passages=len(passages), at_most=at_most)
    return _read(
        answer,
        dataset,
        statements=found,
        passages=passages,
        bare=alce_reference.remove_citations(output),
        sentences=sentences,
        strict=True,
    )


def _corrected(answer: AlceAnswer, dataset: Dataset | None, split: Split, at_most: int) -> _Reading:
    output = alce_reference.first_line(answer.output)
    passages = answer.passages
    if dataset == "qampari":
        found = [
            citation_corrections.statement(
                each, passages=len(passages), at_most=at_most, before=f"{answer.question} "
            )
            for each in citation_corrections.listed(output)
        ]
    else:
        found = citation_corrections.statements(
            output,
            [(span.start, span.end) for span in split(output)],
            passages=len(passages),
            at_most=at_most,
        )
    return _read(
        answer,
        dataset,
        statements=found,
        passages=passages,
        bare=without_citations(output),
        sentences=lambda text: [span.of(text) for span in split(text)],
        strict=False,
    )


def _read(
    answer: AlceAnswer,
    dataset: Dataset | None,
    *,
    statements: Sequence[Statement],
    passages: Sequence[str],
    bare: str,
    sentences: Callable[[str], Sequence[str]],
    strict: bool,
) -> _Reading:
    figures: Figures = {"length": float(len(bare.split()))}
    pairs = answer.qa_pairs or [] if dataset == "asqa" else []
    short = [each.short_answers for each in pairs]
    if dataset == "asqa":
        figures["str_em"] = recall = exact_recall(bare, short, strict=strict)
        figures["str_hit"] = None if recall is None else float(recall == 1)
    if dataset == "qampari":
        listed = list_scores(bare, answer.answers or [], strict=strict)
        said = alce_reference.predictions(bare)
        figures |= {
            "num_preds": float(len(said) if strict else len(set(said))),
            "qampari_prec": listed.precision,
            "qampari_rec": listed.recall,
            "qampari_rec_top5": listed.recall_top5,
            "qampari_f1": listed.f1,
            "qampari_f1_top5": listed.f1_top5,
        }
    else:
        text = sentences(bare)
        scores = [rouge_lsum(text, sentences(each)) for each in answer.references]
        figures["rougeLsum"] = max((each for each in scores if each is not None), default=None)
    claims = answer.claims or [] if dataset == "eli5" else []
    return _Reading(
        cited=CitedAnswer(statements=statements, passages=passages),
        # An output without a word says nothing: there is no need to ask.
        claims=[(bare, claim) for claim in claims] if bare.strip() or strict else [],
        has_claims=bool(claims),
        questions=[(each.question, bare or " ") for each in pairs],
        short_answers=short,
        figures=figures,
        is_strict=strict,
    )


def _figures(reading: _Reading, support: Support, known: Entailments) -> Figures:
    precision = support.precision
    if reading.is_strict and support.recall is not None and precision is None:
        precision = 0.0
    figures = dict(reading.figures)
    figures["citation_rec"], figures["citation_prec"] = support.recall, precision
    figures["citation_rec_graded"] = support.graded
    if reading.has_claims:
        held = sum(map(known.holds, reading.claims))
        figures["claims_nli"] = held / len(reading.claims) if reading.claims else 0.0
    return figures


def _read_figures(reading: _Reading, read: Sequence[str]) -> Figures:
    found = read_answer_scores(read, reading.short_answers, strict=reading.is_strict)
    if found is None:
        return {}
    exact, shared = found
    return {"QA-EM": exact, "QA-F1": shared, "QA-Hit": float(exact == 1)}


def _means(items: Sequence[Figures]) -> dict[str, Estimate | None]:
    def values(name: str) -> Iterator[float]:
        return (value for each in items if (value := each.get(name)) is not None)

    return {
        name: mean_estimate(
            list(values(name)), lowest=0, highest=float("inf") if name in COUNTS else 1
        )
        for name in NAMES
    }
