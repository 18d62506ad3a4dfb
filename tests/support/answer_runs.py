"""Runs of strategies and of a system over the same questions, with given scores."""

from collections.abc import Mapping, Sequence
from typing import Any

from pipeline.figures.comparison import ComparedRow
from pipeline.metrics.inference import Estimate
from pipeline.models import Dataset, Revision, Run
from tests.support.factories import make_dataset, make_passage, make_revision, make_run

QUESTIONS = 4
ANSWER = "Marlow Hall opened in 1904 [1]. It has 812 seats [1][2]."
SYSTEM_TEXT = "Marlow Hall opened in 1904. It has 812 seats."
# Correctness, citation recall, citation precision, auto-AIS: of each question.
FIGURES: Mapping[str, Sequence[tuple[float | None, ...]]] = {
    "vanilla": [(1.0, 0.5, 0.5, 0.6), (0.5, 1.0, 0.5, 0.7), (0.0, 0.0, None, 0.1), (1, 1, 1, 0.9)],
    "extractive": [(0.5, 1, 1, 0.9), (0.5, 1, 1, 0.9), (0.0, 0.5, 1, 0.8), (0.5, 1, 1, 0.9)],
    "closed-book": [(float(n != 2), 0, None, None) for n in range(4)],
}


def make_answer_runs(
    *systems: str, dataset: Dataset | None = None, config: Mapping[str, Any] | None = None
) -> list[Run]:
    """Names that are no strategy revise; without scores they get those of `vanilla`."""
    dataset = dataset or make_dataset(slug="halls", name="Halls")
    passages = list(dataset.passages.order_by("pk")) or [
        make_passage(dataset, text="It opened in 1902.", context=f"When did hall {n} open?")
        for n in range(QUESTIONS)
    ]
    runs = []
    for position, system in enumerate(systems):
        run = make_run(
            dataset=dataset,
            system=system,
            passage_count=QUESTIONS,
            state=Run.State.FINISHED,
            config={"system": system, **(config or {})},
        )
        for number, passage in enumerate(passages):
            usage = {"seconds": 1.0 + position, "cost": 0.001 * (position + 1)}
            usage |= {"model_calls": 2 + number, "input_tokens": 100, "output_tokens": 20}
            figures = FIGURES.get(system, FIGURES["vanilla"])[number]
            make = _make_answer if run.writes_answers else _make_revision
            make(run, passage, figures, usage)
        runs.append(run)
    return runs


def _make_answer(
    run: Run, passage: Any, figures: Sequence[float | None], usage: Mapping[str, Any]
) -> Revision:
    correctness, recall, precision, attribution = figures
    return make_revision(
        run,
        passage=passage,
        state=Revision.State.DONE,
        original_text=f"{ANSWER} So says {run.system}.",
        correctness=correctness,
        citation_recall=recall,
        citation_precision=precision,
        attribution_before=attribution,
        citation_scores={
            "strict": {"citation_rec": (recall or 0) / 2, "citation_prec": precision or 0.0},
            "corrected": {"citation_rec": recall, "citation_rec_graded": recall, "length": 10.0},
        },
        generation={
            "steps": [],
            "problems": [] if precision else ["No sentence cites a passage."],
            "recall_at": {"1": 0.0, "5": 0.5},
        },
        usage=usage,
    )


def _make_revision(
    run: Run, passage: Any, figures: Sequence[float | None], usage: Mapping[str, Any]
) -> Revision:
    return make_revision(
        run,
        passage=passage,
        state=Revision.State.DONE,
        text=SYSTEM_TEXT,
        attribution_before=0.1,
        attribution_after=figures[-1],
        preservation=0.9,
        usage=usage,
    )


def figure(row: ComparedRow, name: str) -> Estimate:
    return row.figures[name]


def lead(row: ComparedRow, name: str) -> Estimate:
    return row.leads[name].estimate
