"""ALCE's figures of cited answers, strict as in the reference and corrected.

docs/metrics.md defines every figure; `citation_support` batches the pairs.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

from pipeline.backends.sentences import Nltk, nltk
from pipeline.engine.answer_readings import AnswerReading, Figures, read_answer
from pipeline.engine.auto_ais import Scores, ScoringModels, score_answer
from pipeline.importing.alce import AlceAnswer, Dataset, guess_dataset
from pipeline.metrics.alce_reference import MAX_SOURCES
from pipeline.metrics.answer_recall import read_answer_scores
from pipeline.metrics.citation_support import Entailments, Pair, Support, citation_support
from pipeline.rarr.checked_calls import entailment_probabilities
from pipeline.rarr.ports import SentenceSplitter
from pipeline.rarr.types import Passage, Report

ReadAnswers = Callable[[Sequence[Pair]], Sequence[str]]
"""Extracts the short answer to each (question, text); "" for none."""
MAIN = {"asqa": "str_em", "qampari": "qampari_rec_top5", "eli5": "claims_nli"}
"""The main figure of correctness of each of ALCE's datasets."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StatementDecisions:
    """The decisions about one statement of the corrected reading."""

    start: int | None
    end: int | None
    """Its span in the answer, with citations; None if it is not there verbatim."""
    sources: tuple[int, ...]
    """The valid numbers that it cites, at most `MAX_SOURCES`."""
    wrong: int
    """Count of invalid numbers."""
    probability: float | None
    """That these sources together entail it, 0.0 to 1.0; None without citations."""
    irrelevant: tuple[int, ...]
    """The irrelevant numbers; none if it is not supported."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerScores:
    """One answer's figures; None or absent if there is nothing to score."""

    dataset: Dataset | None
    """Decides the figures of correctness."""
    strict: Figures
    corrected: Figures
    statements: tuple[StatementDecisions, ...]
    claims: tuple[float, ...] = ()
    """The probability that the answer entails each gold claim, 0.0 to 1.0."""

    @property
    def correctness(self) -> float | None:
        """The figure of `MAIN`; None without gold answers."""
        return self.corrected.get(MAIN[self.dataset]) if self.dataset else None

    def to_plain(self) -> dict[str, Any]:
        """The value of `models.Revision.citation_scores`."""
        return asdict(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Readings:
    dataset: Dataset | None
    strict: AnswerReading
    corrected: AnswerReading

    def first_pairs(self) -> Iterator[Pair]:
        """Yield the pairs that need entailment whatever the results."""
        for each in (self.strict, self.corrected):
            yield from each.claims
            for statement in each.cited.statements:
                if statement.sources:
                    yield each.cited.premise(statement.sources), statement.text


def read_both_ways(
    answer: AlceAnswer,
    *,
    dataset: Dataset | None,
    split: SentenceSplitter,
    nltk: Nltk | None,
    at_most: int = MAX_SOURCES,
    cot: bool = False,
) -> Readings:
    read = partial(read_answer, answer, dataset, split=split, nltk=nltk, at_most=at_most, cot=cot)
    return Readings(dataset=dataset, strict=read(is_strict=True), corrected=read(is_strict=False))


def score_readings(
    answers: Sequence[Readings], *, known: Entailments, read: ReadAnswers | None = None
) -> list[AnswerScores]:
    """Score each answer; with `read`, ASQA's QA figures too."""
    readings = [each.strict for each in answers] + [each.corrected for each in answers]
    supports = citation_support(
        [each.cited for each in readings],
        known,
        also=(pair for each in readings for pair in each.claims),
    )
    figures = [_figures(*each, known) for each in zip(readings, supports, strict=True)]
    if read:
        pairs = [pair for each in readings for pair in each.questions]
        answered = iter(read(pairs))
        for reading, one in zip(readings, figures, strict=True):
            answers_read = [next(answered) for _ in reading.questions]
            one |= read_answer_scores(answers_read, reading.short_answers, strict=reading.is_strict)
    n = len(answers)
    return [
        AnswerScores(
            dataset=answer.dataset,
            strict=strict,
            corrected=corrected,
            statements=tuple(_statements(answer.corrected, support)),
            claims=tuple(map(known.probability, answer.corrected.claims)),
        )
        for answer, strict, corrected, support in zip(
            answers, figures[:n], figures[n:], supports[n:], strict=True
        )
    ]


def score_cited(
    passage: Passage, report: Report, answer: AlceAnswer, models: ScoringModels
) -> tuple[Scores, AnswerScores]:
    """Return auto-AIS of an answer over its sources, and ALCE's figures.

    The passage's text is the output of `answer`, the report its sources. Raises as `score_answer`.
    """
    dataset = guess_dataset([answer])
    readings = read_both_ways(answer, dataset=dataset, split=models.splitter, nltk=nltk())
    scores, scores_by_pair = score_answer(passage, report, models, also=readings.first_pairs())
    known = Entailments(
        partial(entailment_probabilities, entailment=models.entailment),
        known={pair: each.entailed for pair, each in scores_by_pair.items()},
    )
    (answer_scores,) = score_readings([readings], known=known)
    return scores, answer_scores


def _figures(reading: AnswerReading, support: Support, known: Entailments) -> Figures:
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


def _statements(reading: AnswerReading, support: Support) -> Iterator[StatementDecisions]:
    each = zip(reading.cited.statements, reading.positions, support.decisions, strict=True)
    for statement, position, decided in each:
        start, end = position or (None, None)
        yield StatementDecisions(
            start=start,
            end=end,
            sources=tuple(source + 1 for source in statement.sources),
            wrong=statement.wrong,
            probability=decided.probability,
            irrelevant=tuple(source + 1 for source in decided.irrelevant),
        )
