"""Every questionnaire shows answers that bring their own sources."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from annotation.items.selection import NothingToJudge
from annotation.models import Item
from annotation.questionnaires import QUESTIONNAIRES
from annotation.raters.memberships import add_member
from pipeline.models import Dataset, Revision
from pipeline.runs.imported import get_unrevised_run
from tests.support.campaigns import make_campaign
from tests.support.factories import make_revision, make_run, make_user
from tests.support.imported_campaigns import campaign_of, dataset_of, items_of
from tests.support.reference_answers import claim

pytestmark = pytest.mark.django_db

CONTEXTS: dict[str, Any] = {
    "user_input": "Where does the Ribble end?",
    "retrieved_contexts": [
        {"page_content": "Leeds lies on the Aire.", "metadata": {"title": "Leeds"}},
        "",
        {"page_content": "The Ribble runs west.", "metadata": {"title": "Ribble"}},
    ],
    "response": "It runs west [3]. Nobody knows why.",
}
ANSWER = {"context": "Where?", "id": "1", "text": "It runs."}


def item_of(dataset: Dataset, questionnaire: str) -> Item:
    (item,) = items_of(campaign_of(dataset, questionnaire))
    return item


def cited_titles(item: Item) -> list[tuple[int, str]]:
    return [(each["sentence"], item.evidence[each["evidence"]]["title"]) for each in item.citations]


@pytest.mark.parametrize("questionnaire", [name for name in QUESTIONNAIRES if name != "intent"])
def test_every_questionnaire_has_the_contexts_as_its_evidence(
    tmp_path: Path, questionnaire: str
) -> None:
    item = item_of(dataset_of(tmp_path, CONTEXTS), questionnaire)
    titles = [(each["number"], each["title"]) for each in item.evidence]
    assert titles == [(1, "Leeds"), (2, ""), (3, "Ribble")]
    if questionnaire in {"citation", "answer_quality"}:
        assert cited_titles(item) == [(0, "Ribble")]


def test_a_revised_answer_cites_its_own_sources_and_not_the_report(tmp_path: Path) -> None:
    dataset = dataset_of(tmp_path, CONTEXTS)
    passage = dataset.passages.get()
    run = make_run(dataset=dataset)
    evidence = [{"title": "Found", "url": "", "text": "Something else."}]
    revised = {"text": "It runs east [3].", "result": {"report": {"evidence": evidence}}}
    make_revision(run, passage=passage, state=Revision.State.DONE, **revised)
    (item,) = items_of(make_campaign(run=run, questionnaire="citation"))
    assert cited_titles(item) == [(0, "Ribble")]


@pytest.mark.parametrize(
    "line",
    [
        CONTEXTS | {"retrieved_contexts": []},
        ANSWER | {"sources": ["https://example.org/ribble"]},
        ANSWER | {"sources": [{"text": " HTTP://example.org/ribble\n"}]},
    ],
)
def test_answers_without_the_text_of_a_source_are_read_but_not_judged(
    tmp_path: Path, line: dict[str, Any]
) -> None:
    file, out = tmp_path / "in.jsonl", StringIO()
    file.write_text(json.dumps(line) + "\n", encoding="utf-8")
    call_command("load_passages", str(file), "--dataset", "Rivers", stdout=out)
    assert "1 of them came without the text of any source" in out.getvalue()
    dataset = Dataset.objects.get()
    for questionnaire in ("attribution", "answer_quality"):
        with pytest.raises(NothingToJudge, match="No chosen passage has evidence"):
            campaign_of(dataset, questionnaire)
    (row,) = get_unrevised_run(dataset, created_by=None).revisions.all()
    assert row.result["report"]["evidence"] == []


def test_a_url_next_to_texts_keeps_its_number(tmp_path: Path) -> None:
    line = {"id": "1", "text": "It runs west [2].", "sources": ["https://a.example/", "It runs."]}
    dataset = dataset_of(tmp_path, line)
    item = item_of(dataset, "citation")
    assert [(each["number"], each["url"], each["text"]) for each in item.evidence] == [
        (1, "https://a.example/", ""),
        (2, "", "It runs."),
    ]


@pytest.mark.parametrize("questionnaire", ["citation", "attribution"])
def test_a_source_without_a_text_reports_it_to_the_rater(
    tmp_path: Path, client: Client, questionnaire: str
) -> None:
    rater, campaign = make_user(), campaign_of(dataset_of(tmp_path, CONTEXTS), questionnaire)
    add_member(campaign, user=rater)
    campaign.memberships.update(has_read_instructions=True)
    assignment = claim(rater, campaign)
    client.force_login(rater)
    page = client.get(reverse("annotation:task", args=[assignment.pk])).content.decode()
    assert page.count("did not come with the answer") == 1
