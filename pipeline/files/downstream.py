"""Short answers from passages before and after revision: RARR's Figure 9."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from pipeline.charts.chart import ChartValue
from pipeline.charts.intervals import Entry, Intervals, Row
from pipeline.charts.rendering import FORMATS, Format, render
from pipeline.importing.lines import kind_of
from pipeline.importing.rows import RowError
from pipeline.metrics.correctness import exact_match, token_f1, yes_no_match
from pipeline.metrics.inference import Estimate, ratio_estimate, share_estimate
from rarrweb.web.csv import table_text

GOLD_FIELDS = ("answers", "answer", "gold_answers")
CHART_SUFFIXES = (*(f".{each}" for each in FORMATS), ".csv")


@dataclass(frozen=True, slots=True, kw_only=True)
class DownstreamExample:
    """One passage with its question, before and after its revision."""

    line: int
    id: str
    question: str
    gold: tuple[str, ...]
    before: str
    after: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """A case with the answers from both texts, "" for none."""

    case: DownstreamExample
    before: str
    after: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A measure before and after, and the paired gain, with 95 % intervals."""

    name: str
    before: Estimate
    after: Estimate
    gain: Estimate


def read_case(
    number: int, row: Mapping[str, Any], *, file: str, gold_field: str = ""
) -> DownstreamExample | RowError:
    """Read the case of a line of `revise`'s output, or its error.

    Gold answers are a text, texts, or true or false, under `gold_field` or the first of
    `GOLD_FIELDS`, in the line or its `input_info`.
    """

    def error(field: str, problem: str, fix: str) -> RowError:
        return RowError(file=file, line=number, field=field, problem=problem, fix=fix)

    result = row.get("result")
    try:
        before = result["text"]  # type: ignore[index]
        after = result["revisions"][0]["revised_text"]  # type: ignore[index]
    except (KeyError, IndexError, TypeError):
        before = after = None
    if not isinstance(before, str) or not isinstance(after, str):
        return error("result", "there is no revision", "give a file that `revise` wrote")
    info = row.get("input_info")
    holders = [row, info] if isinstance(info, Mapping) else [row]
    wanted = (gold_field,) if gold_field else GOLD_FIELDS
    gold = _first(holders, wanted)
    if gold is None:
        return error(wanted[0], "there are no gold answers", "add them, or name them with --gold")
    answers = _answers(gold)
    if not answers:
        return error(
            wanted[0],
            f"the gold answers are {kind_of(gold)}",
            "write a list of texts, true or false",
        )
    context = result.get("context") if isinstance(result, Mapping) else None
    question = _first(holders, ("question", "query")) or context
    if not isinstance(question, str) or not question.strip():
        return error("question", "there is no question", "add it as question or context")
    return DownstreamExample(
        line=number,
        id=str(row.get("id", f"line-{number}")),
        question=question,
        gold=answers,
        before=before,
        after=after,
    )


def figures(answered: Sequence[Answered]) -> Iterator[Figure]:
    """Return yes/no accuracy of yes/no cases, exact match and F1 of the others."""
    yes_no = [each for each in answered if yes_no_match("", each.case.gold) is not None]
    short = [each for each in answered if yes_no_match("", each.case.gold) is None]
    for name, some, measure in (
        ("accuracy, yes/no", yes_no, yes_no_match),
        ("exact match", short, exact_match),
        ("F1 of words", short, token_f1),
    ):
        if not some:
            continue
        before = [measure(each.before, each.case.gold) or 0.0 for each in some]
        after = [measure(each.after, each.case.gold) or 0.0 for each in some]
        # Paired: the same passages twice.
        gains = [b - a for a, b in zip(before, after, strict=True)]
        gain = ratio_estimate(gains, lowest=-1, highest=1)
        of_before, of_after = (
            ratio_estimate(values, lowest=0, highest=1)
            if measure is token_f1
            else share_estimate(round(sum(values)), len(values))
            for values in (before, after)
        )
        if of_before and of_after and gain:
            yield Figure(name=name, before=of_before, after=of_after, gain=gain)


def _first(holders: Sequence[Mapping[str, Any]], names: Sequence[str]) -> Any:
    values = (holder.get(name) for name in names for holder in holders)
    return next((value for value in values if value is not None), None)


def _answers(gold: Any) -> tuple[str, ...]:
    """Return the texts of one or several gold answers; () for an unreadable one."""
    several = gold if isinstance(gold, list) else [gold]
    if not all(isinstance(each, str | int | float) and str(each).strip() for each in several):
        return ()
    return tuple({True: "yes", False: "no"}[e] if isinstance(e, bool) else str(e) for e in several)


# ---- The chart --------------------------------------------------------------------------------
def chart_file(figures: Sequence[Figure], suffix: str) -> bytes:
    """Draw each measure before and after, with the paired gain in its name.

    `suffix` is one of `CHART_SUFFIXES`.
    """
    measures = ", ".join(
        f"{each.name} {each.before.value:.2f} before and {each.after.value:.2f} after"
        for each in figures
    )
    chart = Intervals(
        title="Answers that passages give before and after revision",
        finding=f"{measures[:1].upper()}{measures[1:]}. Bars are 95 % intervals.",
        x="Share of questions answered as the gold answers do",
        rows=tuple(
            Row(
                name=f"{each.name}, gain {_signed(each.gain)}",
                entries=(
                    Entry(series="before revision", span=_span(each.before), n=each.before.n),
                    Entry(series="after revision", span=_span(each.after), n=each.after.n),
                ),
            )
            for each in figures
        ),
        low=0,
        high=1,
        head=("Measure", "Passages", "n", "value", "low", "high", "note"),
        has_baseline=True,
    )
    if suffix == ".csv":
        return table_text(chart.head, chart.cells).encode()
    return render(chart, cast(Format, suffix[1:]))


def _span(estimate: Estimate) -> ChartValue:
    return ChartValue(
        value=estimate.value, low=estimate.low, high=estimate.high, note=estimate.note()
    )


def _signed(estimate: Estimate) -> str:
    """Format with the interval, or why there is none.

    >>> _signed(Estimate(value=0.05, n=9, low=-0.01, high=0.11))
    '+0.05 (−0.01 to +0.11)'
    """
    words = f"{estimate.value:+.2f}"
    if estimate.low is None or estimate.high is None:
        return f"{words} ({estimate.note()})".replace("-", "−")
    return f"{words} ({estimate.low:+.2f} to {estimate.high:+.2f})".replace("-", "−")
