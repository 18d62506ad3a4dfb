"""What the other questionnaires' answers look like in a file."""

import json
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from annotation.exporting import UnsuitableFormat
from annotation.models import Assignment, Judgment
from annotation.questionnaires import QUESTIONNAIRES
from rarrweb.accounts.models import User
from tests.support.campaigns import REVISED, TEXT
from tests.support.exports import lines_of, manifest_of, rows_of, text_of
from tests.support.factories import make_user
from tests.support.judged import judged
from tests.support.kinds import assignment_of

pytestmark = pytest.mark.django_db


def test_answer_quality_is_a_hagrid_line_with_both_labels() -> None:
    campaign = judged("answer_quality", informative={0: 0, 2: 0}, attributable={1: 0})
    (line,) = lines_of(campaign)
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


def test_citations_are_alces_human_judgments() -> None:
    campaign = judged("citation", utility={0: 4}, citation_recall={2: 0}, citation_precision={0: 1})
    result = json.loads(text_of(campaign, "alce"))
    [answers] = result[campaign.runs.get().dataset.slug].values()
    [answer] = answers.values()
    assert (answer["question"], answer["utility_score"]) == ("When?", 4)
    assert answer["overall_recall_score"] == 0.25
    assert answer["overall_precision_score"] == pytest.approx(1 / 3)
    assert [each["sentence_recall_score"] for each in answer["sentences"]] == [1, 0, 0, 0]
    # Precision is independent of recall (princeton-nlp/ALCE#30).
    assert [each["sentence_precision_score"] for each in answer["sentences"]] == [1, 0, 1, 0]
    assert answer["sentences"][0]["citations"] == [
        {"title": "d#2", "text": "Opened 1932.", "citation_precision_score": 1}
    ]


def test_an_answer_that_nobody_judged_has_nulls() -> None:
    campaign = assignment_of("citation", make_user()).item.campaign
    [answers] = json.loads(text_of(campaign, "alce"))[campaign.runs.get().dataset.slug].values()
    [answer] = answers.values()
    assert answer["utility_score"] is answer["overall_recall_score"] is None
    assert [each["sentence_recall_score"] for each in answer["sentences"]] == [None, 0, None, 0]


def test_a_gold_edit_has_text_and_distance_a_late_one_is_marked_and_a_draft_has_none() -> None:
    campaign = judged("manual_revision", sides="before")
    Judgment.objects.update(text=REVISED)
    (line,) = lines_of(campaign, "gold_edits")
    assert line["input_info"] == {"claim": TEXT, "context": "Tell me about the bridge."}
    assert (line["revised_text"], line["edit_distance"], line["late"]) == (REVISED, 1, False)
    assert line["preservation"] == pytest.approx(1 - 1 / len(TEXT))
    assert line["rater"].startswith("rater-")
    assert "anna" not in json.dumps(line)
    Assignment.objects.update(slot=None)
    assert json.loads(text_of(campaign, "gold_edits"))["late"] is True
    Assignment.objects.update(submitted_at=None)
    assert text_of(campaign, "gold_edits") == ""


@pytest.mark.parametrize("kind", QUESTIONNAIRES)
def test_the_table_holds_every_kind(kind: str) -> None:
    campaign = judged(kind)
    rows = rows_of(campaign)
    assert len(rows) == Judgment.objects.count()
    assert all(row["target_text"] for row in rows)
    if kind == "citation":
        kinds = {row["criterion"]: row["target_kind"] for row in rows}
        citations = {"citation_recall": "sentence", "citation_precision": "citation"}
        assert kinds == {"utility": "item", **citations}
    if kind == "manual_revision":
        assert [row["text"] for row in rows] == ["Revised."]


def test_a_format_that_has_no_place_for_the_answers_reports_it(
    client: Client, tmp_path: Any
) -> None:
    campaign = judged("intent")
    levels = manifest_of(campaign)["campaign"]["criteria"]["intent"]
    assert levels[2] == "very similar"
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
