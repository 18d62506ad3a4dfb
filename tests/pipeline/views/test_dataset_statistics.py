"""The figures of a dataset of labelled answers with quotes: HAGRID's Figures 3 to 5."""

import csv
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from pipeline.data.labelled_answers import answers_of, has_quotes
from pipeline.models import Dataset
from pipeline.pages.answer_charts import copying_chart, positions_chart, quotes_chart
from tests.support.factories import make_dataset, make_passage
from tests.support.hagrid import make_answers

pytestmark = pytest.mark.django_db


@pytest.fixture
def answers() -> Dataset:
    return make_answers()


def test_answers_have_their_quotes_citations_and_labels(answers: Dataset) -> None:
    first, second, third = answers_of(answers)
    assert first.cited == (0, 1)
    assert first.labels == {"informative": 1, "attributable": 1}
    assert second.cited == (1,)
    assert len(third.quotes) == 3
    assert third.cited == (2, 0)  # [9] is none of them


def test_charts_of_quotes_copied_words_and_positions(answers: Dataset) -> None:
    labelled = answers_of(answers)
    chart = quotes_chart(labelled)
    assert chart is not None
    # Bins of 1, 2 and 3 quotes.
    assert [(each.name, each.n, each.mean, each.counts) for each in chart.groups] == [
        ("attributable", 1, 2.0, (0, 1, 0)),
        ("not attributable", 2, 2.5, (0, 1, 1)),
        ("informative", 2, 2.5, (0, 1, 1)),
    ]
    copying = copying_chart(labelled)
    assert copying is not None
    # "the bridge opened in 1932" and "it carries two railway": 5 and 4 of 9 words.
    assert copying.points[0] == ("q1-1", 1.0, pytest.approx((25 + 16) / 9))
    assert copying.points[1][1:] == (0.0, 0.0)
    positions = positions_chart(labelled)
    assert positions is not None
    counts = [(each.name, each.counts) for each in positions.columns]
    assert counts == [("2", (1, 2)), ("3", (1, 0, 1))]
    assert positions.cells[1] == ("2", 2, 2, 2 / 3)


def test_tables_by_split_are_files(as_researcher: Client, answers: Dataset) -> None:
    for passage in answers.passages.all():
        split = "dev" if passage.external_id == "q2-1" else "train"
        passage.source.extra["split"] = split
        passage.save()
    address = reverse("pipeline:dataset-statistics", args=[answers.slug])
    page = as_researcher.get(address).text
    assert page.index(">train<") < page.index(">dev<") < page.index(">All<")
    text = as_researcher.get(f"{address}tables.csv").content.decode("utf-8-sig")
    rows = {(row["group"], row["statistic"]): row for row in csv.DictReader(text.splitlines())}
    assert [rows[group, "answers"]["value"] for group in ("train", "dev", "all")] == ["2", "1", "3"]
    assert rows["all", "quotes_per_question"]["value"] == "2.5"
    assert rows["all", "attributable_answers_yes"]["value"] == "1"
    share = rows["dev", "informative_answers_share"]
    assert (share["low"], share["note"]) == ("", "no interval: fewer than 5 questions")


def test_a_changed_passage_is_counted_anew(as_researcher: Client, answers: Dataset) -> None:
    address = reverse("pipeline:dataset-statistics", args=[answers.slug]) + "tables.csv"
    before = as_researcher.get(address).content
    answers.passages.filter(external_id="q2-1").update(text="None.", content_hash="other")
    assert as_researcher.get(address).content != before


def test_page_and_files(as_researcher: Client, answers: Dataset) -> None:
    page = as_researcher.get(answers.get_absolute_url()).text
    address = reverse("pipeline:dataset-statistics", args=[answers.slug])
    assert address in page
    page = as_researcher.get(address).text
    for name in ("quotes", "copying", "positions"):
        assert f'id="{name}"' in page
        chart = as_researcher.get(f"{address}{name}.svg", {"scheme": "dark", "width": 320})
        assert chart["Content-Type"] == "image/svg+xml; charset=utf-8"
    text = as_researcher.get(f"{address}positions.csv").content.decode("utf-8-sig")
    rows = list(csv.reader(text.splitlines()))
    assert rows[2] == ["2", "2", "2", str(2 / 3)]
    assert as_researcher.get(f"{address}other.svg").status_code == 404


@pytest.mark.parametrize("source", [{}, {"quotes": [{"text": "a"}]}, {"answer": {}, "quotes": []}])
def test_other_datasets_have_no_such_tab(as_researcher: Client, source: dict[str, Any]) -> None:
    dataset = make_dataset()
    make_passage(dataset, source=source)
    assert not has_quotes(dataset)
    assert "/statistics/" not in as_researcher.get(dataset.get_absolute_url()).text
    page = as_researcher.get(reverse("pipeline:dataset-statistics", args=[dataset.slug])).text
    assert "Coverage and density, of answers that cite quotes by number." in page
    assert "<img" not in page.split("<main")[1]


def test_answers_are_found_behind_bare_questions() -> None:
    dataset = make_dataset()
    assert not has_quotes(dataset)
    quotes = [{"text": "So."}]
    for source in ({}, {"quotes": quotes}, {"answer": {}, "quotes": quotes}):
        make_passage(dataset, source=source)
    assert not has_quotes(dataset)
    answer = {"query_id": 7, "answer": {}, "quotes": quotes}
    make_passage(dataset, external_id="7-1", source=answer)
    assert has_quotes(dataset)


@pytest.mark.parametrize(
    "source",
    [
        {"answer": {"informative": "yes", "attributable": [1]}, "quotes": [{"text": "So."}]},
        {"answer": {"sentences": 5}, "quotes": [{"idx": [1], "text": "So."}, "So.", None]},
        {"answer": {"sentences": [3, {"text": ["It"], "informative": 7}]}, "quotes": "So."},
        {"answer": {}, "quotes": 1},
    ],
)
def test_lines_that_only_look_like_labelled_answers_break_no_page(
    as_researcher: Client, source: dict[str, Any]
) -> None:
    dataset = make_dataset(passage_count=0)
    passage = make_passage(
        dataset=dataset,
        external_id="7-1",
        text="It fell [1].",
        source={"query_id": 7, **source},
        format="jsonl",
    )
    for address in (
        dataset.get_absolute_url(),
        reverse("pipeline:passage", args=[dataset.slug, passage.pk]),
        reverse("pipeline:dataset-statistics", args=[dataset.slug]),
    ):
        assert as_researcher.get(address).status_code == 200
    for each in answers_of(dataset):
        assert each.labels == {"informative": None, "attributable": None}
