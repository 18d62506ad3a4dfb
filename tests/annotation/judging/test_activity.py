"""Time on task, clicks and keys."""

import uuid
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from annotation.campaigns.lifecycle import close_campaign
from annotation.judging import activity
from annotation.judging.activity import Visit, apply_visit, save_visit
from annotation.judging.releases import release
from annotation.models import Assignment
from rarrweb.accounts.models import User
from tests.support.campaigns import judge_everything, make_assignment

ONE, OTHER = uuid.UUID(int=1), uuid.UUID(int=2)


def visit(number: uuid.UUID = ONE, **values: Any) -> Visit:
    return Visit(id=number, **values)


def sums(assignment: Assignment) -> tuple[int, int, int, int]:
    return (assignment.active_ms, assignment.idle_ms, assignment.clicks, assignment.keys)


@given(order=st.permutations(range(6)), again=st.lists(st.integers(0, 5), max_size=6))
def test_reports_in_any_order_and_number_add_up_to_the_same(
    order: list[int], again: list[int]
) -> None:
    reports = [
        visit(number, active_ms=step * 100, idle_ms=step, clicks=step, keys=step)
        for number in (ONE, OTHER)
        for step in (1, 2, 3)
    ]
    assignment = Assignment()
    for index in [*order, *again]:
        apply_visit(assignment, reports[index])
    assert sums(assignment) == (600, 6, 6, 6)


def test_very_many_visits_keep_their_sum_in_a_small_row(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(activity, "MAX_VISITS", 3)
    assignment = Assignment()
    for number in range(1, 9):
        apply_visit(assignment, visit(uuid.UUID(int=number), active_ms=100, clicks=1))
        apply_visit(assignment, visit(uuid.UUID(int=number), active_ms=200, clicks=2))
    assert sums(assignment) == (1600, 0, 16, 0)
    assert len(assignment.visits) == 3


@pytest.fixture
def assignment(db: None, annotator: User) -> Assignment:
    return make_assignment(annotator, passages=1)


def put(client: Client, assignment: Assignment, noun: str, data: Any) -> Any:
    return client.put(f"/api/tasks/{assignment.pk}/{noun}/", data, content_type="application/json")


def body(**values: Any) -> dict[str, Any]:
    return {"id": str(ONE), **values}


def test_activity_renews_the_lease_and_a_look_does_not(assignment: Assignment) -> None:
    Assignment.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    save_visit(assignment, visit())
    assert assignment.lease_until < timezone.now()
    save_visit(assignment, visit(is_active=True))
    assert assignment.lease_until > timezone.now() + timedelta(minutes=29)


def test_activity_alone_makes_no_work_late_and_takes_no_released_slot(
    assignment: Assignment, researcher: User
) -> None:
    release(assignment, by=researcher)
    save_visit(assignment, visit(is_active=True))
    assignment.refresh_from_db()
    assert (assignment.slot, assignment.is_late) == (None, False)


def test_a_visit_comes_with_a_save_or_alone(as_annotator: Client, assignment: Assignment) -> None:
    answer = {"criterion": "attributable", "target": 0, "value": 1, "sequence": 1}
    data = {"answers": [answer], "visit": body(active_ms=2000, clicks=1)}
    saved = put(as_annotator, assignment, "judgments", data).json()
    assert saved["judgments"] == [answer]
    assert saved["held"] is True
    data = {
        "answers": [],
        "comment": {"text": "Hm.", "sequence": 2},
        "visit": body(active_ms=3000, clicks=1, keys=3),
    }
    assert put(as_annotator, assignment, "judgments", data).status_code == 200
    reported = put(as_annotator, assignment, "visit", body(active_ms=4000, idle_ms=50, clicks=2))
    assert reported.json()["held"] is True
    assert "judgments" not in reported.json()
    assignment.refresh_from_db()
    assert sums(assignment) == (4000, 50, 2, 3)


@pytest.mark.parametrize(
    ("field", "wrong"),
    [("id", "x"), ("active_ms", -1), ("active_ms", 2**40), ("clicks", 10**7), ("keys", "many")],
)
def test_a_wrong_visit_is_refused_and_counts_nothing(
    as_annotator: Client, assignment: Assignment, field: str, wrong: object
) -> None:
    assert put(as_annotator, assignment, "visit", body(**{field: wrong})).status_code == 400
    data = {"answers": [], "visit": body(**{field: wrong})}
    assert put(as_annotator, assignment, "judgments", data).status_code == 400
    assignment.refresh_from_db()
    assert assignment.visits == {}


def test_a_visit_that_ends_after_the_submission_or_the_close_still_counts(
    as_annotator: Client, assignment: Assignment
) -> None:
    judge_everything(assignment)
    close_campaign(assignment.item.campaign)
    lease = Assignment.objects.get().lease_until
    reported = put(as_annotator, assignment, "visit", body(active_ms=900, is_active=True))
    assert reported.status_code == 200
    assignment.refresh_from_db()
    assert (assignment.active_ms, assignment.lease_until) == (900, lease)
