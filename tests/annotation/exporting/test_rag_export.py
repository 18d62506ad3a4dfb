"""A campaign's answers as lines of contexts and of TREC RAG, each with what raters said of it."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from annotation.exporting import Export, load_format
from annotation.judging.answers import Answer, save_judgments, submit
from annotation.models import Campaign
from annotation.raters.memberships import add_member
from pipeline.importing.came_with import numbered_sources
from tests.annotation.campaigns.test_as_it_is import campaign_of, dataset_of, items_of
from tests.annotation.campaigns.test_own_sources import CONTEXTS, TREC
from tests.annotation.questionnaires.test_kinds import everything
from tests.pipeline.importing.test_trec_rag import REFERENCES
from tests.support.exports import judge, lines_of
from tests.support.factories import make_user
from tests.support.reference_answers import claim

pytestmark = pytest.mark.django_db


def exported(campaign: Campaign, name: str) -> dict[str, Any]:
    (line,) = lines_of(campaign, name)
    return line


def test_contexts_have_the_labels_of_sentences_and_sources(tmp_path: Path) -> None:
    campaign = campaign_of(dataset_of(tmp_path, CONTEXTS), "attribution")
    (item,) = items_of(campaign)
    judge(item, make_user(), True, False)
    line = exported(campaign, "contexts")
    assert (line["question"], line["answer"]) == (CONTEXTS["user_input"], CONTEXTS["response"])
    assert line["contexts"] == [
        {"title": "Leeds", "url": "", "text": "Leeds lies on the Aire.", "useful": None},
        {"title": "", "url": "", "text": "", "useful": None},
        {"title": "Ribble", "url": "", "text": "The Ribble runs west.", "useful": None},
    ]
    assert [(each["text"], each["attributable"]) for each in line["sentences"]] == [
        ("It runs west [3].", 1),
        ("Nobody knows why.", 0),
    ]
    # Nobody was asked these.
    assert line["sentences"][0]["citation_recall"] is None
    assert line["utility"] is None


def judged_citations(folder: Path, line: dict[str, Any]) -> Campaign:
    """A campaign about citations whose one rater gave the highest level to all but the last."""
    campaign = campaign_of(dataset_of(folder, line), "citation")
    rater = make_user()
    add_member(campaign, user=rater)
    assignment = claim(rater, campaign)
    answers = [Answer(sequence=1, **each) for each in everything(assignment)]
    last = [each for each in answers if each.criterion == "citation_precision"][-1]
    answers[answers.index(last)] = replace(last, value=0)
    save_judgments(assignment, answers)
    assert submit(assignment) == []
    return campaign


def test_contexts_have_the_labels_of_citations_and_of_the_answer(tmp_path: Path) -> None:
    line = exported(judged_citations(tmp_path, CONTEXTS), "contexts")
    assert line["utility"] == 5
    assert [(each["citation_recall"], each["citations"]) for each in line["sentences"]] == [
        (1, [{"context": 3, "citation_precision": 0}]),
        (0, []),
    ]


def test_parts_of_trec_have_their_labels_beside_their_citations(tmp_path: Path) -> None:
    line = exported(judged_citations(tmp_path, TREC), "trec_rag")
    assert (line["run_id"], line["topic_id"], line["topic"]) == ("my-run", "17", TREC["topic"])
    assert line["references"] == REFERENCES
    assert line["response_length"] == 13
    keys = ("text", "citations", "citation_recall", "citation_precision")
    assert [tuple(part[key] for key in keys) for part in line["answer"]] == [
        ("The Ribble ends in the Irish Sea.", [0, 2], 1, [2, 2]),
        ("Nobody knows why", [], 0, []),
        ("“It is long.”", [1], 1, [0]),
    ]
    assert line["documents"] == [
        {"docid": "doc_1#2", "title": "Ribble", "url": "", "segment": "It ends in the sea."},
        {"docid": "doc_9#1", "title": "Sea", "url": "", "segment": "The sea is Irish."},
    ]


@pytest.mark.parametrize("name", ["contexts", "trec_rag"])
@pytest.mark.parametrize("line", [CONTEXTS, TREC])
def test_what_leaves_with_labels_comes_in_again(
    tmp_path: Path, name: str, line: dict[str, Any]
) -> None:
    campaign = judged_citations(tmp_path, line)
    came = campaign.items.get().revision.passage
    passage = dataset_of(tmp_path, exported(campaign, name)).passages.get()
    assert (passage.text, passage.context) == (came.text, came.context)
    told = [(each.number, each.text) for each in numbered_sources(passage.source)]
    assert told == [(each.number, each.text) for each in numbered_sources(came.source)]


def test_every_raters_label_stands_beside_where_it_is_asked_for(tmp_path: Path) -> None:
    campaign = judged_citations(tmp_path, CONTEXTS)
    made = Export(campaign=campaign, format=load_format("contexts"), labels="all")
    line = json.loads(b"".join(made.chunks()))
    assert len(line["raters"]) == 1
    assert {each["criterion"] for each in line["rater_levels"]} >= {"utility", "citation_precision"}


def test_metadata_of_another_shape_are_none(tmp_path: Path) -> None:
    campaign = judged_citations(tmp_path, TREC)
    passage = campaign.items.get().revision.passage
    passage.source |= {"metadata": "told"}
    del passage.source["run_id"], passage.source["topic_id"]
    passage.save()
    line = exported(campaign, "trec_rag")
    assert line["topic_id"] == passage.external_id
