"""ALCE's figures of a run's output, as the reference computes them and corrected."""

import string
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import fmean
from typing import Any

from pipeline.backends.sentences import Nltk
from pipeline.engine.answer_readings import COUNTS, FIGURES, Figures
from pipeline.engine.answer_scores import ReadAnswers, Readings, read_both_ways, score_readings
from pipeline.importing.alce import AlceAnswer, Dataset, alce_answer, answer_of
from pipeline.importing.passages import inspect_file, read_passages
from pipeline.importing.records import Record, read_objects
from pipeline.importing.rows import Fault, PassageRow, RowError
from pipeline.metrics.alce_reference import MAX_SOURCES, first_line, remove_citations
from pipeline.metrics.citation_marks import cited, without_citations
from pipeline.metrics.citation_support import Entailments, Pair
from pipeline.metrics.inference import Estimate, ratio_estimate
from pipeline.metrics.mauve import describe
from pipeline.rarr.errors import RarrError, RefusedPrompt, UnreadableReply
from pipeline.rarr.ports import Entailment, SentenceSplitter

EntailsOrWhyNot = Callable[[Sequence[Pair]], Sequence[float | str]]
"""Probability from 0.0 to 1.0 for each pair, or the reason for none."""

Likeness = Callable[[Sequence[str], Sequence[str]], list[float]]
"""MAUVE of human and model texts, for several seeds."""
MAUVE_WORDS = 100
FORMATS = ("alce", "contexts")
"""Files of answers that cite."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CitationScores:
    """Shares from 0.0 to 1.0; None if nothing can be scored."""

    n: int
    strict: Mapping[str, Estimate | None]
    corrected: Mapping[str, Estimate | None]
    unscored: Mapping[int, str]
    """Reasons by answer that an entailment model could not score."""
    mauve_seeds: Mapping[str, list[float]] = field(default_factory=dict)
    """By `strict` and `corrected`, if requested; `mauve` is their mean."""

    def to_plain(self) -> dict[str, Any]:
        result: dict[str, Any] = {"n": self.n}
        for name, estimates in (("strict", self.strict), ("corrected", self.corrected)):
            inflated = {key: in_percent(key, each) for key, each in estimates.items()}
            result[name] = {key: each and each.value for key, each in inflated.items()}
            result[f"{name}_intervals"] = {
                key: each and {"n": each.n, "low": each.low, "high": each.high}
                for key, each in inflated.items()
            }
        if self.mauve_seeds:
            result["mauve_seeds"] = {
                name: [100 * value for value in values] for name, values in self.mauve_seeds.items()
            }
            result["mauve_says"] = self.mauve_note
        return result

    @property
    def mauve_note(self) -> str:
        """The note on MAUVE; "" without MAUVE."""
        return describe(values) if (values := self.mauve_seeds.get("strict")) else ""


def in_percent(name: str, estimate: Estimate | None) -> Estimate | None:
    """Multiply the estimate by 100, unless it is a count."""
    if estimate is None or name in COUNTS:
        return estimate
    low, high = estimate.low, estimate.high
    return Estimate(
        value=100 * estimate.value,
        n=estimate.n,
        low=None if low is None else 100 * low,
        high=None if high is None else 100 * high,
    )


def read_cited(
    path: Path,
    *,
    format: str = "auto",  # noqa: A002
) -> Iterator[tuple[str, AlceAnswer] | RowError]:
    """Yield each answer, for ALCE's evaluation, or an error, with its position in the file.

    Line breaks in contexts become spaces, as ALCE's evaluation stops there. A cited source without
    text is an error.
    """
    if format == "auto":
        try:
            format = inspect_file(path).format  # noqa: A001
        except Fault as fault:
            yield fault.at(path.name)
            return
    if format != "contexts":
        for number, item in enumerate(read_objects(path)):
            yield _read_item(item, f"data[{number}]", file=path.name)
        return
    for row in read_passages(path, format=format):
        answer = row if isinstance(row, RowError) else _answer(row, path.name)
        yield answer if isinstance(answer, RowError) else (f"line {row.line}", answer)


def _read_item(
    item: Record | RowError, position: str, *, file: str
) -> tuple[str, AlceAnswer] | RowError:
    if isinstance(item, RowError):
        return replace(item, field=position) if item.line else item
    line, record = item
    try:
        return position, answer_of(record)
    except Fault as fault:
        fault.field = f"{position}.{fault.field}".rstrip(".")
        return fault.at(file, line)


def _answer(row: PassageRow, file: str) -> AlceAnswer | RowError:
    sources = row.source.numbered
    there = {each.number for each in sources if each.text.strip()}
    lacking = [
        number for number in cited(row.text) if 0 < number <= len(sources) and number not in there
    ]
    if lacking:
        problem = f"the answer cites source {lacking[0]}, of which the file has no text"
        return Fault(problem, "add the source's text", field="contexts").at(file, row.line)
    return alce_answer(question=row.context, output=row.text, sources=sources, gold=row.source.gold)


def score_citations(
    answers: Sequence[AlceAnswer],
    *,
    dataset: Dataset | None,
    entails: EntailsOrWhyNot,
    split: SentenceSplitter,
    nltk: Nltk | None = None,
    read: ReadAnswers | None = None,
    likeness: Likeness | None = None,
    at_most: int = MAX_SOURCES,
    cot: bool = False,
) -> CitationScores:
    """Score all answers; `dataset` decides which figures exist.

    `nltk` is for strict figures, by default `split`. `read` extracts short answers for ASQA,
    `likeness` computes MAUVE. `cot`: QAMPARI's lists begin after a colon.
    """
    readings = [
        read_both_ways(each, dataset=dataset, split=split, nltk=nltk, at_most=at_most, cot=cot)
        for each in answers
    ]
    reasons: dict[Pair, str] = {}

    def probabilities(pairs: Sequence[Pair]) -> list[float]:
        answers = entails(pairs)
        reasons.update(
            (pair, each) for pair, each in zip(pairs, answers, strict=True) if isinstance(each, str)
        )
        return [0.0 if isinstance(each, str) else each for each in answers]

    known = Entailments(probabilities)
    scored = score_readings(readings, known=known, read=read)
    unscored = _unscored(readings, known, reasons) if reasons else {}
    retained = [each for position, each in enumerate(scored) if position not in unscored]
    strict = figure_means([each.strict for each in retained])
    corrected = figure_means([each.corrected for each in retained])
    seeds: dict[str, list[float]] = {}
    whole = [each for position, each in enumerate(answers) if position not in unscored]
    if likeness and dataset != "qampari":
        ways = (("strict", strict, remove_citations), ("corrected", corrected, without_citations))
        for name, figures, bare in ways:
            people, model = mauve_texts(whole, bare=bare, is_strict=name == "strict")
            seeds[name] = likeness(people, model)
            if seeds[name]:
                value = fmean(seeds[name])
                figures["mauve"] = Estimate(value=value, n=len(model), low=None, high=None)
    return CitationScores(
        n=len(retained), strict=strict, corrected=corrected, unscored=unscored, mauve_seeds=seeds
    )


def mauve_texts(
    answers: Sequence[AlceAnswer], *, bare: Callable[[str], str], is_strict: bool
) -> tuple[list[str], list[str]]:
    """Return human and model answers, each after its question, as the reference compares them.

    Only the first `MAUVE_WORDS` words count. Skips answers without a human one, and empty outputs
    unless `is_strict`.
    """
    people, model = [], []
    for each in answers:
        output = bare(first_line(each.output)).strip()
        if each.answer and (output or is_strict):
            people.append(_beginning(f"{each.question} {each.answer.strip()}"))
            model.append(_beginning(f"{each.question} {output}"))
    return people, model


def _beginning(text: str) -> str:
    return " ".join(text.split()[:MAUVE_WORDS]).rstrip(string.punctuation)


def _unscored(
    readings: Sequence[Readings], known: Entailments, reasons: Mapping[Pair, str]
) -> dict[int, str]:
    """Return answers with a pair that could not be scored."""
    unscored: dict[int, str] = {}
    for position, reading in enumerate(readings):
        needed: list[Pair] = []

        def remembered(pairs: Sequence[Pair], needed: list[Pair] = needed) -> list[float]:
            needed += pairs
            return [known.probability(pair) for pair in pairs]

        score_readings([reading], known=Entailments(remembered))
        if unanswered := next((pair for pair in needed if pair in reasons), None):
            unscored[position] = reasons[unanswered]
    return unscored


def entailed_or_why_not(model: Entailment, pairs: Sequence[Pair]) -> list[float | str]:
    """Return each pair's probability, or why the model has none.

    Raises `BadConfig` if it cannot work at all.
    """
    try:
        return [each.entailed for each in model.score(pairs)]
    except RarrError as error:
        if not isinstance(error, UnreadableReply | RefusedPrompt):
            raise
        if len(pairs) == 1:
            return [str(error)]
    return [each for pair in pairs for each in entailed_or_why_not(model, [pair])]


def figure_means(items: Sequence[Figures]) -> dict[str, Estimate | None]:
    """Return each figure's mean over the answers that have it."""

    def values(name: str) -> Iterator[float]:
        return (value for each in items if (value := each.get(name)) is not None)

    return {
        name: ratio_estimate(
            list(values(name)), lowest=0, highest=float("inf") if name in COUNTS else 1
        )
        for name in FIGURES
    }
