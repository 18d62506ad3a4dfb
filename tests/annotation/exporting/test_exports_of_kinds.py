"""What the other questionnaires' answers look like in a file."""

import csv
import io
import json
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from annotation.exporting import FORMATS, Export, UnsuitableFormat, load_format
from annotation.judging.answers import Answer, save_judgments, submit
from annotation.models import Assignment, Campaign, Judgment
from annotation.questionnaires import QUESTIONNAIRES
from pipeline.importing.passages import read_passages
from rarrweb.accounts.models import User
from tests.support.campaigns import REVISED, TEXT
from tests.support.exports import text_of
from tests.support.factories import make_user
from tests.support.kinds import assignment_of, everything

pytestmark = pytest.mark.django_db


def judged(kind: str, *, sides: str = "after", **values: dict[int, int]) -> Campaign:
    """A campaign whose one rater gave the highest level everywhere, but for `values`."""
    assignment = assignment_of(kind, make_user(), sides=sides)
    answers = [
        Answer(
            sequence=1,
            **{
                **each,
                "value": values.get(each["criterion"], {}).get(each["target"], each["value"]),
            },
        )
        for each in everything(assignment)
    ]
    save_judgments(assignment, answers)
    assert submit(assignment) == []
    return assignment.item.campaign


def test_answer_quality_is_a_hagrid_line_with_both_labels() -> None:
    campaign = judged("answer_quality", informative={0: 0, 2: 0}, attributable={1: 0})
    (line,) = [json.loads(row) for row in text_of(campaign, "hagrid").splitlines()]
    (answer,) = line["answers"]
    assert [
        (each["text"], each["informative"], each["attributable"]) for each in answer["sentences"]
    ] == [
        ("The bridge opened in 1932 [2].", 0, 1),
        ("It is old. It carries two lines [1][2].", 1, 0),
        ("Why?", 0, 0),
    ]
    assert (answer["informative"], answer["attributable"]) == (1, 0)
    assert [(quote["idx"], quote["docid"]) for quote in line["quotes"]] == [(1, "d#1"), (2, "d#2")]


def test_a_hagrid_file_of_answer_quality_comes_back_by_the_import(tmp_path: Any) -> None:
    campaign = judged("answer_quality")
    file = tmp_path / "labels.jsonl"
    file.write_text(text_of(campaign, "hagrid"), encoding="utf-8")
    (row,) = read_passages(file, format="hagrid")
    assert row.source["answer"]["informative"] == 1


def test_citations_are_alces_human_judgments() -> None:
    campaign = judged("citation", utility={0: 4}, citation_recall={2: 0}, citation_precision={0: 1})
    found = json.loads(text_of(campaign, "alce"))
    [answers] = found[campaign.runs.get().dataset.slug].values()
    [answer] = answers.values()
    assert (answer["question"], answer["utility_score"]) == ("When?", 4)
    assert answer["overall_recall_score"] == 0.25
    assert answer["overall_precision_score"] == pytest.approx(1 / 3)
    assert [each["sentence_recall_score"] for each in answer["sentences"]] == [1, 0, 0, 0]
    assert [each["sentence_precision_score"] for each in answer["sentences"]] == [1, 0, 0, 0]
    assert answer["sentences"][0]["citations"] == [
        {"title": "d#2", "text": "Opened 1932.", "citation_precision_score": 1}
    ]


def test_an_answer_that_nobody_judged_has_nulls() -> None:
    campaign = assignment_of("citation", make_user()).item.campaign
    [answers] = json.loads(text_of(campaign, "alce"))[campaign.runs.get().dataset.slug].values()
    [answer] = answers.values()
    assert answer["utility_score"] is answer["overall_recall_score"] is None
    assert [each["sentence_recall_score"] for each in answer["sentences"]] == [None, 0, None, 0]


def test_a_gold_edit_has_passage_text_and_distance() -> None:
    campaign = judged("manual_revision", sides="before")
    Judgment.objects.update(text=REVISED)
    (line,) = [json.loads(row) for row in text_of(campaign, "gold_edits").splitlines()]
    assert line["input_info"] == {"claim": TEXT, "context": "Tell me about the bridge."}
    assert (line["revised_text"], line["edit_distance"], line["late"]) == (REVISED, 1, False)
    assert line["preservation"] == pytest.approx(1 - 1 / len(TEXT))
    assert line["rater"].startswith("rater-")
    assert "anna" not in json.dumps(line)


def test_late_revisions_are_marked_and_drafts_left_out() -> None:
    campaign = judged("manual_revision")
    Assignment.objects.update(slot=None)
    assert json.loads(text_of(campaign, "gold_edits"))["late"] is True
    Assignment.objects.update(submitted_at=None)
    assert text_of(campaign, "gold_edits") == ""


@pytest.mark.parametrize("kind", QUESTIONNAIRES)
def test_the_table_holds_every_kind(kind: str) -> None:
    campaign = judged(kind)
    text = text_of(campaign, "csv").removeprefix("\ufeff")
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    assert len(rows) == Judgment.objects.count()
    assert all(row["target_text"] for row in rows)
    if kind == "citation":
        kinds = {row["criterion"]: row["target_kind"] for row in rows}
        assert kinds == {
            "utility": "item",
            "citation_recall": "sentence",
            "citation_precision": "citation",
        }
    if kind == "manual_revision":
        assert [row["text"] for row in rows] == ["Revised."]


def test_a_format_that_has_no_place_for_the_answers_says_so(client: Client, tmp_path: Any) -> None:
    campaign = judged("intent")
    with pytest.raises(UnsuitableFormat, match=r"hagrid has no place .* 'intent'.* choose csv"):
        text_of(campaign, "hagrid")
    with pytest.raises(CommandError, match="choose csv") as refused:
        call_command("export", campaign=campaign.slug, format="alce", out=tmp_path / "x.json")
    assert refused.value.returncode == 2
    client.force_login(make_user(role=User.Role.RESEARCHER))
    url = f"/campaigns/{campaign.slug}/export/"
    assert client.get(url, {"format": "hagrid"}).status_code == 404
    page = client.get(url).content.decode()
    assert "?format=csv" in page
    assert "?format=hagrid" not in page


def test_a_manifest_says_what_the_levels_mean() -> None:
    campaign = judged("intent")
    export = Export(campaign=campaign, format=load_format("csv"))
    list(export.chunks())
    levels = export.manifest()["campaign"]["criteria"]["intent"]
    assert levels[2] == "very similar"


@pytest.mark.parametrize("name", FORMATS)
def test_every_kind_a_format_names_exists(name: str) -> None:
    assert set(load_format(name).kinds) <= set(QUESTIONNAIRES)
