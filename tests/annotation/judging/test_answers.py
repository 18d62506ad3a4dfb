"""Recording what a rater says."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annotation.campaigns.lifecycle import close_campaign
from annotation.judging.answers import (
    COMMENT_LIMIT,
    Answer,
    CampaignClosed,
    CommentTooLong,
    SubmissionIncomplete,
    answers_of,
    save_comment,
    save_judgments,
    submit,
)
from annotation.models import Assignment, Item, Judgment
from annotation.questionnaires.types import TargetOutOfRange, UnknownCriterion, UnknownLevel
from rarrweb.accounts.models import User
from tests.support.campaigns import judge_everything, make_assignment, save_judgment

pytestmark = pytest.mark.django_db


@pytest.fixture
def assignment(annotator: User) -> Assignment:
    return make_assignment(annotator)


def said(assignment: Assignment) -> dict[tuple[str, int], bool | None]:
    return answers_of(Assignment.objects.get(pk=assignment.pk))


def save(assignment: Assignment, target: int, value: bool | None, sequence: int) -> None:
    save_judgment(
        assignment, criterion="attributable", target=target, value=value, sequence=sequence
    )


def test_the_same_answer_twice_changes_nothing(assignment: Assignment) -> None:
    save(assignment, 0, True, 5)
    first = Judgment.objects.get()
    save(assignment, 0, True, 5)
    assert Judgment.objects.get().updated_at == first.updated_at


@settings(
    max_examples=25,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
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
    assert said(assignment) == {("attributable", 0): values[-1]}


@pytest.mark.parametrize(
    ("criterion", "target", "value", "error", "says"),
    [
        ("attributable", 3, 1, TargetOutOfRange, "3: this item has 3"),
        ("useful", 2, 1, TargetOutOfRange, "2: this item has 2"),
        ("nice", 0, 1, UnknownCriterion, "attributable, useful"),
        ("attributable", 0, 2, UnknownLevel, "2 is no level of 'attributable': choose one of 0, 1"),
    ],
)
def test_what_the_item_does_not_ask_is_refused(
    assignment: Assignment,
    criterion: str,
    target: int,
    value: int,
    error: type[Exception],
    says: str,
) -> None:
    with pytest.raises(error, match=says):
        save_judgment(assignment, criterion=criterion, target=target, value=value, sequence=1)


def test_a_text_where_none_is_asked_is_refused(assignment: Assignment) -> None:
    answer = Answer(criterion="attributable", target=0, value=1, text="words", sequence=1)
    with pytest.raises(UnknownLevel, match="answered without a text"):
        save_judgments(assignment, [answer])
    assert said(assignment) == {}


def test_a_closed_campaign_takes_nothing_and_loses_nothing(assignment: Assignment) -> None:
    save(assignment, 0, True, 1)
    save_comment(assignment, text="unsure", sequence=2)
    close_campaign(assignment.item.campaign)
    with pytest.raises(CampaignClosed):
        save(assignment, 0, False, 3)
    with pytest.raises(CampaignClosed):
        save_comment(assignment, text="sure", sequence=4)
    with pytest.raises(CampaignClosed):
        submit(assignment)
    assert said(assignment) == {("attributable", 0): True}
    assignment.refresh_from_db()
    assert assignment.comment == "unsure"


def test_an_incomplete_item_is_not_handed_in_and_names_its_gaps(assignment: Assignment) -> None:
    save(assignment, 1, True, 1)
    gaps = submit(assignment)
    assert [(gap.criterion, gap.target) for gap in gaps] == [
        ("attributable", 0),
        ("attributable", 2),
    ]
    assert gaps[0].text == "Sentence 1 is not judged."
    assignment.refresh_from_db()
    assert assignment.submitted_at is None


def test_handing_in_twice_keeps_the_first_time(assignment: Assignment) -> None:
    judge_everything(assignment)
    first = Assignment.objects.get().submitted_at
    assert submit(assignment) == []
    assert Assignment.objects.get().submitted_at == first


def test_a_submitted_item_can_be_changed_and_stays_submitted(assignment: Assignment) -> None:
    judge_everything(assignment)
    save(assignment, 0, False, 9)
    assert said(assignment)["attributable", 0] == 0
    assert Assignment.objects.get().submitted_at is not None


def test_no_save_makes_a_submitted_item_incomplete(assignment: Assignment) -> None:
    judge_everything(assignment)
    submitted_at = Assignment.objects.get().submitted_at
    both = [
        Answer(criterion="attributable", target=0, value=None, sequence=9),
        Answer(criterion="attributable", target=1, value=0, sequence=9),
    ]
    with pytest.raises(SubmissionIncomplete, match="Sentence 1 is not judged"):
        save_judgments(assignment, both)
    assert said(assignment) == {("attributable", target): 1 for target in range(3)}
    save(assignment, 0, False, 10)  # a click further: what the rater wanted
    assert said(assignment)["attributable", 0] == 0
    assert Assignment.objects.get().submitted_at == submitted_at
    assert Item.objects.filter(done=1).count() == 1


def test_an_optional_answer_of_a_submitted_item_is_cleared(assignment: Assignment) -> None:
    judge_everything(assignment)
    for sequence, value in enumerate((1, None), start=1):
        save_judgment(assignment, criterion="useful", target=0, value=value, sequence=sequence)
    assert said(assignment)["useful", 0] is None
    assert Assignment.objects.get().submitted_at is not None


def test_a_required_answer_that_was_cleared_before_the_submission_arrives_late(
    assignment: Assignment,
) -> None:
    save(assignment, 0, True, 7)
    judge_everything(assignment)
    save(assignment, 0, None, 5)
    assert said(assignment)["attributable", 0] == 1


def test_a_comment_is_saved_and_an_older_one_does_not_undo_it(assignment: Assignment) -> None:
    save_comment(assignment, text="second\x00", sequence=2)
    save_comment(assignment, text="first", sequence=1)
    assert Assignment.objects.get().comment == "second"


def test_a_comment_that_is_too_long_says_by_how_much(assignment: Assignment) -> None:
    with pytest.raises(CommentTooLong, match="5,001 characters: shorten it to 5,000"):
        save_comment(assignment, text="x" * (COMMENT_LIMIT + 1), sequence=1)
