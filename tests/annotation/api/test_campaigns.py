"""Campaigns over the API: drafted as by the form, started, moved on, closed."""

import csv
import io
from typing import Any

import pytest
from django.test import Client

from annotation.models import Campaign, Judgment
from rarrweb.accounts.models import User
from tests.support.api import errors_of
from tests.support.campaigns import (
    judge_everything,
    make_assignment,
    make_campaign,
    make_judgeable_run,
    save_judgment,
)
from tests.support.factories import make_dataset, make_passage, make_user
from tests.support.reference_answers import claim

pytestmark = pytest.mark.django_db
JSON = {"content_type": "application/json"}


def draft(program: Client, **more: Any) -> Any:
    runs = [make_judgeable_run().pk]
    return program.post("/api/campaigns/", {"runs": runs, "sides": "after", **more}, **JSON)


def test_a_draft_has_the_given_settings(program: Client, researcher: User) -> None:
    rater = make_user("rita")
    run = make_judgeable_run(passages=6)
    raters = {"raters": ["rita"], "raters_per_item": 3, "max_raters": 5, "pilot_size": 1}
    sample = {"sample_size": 4, "seed": "s"}
    answer = draft(program, name="Bridges", runs=[run.pk], sides="both", **raters, **sample)
    assert answer.status_code == 201, answer.content
    made = answer.json()
    assert (made["slug"], made["state"], made["runs"]) == ("bridges", "draft", [run.pk])
    campaign = Campaign.objects.get()
    assert (campaign.created_by, campaign.sample_size, campaign.max_raters) == (researcher, 4, 5)
    assert (campaign.sides, campaign.pilot_size, campaign.seed) == ("both", 1, "s")
    assert [each.user for each in campaign.memberships.all()] == [rater]
    assert program.get("/api/campaigns/bridges/").json() == made


def test_without_more_it_is_as_the_page_begins(program: Client) -> None:
    draft(program)
    campaign = Campaign.objects.get()
    assert campaign.name == campaign.runs.get().dataset.name
    chosen = (campaign.questionnaire, campaign.sample_size, campaign.raters_per_item)
    assert chosen == ("attribution", None, 1)
    assert campaign.may_repeat_passages


@pytest.mark.parametrize("questionnaire", ["intent", "answer_quality", "citation"])
def test_every_questionnaire_takes_a_side_that_it_has(program: Client, questionnaire: str) -> None:
    run = make_judgeable_run(cites=True)
    wanted = {"runs": [run.pk], "questionnaire": questionnaire}
    assert program.post("/api/campaigns/", wanted, **JSON).status_code == 201
    assert Campaign.objects.get().questionnaire == questionnaire


def test_a_dataset_is_judged_without_revision(program: Client) -> None:
    dataset = make_dataset()
    evidence = [{"title": "T", "url": "https://a.test", "text": "It flows west."}]
    make_passage(dataset, source={"evidence": evidence})
    wanted = {"dataset": dataset.slug, "sides": "before", "questionnaire": "attribution"}
    answer = program.post("/api/campaigns/", wanted, **JSON)
    assert answer.status_code == 201, answer.content
    assert Campaign.objects.get().runs.get().dataset == dataset
    errors_of(program.post("/api/campaigns/", {"dataset": "none"}, **JSON), 400)
    errors_of(program.post("/api/campaigns/", {"dataset": make_dataset().slug}, **JSON), 409)


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"runs": []}, "runs"),
        ({"runs": [99]}, "runs"),
        ({"runs": "1"}, "runs"),
        ({"questionnaire": "taste"}, "questionnaire"),
        ({"sides": "pair"}, "sides"),
        ({"raters_per_item": 0}, "raters_per_item"),
        ({"max_raters": 3}, "max_raters"),
        ({"sample_size": 0}, "sample_size"),
        ({"options": ["magic"]}, "options"),
        ({"raters": ["nobody"]}, "raters"),
    ],
)
def test_what_cannot_be_is_refused_by_name(
    program: Client, wrong: dict[str, Any], field: str
) -> None:
    errors = errors_of(draft(program, **wrong), 400)
    assert {each["attr"] for each in errors} == {field}
    assert not Campaign.objects.exists()


def test_its_life_goes_step_by_step(program: Client) -> None:
    slug = draft(program, runs=[make_judgeable_run(passages=4).pk], pilot_size=1).json()["slug"]
    step = lambda name: program.post(f"/api/campaigns/{slug}/{name}/")  # noqa: E731
    errors_of(step("begin-production"), 409)
    errors_of(step("close"), 409)
    assert step("start").json()["state"] == "pilot"
    errors_of(step("start"), 409)
    errors_of(program.delete(f"/api/campaigns/{slug}/"), 409)
    started = step("begin-production").json()
    assert started["state"] == "production"
    assert [each["phase"] for each in started["phases"]] == ["pilot", "production"]
    assert step("close").json()["state"] == "closed"
    assert step("reopen").json()["state"] == "production"


def test_items_and_judgments_are_those_of_the_campaign(program: Client) -> None:
    rater = make_user("rita")
    judged = make_assignment(rater, passages=2, raters_per_item=2)
    judge_everything(judged)
    campaign = judged.item.campaign
    make_campaign(name="Another")
    items = program.get(f"/api/campaigns/{campaign.slug}/items/?limit=1").json()
    assert [row["position"] for row in items["results"]] == [1]
    rest = program.get(items["next"]).json()
    assert [row["position"] for row in rest["results"]] == [2]
    assert rest["next"] is None
    assert items["results"][0]["run"] == campaign.runs.get().pk
    text, spans = items["results"][0]["text"], items["results"][0]["sentences"]
    assert all(text[each["start"] : each["end"]].strip() for each in spans)

    address = f"/api/campaigns/{campaign.slug}/judgments/"
    begun = claim(rater, campaign)
    save_judgment(begun, criterion="attributable", target=0, value=0, sequence=1)
    rows = program.get(address).json()["results"]
    assert len(rows) == Judgment.objects.count() - 1 == len(judged.item.sentences)
    assert {row["value"] for row in rows} == {1}
    assert "rita" not in str(rows)
    page = b"".join(program.get(f"/api/campaigns/{campaign.slug}/exports/csv/").streaming_content)
    table = list(csv.DictReader(io.StringIO(page.decode("utf-8-sig"))))
    assert {row["rater"] for row in rows} == {row["rater"] for row in table if row["rater"]}
    assert program.get(f"{address}?item={begun.item_id}").json()["results"] == []
    assert program.get(f"{address}?criterion=useful").json()["results"] == []


def test_results_are_the_pages_figures(program: Client, as_researcher: Client) -> None:
    judged = make_assignment(make_user("rita"), passages=2)
    judge_everything(judged)
    slug = judged.item.campaign.slug
    result = program.get(f"/api/campaigns/{slug}/results/").json()
    page = as_researcher.get(f"/campaigns/{slug}/results/").context["result"].whole.sides[0]
    (side,) = result["attribution"]["sides"]
    assert side["attribution"]["value"] == page.attribution.value == 1.0
    assert side["attribution"]["n"] == page.attribution.n == 1
    assert (result["submitted"], result["wanted"], result["figures"]) == (1, 2, [])
    pilot = program.get(f"/api/campaigns/{slug}/results/?phase=pilot").json()
    assert pilot["submitted"] in {0, 1}
    errors_of(program.get(f"/api/campaigns/{slug}/results/?phase=x"), 400)


def test_another_questionnaire_has_figures_of_its_own(program: Client) -> None:
    campaign = make_campaign(questionnaire="intent", sides="pair")
    result = program.get(f"/api/campaigns/{campaign.slug}/results/").json()
    assert result["attribution"] is None
    assert [each["label"] for each in result["figures"]] == ["Pres_intent", "Pres_Lev", "Pres_comb"]
    assert [each["estimate"] for each in result["figures"]] == [None] * 3


def test_files_are_the_pages(program: Client, as_researcher: Client) -> None:
    judged = make_assignment(make_user("rita"))
    judge_everything(judged)
    slug = judged.item.campaign.slug
    formats = program.get(f"/api/campaigns/{slug}/exports/").json()["formats"]
    assert {"csv", "hagrid", "parquet"} <= {each["name"] for each in formats}
    for each in formats:
        file = program.get(f"/api/campaigns/{slug}/exports/{each['name']}/")
        assert file.headers["Content-Type"] == each["content_type"]
        content = b"".join(file.streaming_content)
        page = as_researcher.get(f"/campaigns/{slug}/export/?format={each['name']}")
        if each["name"] == "csv":
            assert content == b"".join(page.streaming_content)
        manifest = program.get(f"/api/campaigns/{slug}/exports/{each['name']}/manifest/").json()
        assert manifest["format"] == each["name"]
    errors_of(program.get(f"/api/campaigns/{slug}/exports/word/"), 404)
    errors_of(program.get(f"/api/campaigns/{slug}/exports/csv/?labels=magic"), 400)
    assert program.get(f"/api/campaigns/{slug}/exports/hagrid/?labels=majority").status_code == 200


def test_a_draft_without_anything_to_judge_does_not_start_and_is_deleted(program: Client) -> None:
    slug = draft(program).json()["slug"]
    Campaign.objects.get().runs.get().revisions.update(state="failed")
    errors_of(program.post(f"/api/campaigns/{slug}/start/"), 409)
    assert Campaign.objects.get().state == "draft"
    assert program.delete(f"/api/campaigns/{slug}/").status_code == 204
    assert not Campaign.objects.exists()


def test_lists_narrow(program: Client) -> None:
    make_campaign(name="Open"), draft(program, name="Draft")
    names = lambda query: [  # noqa: E731
        row["name"] for row in program.get(f"/api/campaigns/?{query}").json()["results"]
    ]
    assert names("state=draft") == ["Draft"]
    assert names("q=OPE") == ["Open"]
    assert names("questionnaire=intent") == []


@pytest.mark.parametrize("number", ["0" * 20 + "9" * 30, "1" * 5000, "9" * 19, "x"])
def test_a_number_that_no_row_has_is_refused(program: Client, number: str) -> None:
    slug = make_campaign().slug
    result = errors_of(program.get(f"/api/campaigns/{slug}/judgments/?item={number}"), 400)
    assert {each["attr"] for each in result} == {"item"}
