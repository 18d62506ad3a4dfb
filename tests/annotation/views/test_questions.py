"""Asking and answering over HTTP: who gets which page, and what nobody gets to see."""

import pytest
from django.test import Client

from annotation.models import Assignment, Campaign, RaterQuestion
from annotation.questions import rater_questions
from annotation.raters.memberships import add_member
from rarrweb.accounts.models import User
from tests.support.campaigns import make_assignment, make_campaign
from tests.support.factories import make_user
from tests.support.kinds import make_citing_run
from tests.support.pages import html_of

pytestmark = pytest.mark.django_db

HTMX = {"HX-Request": "true"}
HOSTILE = "<script>x()</script><img src=x onerror=x()>"
SAFE = "&lt;script&gt;x()&lt;/script&gt;"


@pytest.fixture
def campaign(assignment: Assignment) -> Campaign:
    return assignment.item.campaign


@pytest.fixture
def question(assignment: Assignment) -> RaterQuestion:
    return rater_questions.ask(assignment, text=f"Is 1932 enough? {HOSTILE}", sentence=0)


def ask(client: Client, assignment: Assignment, **data: object) -> str:
    response = client.post(f"/tasks/{assignment.pk}/ask/", data, headers=HTMX)
    assert response.status_code == 200
    return response.content.decode()


def test_a_rater_asks_and_finds_the_question_next_to_the_item(
    as_annotator: Client, assignment: Assignment
) -> None:
    fragment = ask(as_annotator, assignment, text=HOSTILE, sentence="2")
    assert "Your question is sent" in fragment
    assert SAFE in fragment
    assert "<script>x" not in fragment
    assert "<html" not in fragment
    question = RaterQuestion.objects.get()
    assert (question.sentence, question.item) == (1, assignment.item)
    path = f"/tasks/{assignment.pk}/ask/"
    whole = as_annotator.post(path, {"text": HOSTILE, "sentence": "2"})  # without fragments
    assert whole.headers["Location"] == question.get_absolute_url()
    assert as_annotator.get(path).status_code == 302  # a log-in came between
    assert SAFE in html_of(as_annotator, f"/tasks/{assignment.pk}/questions/")


def test_a_question_is_about_a_part_where_the_page_has_parts(
    as_annotator: Client, annotator: User
) -> None:
    run = make_citing_run()
    assignment = make_assignment(annotator, run=run, questionnaire="answer_quality")
    fragment = ask(as_annotator, assignment, text="Why?", sentence="2")
    words = " ".join(fragment.split())
    assert ">part 2: " in words
    assert "About part 2" in words
    assert "sentence 2" not in fragment


@pytest.mark.parametrize(
    ("data", "why"),
    [
        ({"text": ""}, "The message is empty"),
        ({"text": "Why?", "sentence": "9"}, "There is no sentence 9 in this item"),
        ({"text": "Why?", "sentence": "x"}, "is no sentence: choose one of the list"),
        ({"text": "x" * 5001}, "shorten it to 5,000"),
    ],
)
def test_a_refused_question_gives_the_reason_and_is_kept(
    as_annotator: Client, assignment: Assignment, data: dict[str, str], why: str
) -> None:
    fragment = ask(as_annotator, assignment, **data)
    assert why in fragment
    assert data["text"] in fragment
    assert not RaterQuestion.objects.exists()


def test_the_answer_is_announced_on_the_task_and_at_home_and_then_read(
    client: Client,
    annotator: User,
    researcher: User,
    assignment: Assignment,
    question: RaterQuestion,
) -> None:
    client.force_login(annotator)
    task = assignment.get_absolute_url()
    assert 'id="new-answers"' not in html_of(client, task)
    rater_questions.answer(question, by=researcher, text="Yes.")
    assert 'id="new-answers"' in html_of(client, task)
    assert "1 new" in html_of(client, "/")
    fragment = html_of(client, f"/tasks/{assignment.pk}/questions/")
    assert "Yes." in fragment
    assert researcher.username not in fragment
    assert 'id="new-answers"' not in html_of(client, task)
    assert "1 new" not in html_of(client, "/")


def test_a_researcher_sees_what_waits_and_answers_next_to_the_item(
    as_researcher: Client, campaign: Campaign, question: RaterQuestion
) -> None:
    assert "1 question from raters" in html_of(as_researcher, "/")
    listed = html_of(as_researcher, f"/campaigns/{campaign.slug}/questions/")
    assert SAFE in listed
    assert "<strong>1</strong> waits for an answer" in listed
    page = html_of(as_researcher, question.get_absolute_url())
    assert f"/adjudicate/{question.item_id}/" in page
    assert '<mark><span class="sr">asked about: </span>The bridge opened in 1932.</mark>' in page
    assert "<script>x" not in page
    assert "javascript:alert" not in page
    path = f"/questions/{question.pk}/answer/"
    assert "The message is empty" in as_researcher.post(path, {"text": " "}).content.decode()
    answered = as_researcher.post(path, {"text": f"Yes. {HOSTILE}"}, follow=True).content.decode()
    assert answered.count(SAFE) == 2
    assert as_researcher.get(path).status_code == 302  # a log-in came between
    assert "No question waits" in html_of(as_researcher, f"/campaigns/{campaign.slug}/questions/")
    for show in ("waiting", "all", "nonsense", ""):
        page = html_of(as_researcher, f"/campaigns/{campaign.slug}/questions/?show={show}")
        assert (question.get_absolute_url() in page) == (show != "waiting")
    assert "question from raters" not in html_of(as_researcher, "/")


def test_raters_read_only_their_questions_and_researchers_all_comments(
    client: Client, researcher: User, assignment: Assignment, question: RaterQuestion
) -> None:
    other = make_user()
    add_member(question.campaign, user=other)
    client.force_login(other)
    listed = html_of(client, f"/campaigns/{question.campaign.slug}/questions/")
    assert "Is 1932 enough?" not in listed
    Assignment.objects.update(comment=HOSTILE)
    path = f"/campaigns/{assignment.item.campaign.slug}/comments/"
    client.force_login(researcher)
    page = html_of(client, path)
    assert SAFE in page
    assert f"/adjudicate/{assignment.item_id}/" in page


def test_empty_lists_say_what_would_stand_there(
    client: Client, researcher: User, annotator: User
) -> None:
    campaign = make_campaign(raters=(annotator,))
    client.force_login(researcher)
    assert "No questions yet" in html_of(client, f"/campaigns/{campaign.slug}/questions/")
    assert "No comments yet" in html_of(client, f"/campaigns/{campaign.slug}/comments/")
    client.force_login(annotator)
    assert "To ask, use the button" in html_of(client, f"/campaigns/{campaign.slug}/questions/")


def test_looking_with_head_reads_nothing(
    as_annotator: Client, assignment: Assignment, question: RaterQuestion, researcher: User
) -> None:
    rater_questions.answer(question, by=researcher, text="Yes.")
    for path in (question.get_absolute_url(), f"/tasks/{assignment.pk}/questions/"):
        assert as_annotator.head(path).status_code == 200
    assert rater_questions.news(assignment.rater)[0]["new"] == 1
