"""ALCE's human study: what its `human_eval/analyze.py` reads, and what is imported again."""

import json
from pathlib import Path
from typing import Any

import pytest

from annotation.models import Campaign
from pipeline.importing.passages import PassageRow, read_passages
from pipeline.models import Revision
from tests.support.exports import manifest_of, text_of
from tests.support.factories import make_user
from tests.support.judged_citations import (
    DECISIONS,
    LEVELS,
    make_answer,
    make_citation_campaign,
    say,
)

pytestmark = pytest.mark.django_db
AUTOMATIC = ("recall", "precision", "citation_precision")


def answers_of(campaign: Campaign, **options: Any) -> list[dict[str, Any]]:
    (runs,) = json.loads(text_of(campaign, "alce", **options)).values()
    (answers,) = runs.values()
    return [*answers.values()]


def automatic(answer: dict[str, Any]) -> list[Any]:
    return [answer.get(f"automatic_{name}_scores") for name in AUTOMATIC]


def test_the_export_has_automatic_and_human_scores() -> None:
    campaign = make_citation_campaign()
    item = make_answer(campaign)
    say(item, make_user(), DECISIONS, LEVELS)
    (answer,) = answers_of(campaign)
    assert automatic(answer) == [[1, 1, 0, 0], [1, 0, 0, 0], [[1], [1, 0], [], [0, 0]]]
    for sentence, citations in zip(
        answer["sentences"], answer["automatic_citation_precision_scores"], strict=True
    ):
        assert len(sentence["citations"]) == len(citations)
    scores = item.revision.citation_scores
    scores["statements"][0]["end"] -= 1  # the scorer read another sentence
    Revision.objects.update(citation_scores=scores)
    assert automatic(answers_of(campaign)[0])[0] == [None, 1, 0, 0]
    Revision.objects.update(citation_scores={})
    assert automatic(answers_of(campaign)[0]) == [None] * 3


def test_the_manifest_names_ties_and_the_label_most_raters_reach() -> None:
    campaign = make_citation_campaign()
    item = make_answer(campaign)
    say(item, make_user(), {0: 1, 1: 1, 3: 1}, (2, 2, 1, 2, 0))
    say(item, make_user(), {0: 1, 1: 0, 3: 1}, (2, 1, 1, 0, 0), slot=2)
    (answer,) = answers_of(campaign)
    assert [each["sentence_recall_score"] for each in answer["sentences"]] == [1, 0, 0, 1]
    assert [
        [citation["citation_precision_score"] for citation in each["citations"]]
        for each in answer["sentences"]
    ] == [[2], [1, 1], [], [0, 0]]
    assert [each["sentence_precision_score"] for each in answer["sentences"]] == [1, 1, 0, 0]
    assert answer["overall_recall_score"] == 0.5
    tied = [(each["criterion"], each["target"]) for each in manifest_of(campaign, "alce")["ties"]]
    assert tied == [
        ("citation_recall", 1),
        ("citation_precision", 1),
        ("citation_precision", 3),
    ]
    (answer,) = answers_of(campaign, labels="adjudicated")
    assert answer["sentences"][1]["sentence_recall_score"] is None


def test_it_is_imported_again(tmp_path: Path) -> None:
    campaign = make_citation_campaign()
    say(make_answer(campaign), make_user(), DECISIONS, LEVELS)
    path = tmp_path / "human.json"
    path.write_text(text_of(campaign, "alce"))
    (row,) = read_passages(path)
    assert isinstance(row, PassageRow)
    assert (row.text, row.context) == (answers_of(campaign)[0]["output"], "When?")
    assert [each.text for each in row.source.sources] == ["So."] * 3
