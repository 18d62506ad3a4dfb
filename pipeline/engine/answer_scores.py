"""ALCE's figures of answers that cite: strict as the reference has them, and corrected.

All pairs of an entailment model are asked together, each once: `citation_support` says in which
rounds. docs/citations.md defines every figure.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

from pipeline.backends.sentences import punkt
from pipeline.engine.answer_readings import (
    Figures,
    Punkt,
    Reading,
    read_corrected,
    read_strictly,
)
from pipeline.engine.auto_ais import Scores, ScoringModels, score_answer
from pipeline.importing.alce_answers import AlceAnswer, Dataset, guess_dataset
from pipeline.metrics.alce_reference import AT_MOST
from pipeline.metrics.answer_recall import read_answer_scores
from pipeline.metrics.citation_support import Entailments, Pair, Support, citation_support
from pipeline.rarr.checked_calls import probabilities
from pipeline.rarr.ports import SentenceSplitter
from pipeline.rarr.types import Passage, Report

ReadAnswers = Callable[[Sequence[Pair]], Sequence[str]]
"""The short answer of each (question, text), "" for none."""
MAIN = {"asqa": "str_em", "qampari": "qampari_rec_top5", "eli5": "claims_nli"}
"""The one figure of each of ALCE's datasets that says how much of what is right an answer has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StatementSupport:
    """What was decided of one statement, read as it is meant."""

    start: int | None
    end: int | None
    """Where it stands in the answer, with its citations; None where it does not as it is."""
    sources: tuple[int, ...]
    """The numbers that it cites and that were looked at."""
    wrong: int
    """How many of its numbers are no source's."""
    probability: float | None
    """That these sources, together, entail it, 0.0 to 1.0; None where it cites none."""
    irrelevant: tuple[int, ...]
    """The numbers that are irrelevant; none where it is not supported."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerScores:
    """One answer's figures; nothing to score is None or left out."""

    dataset: Dataset | None
    """Whose figures of correctness there are."""
    strict: Figures
    corrected: Figures
    statements: tuple[StatementSupport, ...]
    claims: tuple[float, ...] = ()
    """The probability that the answer entails each claim that is right, 0.0 to 1.0."""

    @property
    def correctness(self) -> float | None:
        """The figure of `MAIN`; None where the dataset has no right answers."""
        return self.corrected.get(MAIN[self.dataset]) if self.dataset else None

    def to_plain(self) -> dict[str, Any]:
        """As `models.Revision.citation_scores` holds it."""
        return asdict(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Readings:
    """An answer taken apart in both ways."""

    dataset: Dataset | None
    strict: Reading
    corrected: Reading

    def first_pairs(self) -> Iterator[Pair]:
        """What an entailment model is asked first, whatever it will say."""
        for each in (self.strict, self.corrected):
            yield from each.claims
            for statement in each.cited.statements:
                if statement.sources:
                    yield each.cited.premise(statement.sources), statement.text


def read_answer(
    answer: AlceAnswer,
    *,
    dataset: Dataset | None,
    split: SentenceSplitter,
    punkt: Punkt | None,
    at_most: int = AT_MOST,
) -> Readings:
    """The answer taken apart; `dataset` says which figures of correctness there are."""
    return Readings(
        dataset=dataset,
        strict=read_strictly(answer, dataset, split=split, punkt=punkt, at_most=at_most),
        corrected=read_corrected(answer, dataset, split=split, at_most=at_most),
    )


def score_readings(
    answers: Sequence[Readings], *, known: Entailments, read: ReadAnswers | None = None
) -> list[AnswerScores]:
    """The figures of each answer; `read` finds short answers for ASQA's QA figures."""
    readings = [each.strict for each in answers] + [each.corrected for each in answers]
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
    return [
        AnswerScores(
            dataset=answer.dataset,
            strict=strict,
            corrected=corrected,
            statements=tuple(_statements(answer.corrected, support)),
            claims=tuple(map(known.probability, answer.corrected.claims)),
        )
        for answer, strict, corrected, support in zip(
            answers, figures[:n], figures[n:], found[n:], strict=True
        )
    ]


def score_cited(
    passage: Passage, report: Report, answer: AlceAnswer, models: ScoringModels
) -> tuple[Scores, AnswerScores]:
    """Auto-AIS of one answer over all its sources, and ALCE's figures; raises as `score_answer`.

    The passage's text is the output of `answer`, and the report what it may cite. The fields of
    `answer` tell which dataset's figures it has.
    """
    readings = read_answer(
        answer, dataset=guess_dataset([answer]), split=models.splitter, punkt=punkt()
    )
    scores, said = score_answer(passage, report, models, also=readings.first_pairs())
    known = Entailments(
        partial(probabilities, entailment=models.entailment),
        known={pair: each.entailed for pair, each in said.items()},
    )
    (found,) = score_readings([readings], known=known)
    return scores, found


def _figures(reading: Reading, support: Support, known: Entailments) -> Figures:
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


def _read_figures(reading: Reading, read: Sequence[str]) -> Figures:
    found = read_answer_scores(read, reading.short_answers, strict=reading.is_strict)
    if found is None:
        return {}
    exact, shared = found
    return {"QA-EM": exact, "QA-F1": shared, "QA-Hit": float(exact == 1)}


def _statements(reading: Reading, support: Support) -> Iterator[StatementSupport]:
    each = zip(reading.cited.statements, reading.places, support.decisions, strict=True)
    for statement, place, decided in each:
        start, end = place or (None, None)
        yield StatementSupport(
            start=start,
            end=end,
            sources=tuple(source + 1 for source in statement.sources),
            wrong=statement.wrong,
            probability=decided.probability,
            irrelevant=tuple(source + 1 for source in decided.irrelevant),
        )
