"""ALCE's figures of a run's output, strict as the reference has them and corrected."""

import string
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

from pipeline.engine.answer_readings import COUNTS, FIGURES, Figures, Punkt
from pipeline.engine.answer_scores import ReadAnswers, Readings, read_answer, score_readings
from pipeline.importing.alce_answers import AlceAnswer, Dataset
from pipeline.metrics.alce_reference import AT_MOST, first_line, remove_citations
from pipeline.metrics.citation_marks import without_citations
from pipeline.metrics.citation_support import Entailments, Pair
from pipeline.metrics.inference import Estimate, ratio_estimate
from pipeline.metrics.mauve import describe
from pipeline.rarr.errors import RarrError, RefusedPrompt, UnreadableReply
from pipeline.rarr.ports import Entailment, SentenceSplitter

EntailsOrWhyNot = Callable[[Sequence[Pair]], Sequence[float | str]]
"""The probability that the premise entails the hypothesis of each pair, 0.0 to 1.0; or a sentence
about why nobody knows."""

Likeness = Callable[[Sequence[str], Sequence[str]], list[float]]
"""MAUVE of people's texts and the model's, by each of several seeds."""
MAUVE_WORDS = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class CitationScores:
    """The figures of all answers: shares from 0.0 to 1.0, None where there is nothing to score."""

    n: int
    strict: Mapping[str, Estimate | None]
    corrected: Mapping[str, Estimate | None]
    left_out: Mapping[int, str]
    """The places of answers that have no figures, each with the reason: a pair of premise and
    hypothesis that the entailment model could not answer."""
    mauve_seeds: Mapping[str, list[float]] = field(default_factory=dict)
    """By `strict` and `corrected`, where it was asked for; `mauve` is their mean."""

    def to_plain(self) -> dict[str, Any]:
        """As the output file holds it: shares and their intervals in percent."""
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
            result["mauve_says"] = self.mauve_says
        return result

    @property
    def mauve_says(self) -> str:
        """What has to stand beside MAUVE; "" where it was not asked for or there is none."""
        return describe(values) if (values := self.mauve_seeds.get("strict")) else ""


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
    entails: EntailsOrWhyNot,
    split: SentenceSplitter,
    punkt: Punkt | None = None,
    read: ReadAnswers | None = None,
    likeness: Likeness | None = None,
    at_most: int = AT_MOST,
) -> CitationScores:
    """The figures of all answers; `dataset` says which of them there are.

    `punkt` is NLTK's own splitter, for the strict figures; without it `split` stands in.
    `read` finds short answers for ASQA's QA figures, `likeness` is for MAUVE.
    """
    readings = [
        read_answer(each, dataset=dataset, split=split, punkt=punkt, at_most=at_most)
        for each in answers
    ]
    reasons: dict[Pair, str] = {}

    def probabilities(pairs: Sequence[Pair]) -> list[float]:
        result = entails(pairs)
        said = zip(pairs, result, strict=True)
        reasons.update((pair, each) for pair, each in said if isinstance(each, str))
        return [0.0 if isinstance(each, str) else each for each in result]

    known = Entailments(probabilities)
    scored = score_readings(readings, known=known, read=read)
    left_out = _left_out(readings, known, reasons) if reasons else {}
    retained = [each for position, each in enumerate(scored) if position not in left_out]
    strict = figure_means([each.strict for each in retained])
    corrected = figure_means([each.corrected for each in retained])
    seeds: dict[str, list[float]] = {}
    whole = [each for position, each in enumerate(answers) if position not in left_out]
    if likeness and dataset != "qampari":
        for name, figures, bare in (
            ("strict", strict, remove_citations), ("corrected", corrected, without_citations),
        ):  # fmt: skip
            people, model = mauve_texts(whole, bare=bare, is_strict=name == "strict")
            seeds[name] = likeness(people, model)
            if seeds[name]:
                value = fmean(seeds[name])
                figures["mauve"] = Estimate(value=value, n=len(model), low=None, high=None)
    return CitationScores(
        n=len(retained), strict=strict, corrected=corrected, left_out=left_out, mauve_seeds=seeds
    )


def mauve_texts(
    answers: Sequence[AlceAnswer], *, bare: Callable[[str], str], is_strict: bool
) -> tuple[list[str], list[str]]:
    """The answers of people and of the model as the reference compares them.

    Each follows its question; of both together the first `MAUVE_WORDS` words count, without the
    punctuation behind them. Answers without one of people's are left out, and empty outputs unless
    it is `is_strict`.
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


def _left_out(
    readings: Sequence[Readings], known: Entailments, reasons: Mapping[Pair, str]
) -> dict[int, str]:
    """The places of the answers whose figures rest on a pair without an answer."""
    result: dict[int, str] = {}
    for position, reading in enumerate(readings):
        asked: list[Pair] = []

        def remembered(pairs: Sequence[Pair], asked: list[Pair] = asked) -> list[float]:
            asked += pairs
            return [known.probability(pair) for pair in pairs]

        score_readings([reading], known=Entailments(remembered))
        if unanswered := next((pair for pair in asked if pair in reasons), None):
            result[position] = reasons[unanswered]
    return result


def entailed_or_why_not(model: Entailment, pairs: Sequence[Pair]) -> list[float | str]:
    """The probability of each pair, or a sentence about why the model has no answer to it.

    A model that answers by prompt may refuse one, or say what cannot be read; that costs no other
    pair its answer. Raises `BadConfig` where it cannot work at all.
    """
    try:
        return [each.entailed for each in model.score(pairs)]
    except RarrError as error:
        if not isinstance(error, UnreadableReply | RefusedPrompt):
            raise
        if len(pairs) == 1:
            return [str(error)]
    # Those that were answered are known to whoever keeps answers.
    return [result for pair in pairs for result in entailed_or_why_not(model, [pair])]


def figure_means(items: Sequence[Figures]) -> dict[str, Estimate | None]:
    """The mean of each figure of `FIGURES` over the answers that have it."""

    def values(name: str) -> Iterator[float]:
        return (value for each in items if (value := each.get(name)) is not None)

    return {
        name: ratio_estimate(
            list(values(name)), lowest=0, highest=float("inf") if name in COUNTS else 1
        )
        for name in FIGURES
    }
