"""Answers of strategies, exported with a line for each question."""

from pathlib import Path

import pytest
from django.core.management import call_command

from annotation.models import Campaign, Item
from pipeline.importing.hagrid import line_of
from pipeline.models import Dataset, Passage, Run
from tests.support.exports import judge, lines_of, text_of
from tests.support.factories import make_dataset, make_passage, make_user
from tests.support.written_answers import SOURCES, campaign_of, make_answer_run, make_questions

pytestmark = pytest.mark.django_db

HALL, SEATS = SOURCES
MILL = {"title": "Mill", "url": "https://example.org/mill", "text": "The mill grinds barley."}


def item_of(campaign: Campaign, run: Run, name: str) -> Item:
    return campaign.items.get(revision__run=run, passage__external_id=name)


def test_answers_of_several_runs_to_one_question_are_one_line() -> None:
    questions = make_questions(2)
    first = make_answer_run(["It opened in 1904 [1].", "In 1905 [2]."], dataset=questions)
    second = make_answer_run(
        ["Barley [1]. It opened then [2-3].", "Nobody knows [7]."],
        dataset=questions,
        sources=[MILL, HALL, SEATS],
        system="vanilla",
    )
    campaign = campaign_of(first, second)
    one, two = lines_of(campaign)
    assert (one["query"], one["query_id"]) == ("When did hall 1 open?", "q1")
    assert [(each["idx"], each["text"]) for each in one["quotes"]] == [
        (1, HALL["text"]),
        (2, SEATS["text"]),
        (3, MILL["text"]),
    ]
    # What the second run cites stands elsewhere in the line's list.
    assert [(each["answer_type"], each["answer"]) for each in one["answers"]] == [
        ("extractive", "It opened in 1904 [1]."),
        ("vanilla", "Barley [3]. It opened then [1, 2]."),
    ]
    assert [each["text"] for each in one["answers"][1]["sentences"]] == [
        "Barley [3].",
        "It opened then [1, 2].",
    ]
    assert one["shown"] == [[1, 2], [3, 1, 2]]
    assert (one["systems"], one["runs"]) == (["extractive", "vanilla"], [first.pk, second.pk])
    assert [each["answer"] for each in two["answers"]] == ["In 1905 [2].", "Nobody knows [7]."]


def test_hagrids_answers_are_short_or_long_and_unknown_sources_stay_unknown() -> None:
    questions = make_questions(1)
    short, long = ({"generation": {"answer_type": kind}} for kind in ("short", "long"))
    first = make_answer_run(
        ["It opened in 1904 [1]."], dataset=questions, system="hagrid", config=short
    )
    second = make_answer_run(
        ["Barley [1]. Or not [3]."], dataset=questions, sources=[MILL], system="hagrid", config=long
    )
    (line,) = lines_of(campaign_of(first, second))
    assert [answer["answer_type"] for answer in line["answers"]] == ["short", "long"]
    assert [quote["idx"] for quote in line["quotes"]] == [1, 2, 3]
    assert line["answers"][1]["answer"] == "Barley [3]. Or not [6]."


def test_a_revised_text_joins_the_line_of_its_question() -> None:
    questions = make_questions(2)
    answers = ["It opened in 1904 [1].", "In 1905 [2]."]
    runs = [
        make_answer_run(answers, dataset=questions),
        make_answer_run(answers, dataset=questions, system="rarr"),
        make_answer_run(answers, dataset=questions, system="vanilla", sources=[MILL, *SOURCES]),
    ]
    lines = lines_of(campaign_of(*runs))
    assert [line["query_id"] for line in lines] == ["q1", "q2"]
    for line in lines:
        types = [answer["answer_type"] for answer in line["answers"]]
        assert types == ["extractive", "before", "vanilla"]
        assert line["systems"] == ["extractive", "rarr", "vanilla"]
        assert line["sides"] == ["before"] * 3
        assert line["runs"] == [run.pk for run in runs]
    # Only a strategy's citations are numbers of its own sources.
    texts = [answer["answer"] for answer in lines[1]["answers"]]
    assert texts == ["In 1905 [2].", "In 1905 [2].", "In 1905 [1]."]
    assert lines[1]["shown"] == [[1, 2], [1, 2], [3, 1, 2]]


def test_quotes_that_came_with_the_question_keep_their_documents() -> None:
    dataset = make_dataset()
    quotes = [{"idx": 4, "docid": "25#1", "text": HALL["text"]}, {"idx": 2, "text": "Not shown."}]
    source = {"query_id": 7, "quotes": quotes}
    make_passage(dataset, external_id="7", context="When?", source=source, format="questions")
    run = make_answer_run(["It opened in 1904 [1]."], dataset=dataset, sources=[HALL, SEATS])
    (line,) = lines_of(campaign_of(run))
    assert [(each["idx"], each["docid"]) for each in line["quotes"]] == [(1, "25#1"), (2, "Seats")]
    assert line["answers"][0]["answer"] == "It opened in 1904 [1]."


def test_labels_of_an_imported_answer_are_not_those_of_a_written_one() -> None:
    dataset = make_dataset()
    text = "It opened in 1904 [1]."
    labelled = {"informative": 1, "attributable": 1, "sentences": [{"text": text}]}
    source = {"query_id": 7, "quotes": [], "answer": {**labelled, "answer_type": "short"}}
    make_passage(dataset, external_id="7-1", text=text, context="When?", source=source)
    (line,) = lines_of(campaign_of(make_answer_run([text], dataset=dataset)))
    (answer,) = line["answers"]
    assert (answer["answer_type"], answer["informative"], answer["attributable"]) == (
        "extractive",
        None,
        None,
    )


def test_what_is_exported_is_read_back_with_the_same_labels(tmp_path: Path) -> None:
    questions = make_questions(101)
    texts = ["It is old. It opened in 1904 [1]. It has 812 seats [2]."] * 101
    first = make_answer_run(texts, dataset=questions)
    second = make_answer_run(["Barley [1]."] * 101, dataset=questions, sources=[MILL])
    campaign = campaign_of(first, second)
    item = item_of(campaign, first, "q1")
    assert [item.text[each["start"] : each["end"]] for each in item.sentences] == [
        "It is old. It opened in 1904 [1].",
        "It has 812 seats [2].",
    ]
    judge(item, make_user(), 1, 0, informative=[1, 0])
    judge(item_of(campaign, second, "q101"), make_user(), 1, informative=[1])
    lines = lines_of(campaign)
    assert len(lines) == 101
    labels = [(each["informative"], each["attributable"]) for each in lines[0]["answers"]]
    assert labels == [(1, 0), (None, None)]
    labels = [(each["informative"], each["attributable"]) for each in lines[-1]["answers"]]
    assert labels == [(None, None), (1, 1)]

    file = tmp_path / "exported.jsonl"
    file.write_text(text_of(campaign), encoding="utf-8")
    call_command("load_passages", str(file), "--dataset", "Again", "--format", "hagrid")
    again = Dataset.objects.get(name="Again")
    passages = list(Passage.objects.filter(dataset=again).order_by("pk"))
    assert len(passages) == 202
    read = [line_of(passages[position : position + 2]) for position in range(0, 202, 2)]
    for line, back in zip(lines, read, strict=True):
        for key in ("query", "query_id", "quotes", "answers"):
            assert back[key] == line[key]
