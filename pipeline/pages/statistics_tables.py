"""The tables of labelled answers for a page and as CSV."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pipeline.metrics.answer_statistics import (
    JudgedShare,
    LabelledAnswer,
    counts_of,
    judged_of,
    means_of,
)
from pipeline.metrics.inference import Estimate
from pipeline.pages.charts import ends_of

COUNTS = ("questions", "quotes", "answers", "sentences", "citations")
MEANS = {
    "quotes_per_question": "Quotes a question",
    "answers_per_question": "Answers a question",
    "sentences_per_answer": "Sentences an answer",
    "citations_per_answer": "Citations an answer",
    "cited_quotes_per_answer": "Different quotes cited, an answer",
    "words_per_answer": "Words an answer",
    "words_per_sentence": "Words a sentence",
    "words_per_quote": "Words a quote",
    "coverage": "Coverage of answers by the quotes they cite",
    "density": "Density of answers over the quotes they cite",
}
CSV_HEAD = ("group", "statistic", "n", "value", "low", "high", "note")


@dataclass(frozen=True, slots=True, kw_only=True)
class StatisticCell:
    value: str
    interval: str = ""
    """Of 95 %, or why there is none."""
    n: int | None = None
    """Number of questions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StatisticsGroup:
    """Statistics of a split, a system, or all answers."""

    name: str
    key: str
    counts: dict[str, int]
    means: dict[str, Estimate | None]
    judged: list[JudgedShare]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tables:
    """Statistics of answers; the last group has all."""

    groups: tuple[StatisticsGroup, ...]

    @property
    def rows(self) -> list[tuple[str, list[tuple[str, StatisticCell]]]]:
        """Return name and figures by group, for each count and mean."""
        counts = (
            (
                name.capitalize(),
                [(g.name, StatisticCell(value=f"{g.counts[name]:,}")) for g in self.groups],
            )
            for name in COUNTS
        )
        means = (
            (words, [(g.name, _cell(g.means[name])) for g in self.groups])
            for name, words in MEANS.items()
        )
        return [*counts, *means]

    @property
    def judged(self) -> list[tuple[str, str, str, JudgedShare, StatisticCell]]:
        """Return group, label, level, counts, and share of yes."""
        return [
            (group.name, each.label.capitalize(), each.level, each, _cell(each.share))
            for group in self.groups
            for each in group.judged
        ]

    def csv_rows(self) -> Iterator[tuple[str | int | float | None, ...]]:
        """Yield rows of `CSV_HEAD`."""
        for group in self.groups:
            for name, count in group.counts.items():
                yield group.key, name, None, count, None, None, ""
            for name, mean in group.means.items():
                yield group.key, name, *_numbers(mean)
            for each in group.judged:
                name = f"{each.label}_{each.level}"
                counts = {"judged": each.total, "yes": each.yes, "no": each.no}
                for end, count in counts.items():
                    yield group.key, f"{name}_{end}", None, count, None, None, ""
                yield group.key, f"{name}_share", *_numbers(each.share)


def tables_of(answers: Sequence[LabelledAnswer]) -> Tables | None:
    """Make the tables, by group if there are several."""
    if not answers:
        return None
    splits = ("train", "dev", "test", *sorted({each.group for each in answers}))
    by_group = {
        name: group
        for name in splits
        if (group := [each for each in answers if each.group == name])
    }
    parts = [(name or "–", name, group) for name, group in by_group.items() if len(by_group) > 1]
    return Tables(
        groups=tuple(
            StatisticsGroup(
                name=name,
                key=key,
                counts=counts_of(group),
                means=means_of(group),
                judged=judged_of(group),
            )
            for name, key, group in (*parts, ("All", "all", answers))
        )
    )


def _cell(estimate: Estimate | None) -> StatisticCell:
    if estimate is None:
        return StatisticCell(value="–")
    return StatisticCell(
        value=f"{estimate.value:.2f}",
        interval=ends_of(estimate) or estimate.note("questions"),
        n=estimate.n,
    )


def _numbers(estimate: Estimate | None) -> tuple[str | int | float | None, ...]:
    if estimate is None:
        return None, None, None, None, ""
    return estimate.n, estimate.value, estimate.low, estimate.high, estimate.note("questions")
