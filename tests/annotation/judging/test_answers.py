"""Recording a rater's answers."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annotation.judging.answers import (
    AnswerUpdate,
    WouldBeIncomplete,
    answers_of,
    save_judgments,
    submit,
)
from annotation.models import Assignment, Item
from tests.support.campaigns import judge_everything, save_judgment

pytestmark = pytest.mark.django_db


def values_of(assignment: Assignment) -> dict[tuple[str, int], bool | None]:
    return answers_of(Assignment.objects.get(pk=assignment.pk))


def save(assignment: Assignment, target: int, value: bool | None, sequence: int) -> None:
    save_judgment(
        assignment, criterion="attributable", target=target, value=value, sequence=sequence
    )


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    values=st.lists(st.sampled_from([True, False, None]), min_size=1, max_size=8),
    data=st.data(),
)
def test_in_whatever_order_and_however_often_answers_arrive_the_last_holds(
    assignment: Assignment, values: list[bool | None], data: st.DataObject
) -> None:
    assignment.judgments.all().delete()
    sent = list(enumerate(values, start=1))
    arrived = data.draw(st.permutations(sent + data.draw(st.lists(st.sampled_from(sent)))))
    for sequence, value in arrived:
        save(assignment, 0, value, sequence)
    assert values_of(assignment) == {("attributable", 0): values[-1]}


def test_a_submitted_item_stays_complete_and_keeps_its_first_time(assignment: Assignment) -> None:
    judge_everything(assignment)
    submitted_at = Assignment.objects.get().submitted_at
    assert submit(assignment) == []
    assert Assignment.objects.get().submitted_at == submitted_at
    both = [
        AnswerUpdate(criterion="attributable", target=0, value=None, sequence=9),
        AnswerUpdate(criterion="attributable", target=1, value=0, sequence=9),
    ]
    with pytest.raises(WouldBeIncomplete, match="Sentence 1 is not judged"):
        save_judgments(assignment, both)
    assert values_of(assignment) == {("attributable", target): 1 for target in range(3)}
    save(assignment, 0, False, 10)  # a click further: what the rater wanted
    assert values_of(assignment)["attributable", 0] == 0
    assert Assignment.objects.get().submitted_at == submitted_at
    assert Item.objects.filter(done=1).count() == 1


def test_an_optional_answer_of_a_submitted_item_is_cleared(assignment: Assignment) -> None:
    judge_everything(assignment)
    for sequence, value in enumerate((1, None), start=1):
        save_judgment(assignment, criterion="useful", target=0, value=value, sequence=sequence)
    assert values_of(assignment)["useful", 0] is None
    assert Assignment.objects.get().submitted_at is not None


def test_a_required_answer_that_was_cleared_before_the_submission_arrives_late(
    assignment: Assignment,
) -> None:
    save(assignment, 0, True, 7)
    judge_everything(assignment)
    save(assignment, 0, None, 5)
    assert values_of(assignment)["attributable", 0] == 1
