"""Questions about items: who may read and answer; what is new to whom; how often one asks."""

from datetime import timedelta

import pytest
from django.utils import timezone

from annotation.campaigns.lifecycle import close_campaign
from annotation.guidelines import questions
from annotation.models import Assignment, RaterAnswer, RaterQuestion
from rarrweb.accounts.models import User
from tests.support.campaigns import make_assignment
from tests.support.factories import make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def assignment(annotator: User) -> Assignment:
    return make_assignment(annotator)


@pytest.fixture
def question(assignment: Assignment) -> RaterQuestion:
    return questions.ask(assignment, text="Is 1932 enough?", sentence=0)


def new_to(user: User) -> int:
    return sum(each.new for each in questions.news(user))


def waiting(user: User) -> int:
    return sum(each.waiting for each in questions.news(user))


def test_a_closed_campaign_takes_no_question(assignment: Assignment) -> None:
    close_campaign(assignment.item.campaign)
    assignment.refresh_from_db()
    with pytest.raises(questions.CannotAsk, match="This campaign is closed"):
        questions.ask(assignment, text="Why?")


def test_the_same_text_sent_twice_is_one(assignment: Assignment, researcher: User) -> None:
    one = questions.ask(assignment, text="Why?")
    assert questions.ask(assignment, text="Why?") == one
    for _ in range(2):
        questions.answer(one, by=researcher, text="Because.")
    assert RaterAnswer.objects.count() == 1
    assert questions.ask(assignment, text="Why?", sentence=1) != one


def test_nobody_asks_faster_than_the_limit(assignment: Assignment) -> None:
    for number in range(questions.LIMIT):
        questions.ask(assignment, text=str(number))
    with pytest.raises(questions.TooManyQuestions, match="Wait 10 minutes, then send"):
        questions.ask(assignment, text="one more")
    questions.ask(make_assignment(make_user()), text="The limit is each rater's")
    before = timezone.now() - questions.WINDOW - timedelta(seconds=1)
    RaterQuestion.objects.update(asked_at=before)
    questions.ask(assignment, text="one more")


def test_an_answer_is_new_to_the_asker_until_they_read_it(
    question: RaterQuestion, annotator: User, researcher: User
) -> None:
    assert (new_to(annotator), waiting(annotator)) == (0, 0)
    assert (new_to(researcher), waiting(researcher)) == (0, 1)
    questions.answer(question, by=researcher, text="Yes.")
    assert (new_to(annotator), waiting(researcher)) == (1, 0)
    fetched = RaterQuestion.objects.prefetch_related("answers").get()
    questions.answer(question, by=researcher, text="In the title, too.")
    questions.mark_read(annotator, [fetched])
    assert new_to(annotator) == 1  # the second answer came after the page was made
    questions.mark_read(researcher, [RaterQuestion.objects.get()])
    assert new_to(annotator) == 1
    questions.mark_read(annotator, [RaterQuestion.objects.get()])
    assert new_to(annotator) == 0
