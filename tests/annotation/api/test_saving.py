"""PUT /api/tasks/<id>/judgments/ and /visit/."""

from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client

from annotation.campaigns.lifecycle import close_campaign
from annotation.models import Assignment, Judgment
from tests.support.campaigns import judge_everything

pytestmark = pytest.mark.django_db

GOOD = {"criterion": "attributable", "target": 0, "value": 1, "sequence": 1}


def save(client: Client, assignment: Assignment, *answers: dict[str, Any]) -> HttpResponse:
    return put(client, assignment, {"answers": answers})


def save_comment(client: Client, assignment: Assignment, comment: dict[str, Any]) -> HttpResponse:
    return put(client, assignment, {"answers": [], "comment": comment})


def put(client: Client, assignment: Assignment, data: Any) -> HttpResponse:
    address = f"/api/tasks/{assignment.pk}/judgments/"
    return client.put(address, data, content_type="application/json")


DATA = {
    "judgments": {"answers": [GOOD], "comment": {"text": "x", "sequence": 1}},
    "visit": {"id": "4b1f7c52-8f0e-4a6d-9a57-0d7b1a8c9e10", "active_ms": 1},
}


@pytest.mark.parametrize("noun", DATA)
def test_an_item_that_is_not_there_or_deleted_is_not_found(
    as_annotator: Client, assignment: Assignment, noun: str
) -> None:
    deleted = assignment.pk
    assignment.delete()
    for number in (0, 2**63, 10**40, deleted):
        address = f"/api/tasks/{number}/{noun}/"
        response = as_annotator.put(address, DATA[noun], content_type="application/json")
        assert response.status_code == 404


def test_a_save_asks_the_database_seven_times(
    as_annotator: Client, assignment: Assignment, django_assert_num_queries: Any
) -> None:
    data = {**DATA["judgments"], "visit": DATA["visit"]}
    for sequence, queries in ((1, 9), (1, 8), (2, 9)):  # with BEGIN and COMMIT
        data["answers"] = [{**GOOD, "sequence": sequence}]
        with django_assert_num_queries(queries):
            assert put(as_annotator, assignment, data).status_code == 200


def test_a_required_answer_of_a_submitted_item_is_not_cleared(
    as_annotator: Client, assignment: Assignment
) -> None:
    judge_everything(assignment)
    response = save(as_annotator, assignment, {**GOOD, "value": None, "sequence": 2})
    assert response.status_code == 409
    assert "Sentence 1 is not judged" in response.json()["errors"][0]["detail"]


def test_one_answer_comes_back_as_the_saved_state(
    as_annotator: Client, assignment: Assignment
) -> None:
    response = save(as_annotator, assignment, GOOD)
    assert response.status_code == 200
    body = response.json()
    assert body["judgments"] == [GOOD]
    assert (body["submitted"], body["late"]) == (False, False)
    assert body["saved_at"] < body["lease_until"]
    batch = [{**GOOD, "value": 0, "sequence": 5}, {**GOOD, "target": 2, "value": None}]
    assert save(as_annotator, assignment, *batch).json()["judgments"] == batch
    assert save(as_annotator, assignment, GOOD).json()["judgments"] == batch  # an older answer


@pytest.mark.parametrize(
    ("wrong", "expected"),
    [
        ({"criterion": "nice"}, "attributable, useful"),
        ({"target": 3}, "3: this item has 3"),
        ({"criterion": "useful", "target": 2}, "2: this item has 2"),
        ({"target": -1}, ""),
        ({"target": "x"}, ""),
        ({"value": "perhaps"}, ""),
        ({"value": 2}, "2 is no level of 'attributable': choose one of 0, 1"),
        ({"text": "words"}, "answered without a text"),
        ({"sequence": 0}, ""),
        ({"sequence": 2**53}, ""),
        ({"sequence": None}, ""),
        ({"guidelines": "x"}, ""),
    ],
)
def test_a_wrong_answer_is_refused_and_nothing_of_its_batch_saved(
    as_annotator: Client, assignment: Assignment, wrong: dict[str, Any], expected: str
) -> None:
    response = save(as_annotator, assignment, GOOD, {**GOOD, **wrong})
    assert response.status_code == 400
    assert expected in response.json()["errors"][0]["detail"]
    assert not Judgment.objects.exists()


@pytest.mark.parametrize("missing", sorted(GOOD))
def test_every_part_of_an_answer_is_needed(
    as_annotator: Client, assignment: Assignment, missing: str
) -> None:
    answer = {key: value for key, value in GOOD.items() if key != missing}
    response = save(as_annotator, assignment, answer)
    assert response.status_code == 400
    assert f"answers.0.{missing}" in {each["attr"] for each in response.json()["errors"]}


@pytest.mark.parametrize(
    "data", ["[1]", "[]extra", '"x"', "null", "[]", "{}", {"answers": [GOOD] * 501}]
)
def test_nonsense_is_refused(as_annotator: Client, assignment: Assignment, data: object) -> None:
    assert put(as_annotator, assignment, data).status_code == 400


def test_without_a_log_in_or_a_csrf_token_a_save_is_refused(
    client: Client, assignment: Assignment
) -> None:
    response = save(client, assignment, GOOD)
    assert response.status_code == 403
    assert response.headers["Content-Type"] == "application/json"
    client = Client(enforce_csrf_checks=True)
    client.force_login(assignment.rater)
    assert save(client, assignment, GOOD).status_code == 403
    assert not Judgment.objects.exists()


def test_a_closed_campaign_answers_with_its_reason_and_loses_nothing(
    as_annotator: Client, assignment: Assignment
) -> None:
    save(as_annotator, assignment, GOOD)
    save_comment(as_annotator, assignment, {"text": "unsure", "sequence": 2})
    close_campaign(assignment.item.campaign)
    for response in (
        save(as_annotator, assignment, {**GOOD, "value": 0, "sequence": 3}),
        save_comment(as_annotator, assignment, {"text": "sure", "sequence": 4}),
    ):
        assert response.status_code == 409
        assert response.json()["errors"][0]["code"] == "CampaignClosed"
        assert "closed" in response.json()["errors"][0]["detail"]
    assignment.refresh_from_db()
    assert (Judgment.objects.get().value, assignment.comment) == (1, "unsure")


def test_a_comment_is_saved_as_it_was_written(as_annotator: Client, assignment: Assignment) -> None:
    text = "  Which year?\n<b>1932</b> "
    response = save_comment(as_annotator, assignment, {"text": text, "sequence": 3})
    assert response.json()["comment"] == text
    save_comment(as_annotator, assignment, {"text": "older", "sequence": 2})
    assignment.refresh_from_db()
    assert assignment.comment == text
    endless = {"text": "x" * 5001, "sequence": 4}
    assert save_comment(as_annotator, assignment, endless).status_code == 400
    assert save_comment(as_annotator, assignment, {"text": "", "sequence": 4}).status_code == 200
