"""Runs of strategies with given answers."""

from collections.abc import Sequence
from typing import Any

from annotation.models import Campaign
from pipeline.generation.answer_format import check_format
from pipeline.models import Dataset, Passage, Run
from tests.support.campaigns import make_campaign
from tests.support.factories import make_dataset, make_passage, make_revision, make_run

SOURCES = (
    {"title": "Marlow Hall", "url": "https://example.org/hall", "text": "It opened in 1904."},
    {"title": "Seats", "url": "", "text": "Marlow Hall has 812 seats."},
)


def make_questions(count: int, **values: Any) -> Dataset:
    """A dataset of bare questions `q1` to `q<count>`."""
    dataset = make_dataset(**{"name": "Questions", "passage_count": count, **values})
    for number in range(1, count + 1):
        make_passage(
            dataset, external_id=f"q{number}", text="", context=f"When did hall {number} open?"
        )
    return dataset


def make_answer_run(
    answers: Sequence[str],
    *,
    dataset: Dataset | None = None,
    sources: Sequence[dict[str, str]] = SOURCES,
    **values: Any,
) -> Run:
    dataset = dataset or make_questions(len(answers))
    run = make_run(
        **{
            "system": "extractive",
            "dataset": dataset,
            "state": Run.State.FINISHED,
            "passage_count": len(answers),
            **values,
        }
    )
    passages = Passage.objects.filter(dataset=dataset).order_by("pk")
    for passage, text in zip(passages, answers, strict=False):
        make_revision(
            run,
            passage=passage,
            state="done",
            original_text=text,
            text="",
            result={"report": {"evidence": [dict(each) for each in sources]}},
            generation={"problems": list(check_format(text, sources=len(sources)))},
        )
    return run


def campaign_of(*runs: Run, **chosen: Any) -> Campaign:
    return make_campaign(
        name="Halls", runs=runs, sides="before", questionnaire="answer_quality", **chosen
    )
