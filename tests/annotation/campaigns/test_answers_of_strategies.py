"""Campaigns over what strategies wrote: raters see the run's sources under their numbers."""

import pytest
from django.test import Client
from django.urls import reverse

from annotation.items.selection import NothingToJudge
from annotation.models import Item
from pipeline.engine.configuration import RunConfig
from pipeline.models import Dataset, Run
from pipeline.runs import execution
from pipeline.runs.start import start_run
from tests.support.campaigns import make_campaign
from tests.support.factories import make_dataset, make_passage, make_row

pytestmark = pytest.mark.django_db

QUOTES = [
    {"idx": 1, "docid": "7#1", "text": "Denby Mill grinds barley. It was built there in 1750."},
    {"idx": 2, "docid": "9#0", "text": "Marlow Hall opened in 1904. It seats 812 people at most."},
]
RECEIVED = {"answer": "It opened in 1850 [1].", "answer_type": "short", "attributable": 1}
"""Another one's answer, imported with its labels."""


@pytest.fixture
def dataset() -> Dataset:
    dataset = make_dataset(passage_count=1)
    make_passage(
        dataset=dataset,
        external_id="4-1",
        text=RECEIVED["answer"],
        context="When did Marlow Hall open?",
        source={"query_id": "4", "quotes": QUOTES, "answer": RECEIVED},
    )
    return dataset


def answered(dataset: Dataset) -> Run:
    config = RunConfig.from_settings(system="extractive", overrides={"search": "sources"})
    run = start_run(dataset=dataset, corpus=None, config=config, created_by=None)
    execution.Revising().run(run.revisions.get().pk)
    run.refresh_from_db()
    return run


@pytest.mark.parametrize("questionnaire", ["citation", "answer_quality", "attribution"])
def test_raters_see_the_sources_of_the_answer_under_their_numbers(
    dataset: Dataset, questionnaire: str
) -> None:
    # Of two passages the run shows the second first, unlike an order by relevance.
    again = make_row(source={"quotes": QUOTES[::-1], "answer": RECEIVED})
    dataset.passages.update(source=again.source)
    run = answered(dataset)
    row = run.revisions.get()
    campaign = make_campaign(run=run, questionnaire=questionnaire, sides="before")
    (item,) = campaign.items.all()
    report = row.result["report"]["evidence"]
    assert [(each["number"], each["text"]) for each in item.evidence] == [
        (position, each["text"]) for position, each in enumerate(report, start=1)
    ]
    assert item.text == row.original_text != RECEIVED["answer"]
    units = [item.text[each["start"] : each["end"]] for each in item.sentences]
    statements = row.sentences["before"]
    assert units == [row.original_text[each["start"] : each["end"]] for each in statements]
    if questionnaire != "attribution":
        for citation in item.citations:
            assert f"[{citation['evidence'] + 1}]" in units[citation["sentence"]]
        assert len(item.citations) == len(units)


def test_the_page_of_a_new_campaign_over_answers_names_answers(
    as_researcher: Client, dataset: Dataset
) -> None:
    run = answered(dataset)
    page = as_researcher.get(
        reverse("annotation:campaign-preview"),
        {"run": run.pk, "questionnaire": "citation", "sides": "before", "raters_per_item": 1},
    ).content.decode()
    assert "1 item" in page
    with pytest.raises(NothingToJudge, match="These texts have no revision"):
        make_campaign(run=run)
    assert not Item.objects.exists()
