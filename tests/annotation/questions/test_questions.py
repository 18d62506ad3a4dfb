"""Questions about items: who may read and answer; what is new to whom; how often one asks."""

from datetime import timedelta

import pytest
from django.utils import timezone

from annotation.campaigns.lifecycle import close_campaign
from annotation.models import Assignment, RaterAnswer, RaterQuestion
from annotation.questions import rater_questions
from rarrweb.accounts.models import User
from tests.support.campaigns import make_assignment
from tests.support.factories import make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def question(assignment: Assignment) -> RaterQuestion:
    return rater_questions.ask(assignment, text="Is 1932 enough?", sentence=0)


def new_to(user: User) -> int:
    return sum(each["new"] for each in rater_questions.news(user))


def waiting(user: User) -> int:
    return sum(each["waiting"] for each in rater_questions.news(user))


def test_a_closed_campaign_takes_no_question(assignment: Assignment) -> None:
    close_campaign(assignment.item.campaign)
    assignment.refresh_from_db()
    with pytest.raises(rater_questions.CannotAsk, match="This campaign is closed"):
        rater_questions.ask(assignment, text="Why?")


def test_the_same_text_sent_twice_is_one(assignment: Assignment, researcher: User) -> None:
    one = rater_questions.ask(assignment, text="Why?")
    assert rater_questions.ask(assignment, text="Why?") == one
    for _ in range(2):
        rater_questions.answer(one, by=researcher, text="Because.")
    assert RaterAnswer.objects.count() == 1
    assert rater_questions.ask(assignment, text="Why?", sentence=1) != one


def test_nobody_asks_faster_than_the_limit(assignment: Assignment) -> None:
    for number in range(rater_questions.LIMIT):
        rater_questions.ask(assignment, text=str(number))
    with pytest.raises(rater_questions.CannotAsk, match="Wait 10 minutes, then send"):
        rater_questions.ask(assignment, text="one more")
    rater_questions.ask(make_assignment(make_user()), text="The limit is each rater's")
    before = timezone.now() - rater_questions.WINDOW - timedelta(seconds=1)
    RaterQuestion.objects.update(created_at=before)
    rater_questions.ask(assignment, text="one more")


def test_an_answer_is_new_to_the_asker_until_they_read_it(
    question: RaterQuestion, annotator: User, researcher: User
) -> None:
    assert (new_to(annotator), waiting(annotator)) == (0, 0)
    assert (new_to(researcher), waiting(researcher)) == (0, 1)
    rater_questions.answer(question, by=researcher, text="Yes.")
    assert (new_to(annotator), waiting(researcher)) == (1, 0)
    fetched = RaterQuestion.objects.prefetch_related("answers").get()
    rater_questions.answer(question, by=researcher, text="In the title, too.")
    rater_questions.mark_read(annotator, [fetched])
    assert new_to(annotator) == 1  # the second answer came after the page was made
    rater_questions.mark_read(researcher, [RaterQuestion.objects.get()])
    assert new_to(annotator) == 1
    rater_questions.mark_read(annotator, [RaterQuestion.objects.get()])
    assert new_to(annotator) == 0
