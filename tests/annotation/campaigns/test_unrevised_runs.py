"""Unrevised datasets: imported answers are judged as imported, without a run of a system."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from django.db.models import F
from django.test import Client
from pytest_django.asserts import assertContains

from annotation.items.selection import NothingToJudge
from annotation.models import Campaign, Item
from pipeline.models import Passage, Run
from pipeline.runs.imported import get_unrevised_run
from pipeline.runs.start import RunRefused
from tests.support.exports import judge, lines_of
from tests.support.factories import make_dataset, make_passage, make_user
from tests.support.imported_campaigns import campaign_of, dataset_of, items_of

pytestmark = pytest.mark.django_db

QUOTES = [
    {"idx": 3, "docid": "7#1", "text": "The Ribble runs west."},
    {"idx": 1, "docid": "9#0", "text": "The Ribble is long."},
]


def answer(
    text: str, kind: str, *units: str, labels: tuple[int | None, int | None] = (1, 0)
) -> dict[str, Any]:
    return {
        "answer": text,
        "answer_type": kind,
        "informative": labels[0],
        "attributable": labels[1],
        "sentences": [
            {"index": position, "text": unit, "informative": 1, "attributable": None}
            for position, unit in enumerate(units, 1)
        ],
    }


# Units of HAGRID's annotators, as no splitter of ours would make them.
SHORT = answer("It runs west [3] . Far.", "short", "It runs", "west [3] . Far.")
LONG = answer("It is long. It runs west [3].", "long", "It is long.", "It runs west [3].")
BARE = answer("Nobody knows [1]. Or do they?", "short", labels=(None, None))
ABOUT_RIBBLE = {"query": "Where does the Ribble end?", "query_id": "0", "quotes": QUOTES}
LINES: list[dict[str, Any]] = [
    {**ABOUT_RIBBLE, "answers": [SHORT, LONG]},
    {"query": "Why?", "query_id": "0-1", "quotes": QUOTES[:1], "answers": [BARE]},
]
"""The last answer has no sentences, and cites a quote that it does not have."""
RARR = {
    "input_info": {"claim": "The Ribble flows east."},
    "result": {
        "revisions": [{"revised_text": "The Ribble flows west."}],
        "selected_evidences": [{"text": "The Ribble runs west."}],
    },
}
ALCE = {
    "output": "The Ribble ends in the sea [2].",
    "question": "Where does it end?",
    "docs": [{"title": title, "text": f"About {title}."} for title in ("Leeds", "the sea")],
}


def units(item: Item) -> list[str]:
    return [item.text[each["start"] : each["end"]] for each in item.sentences]


@pytest.mark.parametrize("questionnaire", ["answer_quality", "attribution"])
def test_answers_are_judged_in_the_units_that_came_and_leave_as_they_came(
    tmp_path: Path, questionnaire: str
) -> None:
    campaign = campaign_of(dataset_of(tmp_path, *LINES[:1]), questionnaire)
    short, long = items_of(campaign)
    assert units(short) == ["It runs", "west [3] . Far."]
    assert (short.side, long.side) == ("before", "before")
    assert [each["number"] for each in short.evidence] == [1, 3]
    assert lines_of(campaign) == LINES[:1]
    judge(short, make_user(), True, True)
    expected = json.loads(json.dumps(LINES[:1]))
    answer = expected[0]["answers"][0]
    answer["attributable"] = 1
    for sentence in answer["sentences"]:
        sentence["attributable"] = 1
    assert lines_of(campaign) == expected


def test_an_output_of_alce_is_judged_against_its_documents(tmp_path: Path) -> None:
    dataset = dataset_of(tmp_path, {"args": {}, "data": [ALCE]})
    (item,) = items_of(campaign_of(dataset, "citation"))
    assert [each["title"] for each in item.evidence] == ["Leeds", "the sea"]
    assert item.citations == [{"sentence": 0, "evidence": 1}]


def test_items_are_numbered_without_gaps(tmp_path: Path) -> None:
    lines = [
        {"id": f"g{number}", "text": f"River {number} ends.", "evidence": ["It runs to a sea."]}
        for number in range(4)
    ]
    items = items_of(campaign_of(dataset_of(tmp_path, *lines), "attribution"))
    assert sorted(item.position for item in items) == [1, 2, 3, 4]
    assert len({item.text for item in items}) == 4


def test_an_output_of_rarr_has_both_sides_and_its_report(tmp_path: Path) -> None:
    campaign = campaign_of(dataset_of(tmp_path, RARR), "attribution")
    assert [(item.side, item.text) for item in items_of(campaign)] == [
        ("before", "The Ribble flows east."),
        ("after", "The Ribble flows west."),
    ]
    assert items_of(campaign)[0].evidence[0]["text"] == "The Ribble runs west."
    assert campaign_of(campaign.runs.get().dataset, "intent", "pair").item_count == 1


def test_claims_with_labels_of_their_file_are_judged(tmp_path: Path) -> None:
    rows = [
        {
            "id": label,
            "context": "Where does it run?",
            "text": f"The Ribble runs {way}.",
            "references": ["The Ribble runs west."],
            "attribution_label": label,
        }
        for way, label in (("west", "attributable"), ("east", "not attributable"))
    ]
    campaign = campaign_of(dataset_of(tmp_path, *rows), "attribution")
    west, east = items_of(campaign)
    assert [each["text"] for each in west.evidence] == rows[0]["references"]
    labels = [each.passage.source.extra["attribution_label"] for each in (west, east)]
    assert labels == ["attributable", "not attributable"]


@pytest.mark.parametrize(("questionnaire", "sides"), [("intent", "pair"), ("attribution", "after")])
def test_what_needs_a_revision_is_refused_with_the_reason(
    tmp_path: Path, questionnaire: str, sides: str
) -> None:
    dataset = dataset_of(tmp_path, *LINES)
    with pytest.raises(NothingToJudge, match="These texts have no revision"):
        campaign_of(dataset, questionnaire, sides)


def test_the_same_dataset_is_the_same_run_until_it_reports_something_else(tmp_path: Path) -> None:
    dataset = dataset_of(tmp_path, *LINES)
    first = get_unrevised_run(dataset, created_by=None)
    assert (first.state, first.passage_count) == (Run.State.FINISHED, 3)
    assert get_unrevised_run(dataset, created_by=None) == first
    Passage.objects.filter(external_id="0-1").update(text=F("context"), content_hash="new")
    second = get_unrevised_run(dataset, created_by=None)
    assert second != first
    assert first.revisions.order_by("passage")[0].original_text == "It runs west [3] . Far."


@pytest.mark.parametrize(
    ("values", "words"), [({}, "no passages"), ({"is_complete": False}, "still")]
)
def test_a_dataset_with_nothing_in_it_yet_is_refused(values: dict[str, Any], words: str) -> None:
    with pytest.raises(RunRefused, match=words):
        get_unrevised_run(make_dataset(**values), created_by=None)


ANSWERS = {"questionnaire": "answer_quality", "sides": "both", "raters_per_item": 1}


def test_the_page_of_a_new_campaign_takes_a_dataset_next_to_runs(
    as_researcher: Client, tmp_path: Path
) -> None:
    refused = as_researcher.post(
        "/campaigns/new/", {**ANSWERS, "dataset": make_dataset(name="Empty").slug}
    )
    assert "has no passages" in refused.content.decode()
    assert not Campaign.objects.exists()
    dataset = dataset_of(tmp_path, *LINES)
    page = as_researcher.get(f"/campaigns/new/?dataset={dataset.slug}").content.decode()
    assert f'<option value="{dataset.slug}" selected>' in page
    assert not Run.objects.exists()  # the page creates nothing
    added = as_researcher.post(
        "/campaigns/new/", {**ANSWERS, "dataset": dataset.slug, "add_dataset": "1"}
    ).content.decode()
    run = Run.objects.get()
    assert re.search(f'value="{run.pk}" id="id_run_0"\\s+checked', added)
    assert "3 items" in added
    pairs = as_researcher.get(
        "/campaigns/new/preview/", {**ANSWERS, "run": run.pk, "questionnaire": "intent"}
    )
    assertContains(pairs, "These texts have no revision to compare.")
    as_researcher.post("/campaigns/new/", {**ANSWERS, "dataset": dataset.slug})
    made = run.campaigns.get()
    assert made.item_count == 3
    assert units(items_of(made)[-1]) == ["Nobody knows [1].", "Or do they?"]  # by our splitter
    head = as_researcher.get(made.get_absolute_url()).content.decode()
    assert "texts without a run on" in head
    assert "unrevised on" not in head


def test_it_is_no_run_among_those_of_systems(as_researcher: Client) -> None:
    dataset = make_dataset(passage_count=1)
    make_passage(dataset)
    run = get_unrevised_run(dataset, created_by=None)
    of_dataset = f"/compare/?dataset={dataset.slug}", f"{dataset.get_absolute_url()}runs/"
    for page in ("/runs/", "/", *of_dataset):
        assert run.get_absolute_url() not in as_researcher.get(page).content.decode(), page
    mine = as_researcher.get(run.get_absolute_url()).content.decode()
    assert "No system ran" in mine
    assert not [each for each in ("Run again with", 'id="results"', "Cost</a>") if each in mine]
    assert f"/campaigns/new/?run={run.pk}" in mine
