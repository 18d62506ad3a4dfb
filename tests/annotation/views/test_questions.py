"""Asking and answering over HTTP: who gets which page, and what nobody gets to see."""

import pytest
from django.test import Client

from annotation.guidelines import inbox, questions
from annotation.judging.claims import claim_next
from annotation.models import Assignment, Campaign, Membership, Message, Thread
from annotation.raters.memberships import add_member
from rarrweb.accounts.models import User
from tests.support.campaigns import make_assignment, make_campaign
from tests.support.factories import make_user

pytestmark = pytest.mark.django_db

HTMX = {"HX-Request": "true"}
HOSTILE = "<script>x()</script><img src=x onerror=x()>"
SAFE = "&lt;script&gt;x()&lt;/script&gt;"


@pytest.fixture
def assignment(annotator: User) -> Assignment:
    return make_assignment(annotator)


@pytest.fixture
def campaign(assignment: Assignment) -> Campaign:
    return assignment.item.campaign


@pytest.fixture
def thread(assignment: Assignment) -> Thread:
    return questions.ask(assignment, text=f"Is 1932 enough? {HOSTILE}", sentence=0)


@pytest.fixture
def as_annotator(client: Client, annotator: User) -> Client:
    client.force_login(annotator)
    return client


def shown(client: Client, path: str) -> str:
    response = client.get(path)
    assert response.status_code == 200
    return response.content.decode()


def ask(client: Client, assignment: Assignment, **data: object) -> str:
    response = client.post(f"/tasks/{assignment.pk}/ask/", data, headers=HTMX)
    assert response.status_code == 200
    return response.content.decode()


def test_a_rater_asks_and_finds_the_question_beside_the_item(
    as_annotator: Client, assignment: Assignment
) -> None:
    fragment = ask(as_annotator, assignment, text=HOSTILE, sentence="2")
    assert "Your question is sent" in fragment
    assert SAFE in fragment
    assert "<script>x" not in fragment
    assert "<html" not in fragment
    thread = Thread.objects.get()
    assert (thread.sentence, thread.item) == (1, assignment.item)
    assert SAFE in shown(as_annotator, f"/tasks/{assignment.pk}/questions/")


@pytest.mark.parametrize(
    ("data", "why"),
    [
        ({"text": ""}, "The message is empty"),
        ({"text": "Why?", "sentence": "9"}, "There is no sentence 9 in this item"),
        ({"text": "Why?", "sentence": "x"}, "is no sentence: choose one of the list"),
        ({"text": "x" * 5001}, "shorten it to 5,000"),
    ],
)
def test_a_refused_question_says_why_and_is_kept(
    as_annotator: Client, assignment: Assignment, data: dict[str, str], why: str
) -> None:
    fragment = ask(as_annotator, assignment, **data)
    assert why in fragment
    assert data["text"] in fragment
    assert not Thread.objects.exists()


def test_it_works_without_fragments_too(as_annotator: Client, assignment: Assignment) -> None:
    asked = as_annotator.post(f"/tasks/{assignment.pk}/ask/", {"text": "Why?"})
    thread = Thread.objects.get()
    assert asked.headers["Location"] == thread.get_absolute_url()
    again = as_annotator.post(f"/questions/{thread.pk}/reply/", {"text": "And how?"}, follow=True)
    assert "And how?" in again.content.decode()
    empty = as_annotator.post(f"/questions/{thread.pk}/reply/", {"text": " "})
    assert "The message is empty" in empty.content.decode()
    for path in (f"/tasks/{assignment.pk}/ask/", f"/questions/{thread.pk}/reply/"):
        assert as_annotator.get(path).status_code == 302  # a log-in came between


def test_a_rater_asks_about_no_item_of_anothers(client: Client, assignment: Assignment) -> None:
    other = make_user()
    add_member(assignment.item.campaign, user=other)
    client.force_login(other)
    assert client.get(f"/tasks/{assignment.pk}/questions/").status_code == 404
    assert client.post(f"/tasks/{assignment.pk}/ask/", {"text": "x"}).status_code == 404


def test_the_answer_is_announced_on_the_task_and_at_home_and_then_read(
    client: Client, annotator: User, researcher: User, assignment: Assignment, thread: Thread
) -> None:
    client.force_login(annotator)
    task = assignment.get_absolute_url()
    assert 'id="new-talk"' not in shown(client, task)
    questions.reply(thread, by=researcher, text="Yes.")
    assert 'id="new-talk"' in shown(client, task)
    assert "1 new" in shown(client, "/")
    fragment = shown(client, f"/tasks/{assignment.pk}/questions/")
    assert "Yes." in fragment
    assert researcher.username not in fragment
    assert 'id="new-talk"' not in shown(client, task)
    assert "1 new" not in shown(client, "/")


def test_a_researcher_sees_what_waits_and_answers_beside_the_item(
    client: Client, researcher: User, campaign: Campaign, thread: Thread
) -> None:
    client.force_login(researcher)
    assert "1 question from raters" in shown(client, "/")
    listed = shown(client, f"/campaigns/{campaign.slug}/questions/")
    assert SAFE in listed
    assert "<strong>1</strong> waits for an answer" in listed
    page = shown(client, thread.get_absolute_url())
    assert f"/adjudicate/{thread.item_id}/" in page
    assert '<mark><span class="sr">asked about: </span>The bridge opened in 1932.</mark>' in page
    assert "<script>x" not in page
    assert "javascript:alert" not in page
    answered = client.post(
        f"/questions/{thread.pk}/reply/", {"text": f"Yes. {HOSTILE}"}, headers=HTMX
    ).content.decode()
    assert answered.count(SAFE) == 2
    assert "No question waits" in shown(client, f"/campaigns/{campaign.slug}/questions/")
    assert "question from raters" not in shown(client, "/")


@pytest.mark.parametrize("show", ["waiting", "open", "closed", "all", "nonsense", ""])
def test_the_list_can_be_narrowed(
    as_researcher: Client, campaign: Campaign, thread: Thread, show: str
) -> None:
    questions.close(thread)
    page = shown(as_researcher, f"/campaigns/{campaign.slug}/questions/?show={show}")
    assert (thread.get_absolute_url() in page) == (show not in {"waiting", "open"})


LEADING = ["close", "reopen", "publish", "hide"]


@pytest.mark.parametrize("verb", LEADING)
def test_only_researchers_lead(client: Client, thread: Thread, verb: str) -> None:
    questions.publish(thread)
    other = make_user()
    add_member(thread.campaign, user=other)
    for user in (thread.asked_by, other, make_user()):
        client.force_login(user)
        assert client.post(f"/questions/{thread.pk}/{verb}/").status_code == 404
    before = Thread.objects.get()
    assert (before.closed_at, before.published_through is None) == (None, False)


@pytest.mark.parametrize("verb", LEADING)
def test_leading_takes_a_post(as_researcher: Client, thread: Thread, verb: str) -> None:
    path = f"/questions/{thread.pk}/{verb}/"
    assert as_researcher.get(path).status_code == 405
    assert as_researcher.post(path).status_code == 302


def test_raters_read_what_is_published_and_not_who_asked(
    client: Client, annotator: User, researcher: User, thread: Thread
) -> None:
    other = make_user()
    add_member(thread.campaign, user=other)
    client.force_login(other)
    paths = [thread.get_absolute_url(), f"/campaigns/{thread.campaign.slug}/questions/"]
    assert client.get(paths[0]).status_code == 404
    assert "Is 1932 enough?" not in shown(client, paths[1])
    questions.reply(thread, by=researcher, text="Yes.")
    questions.publish(thread)
    questions.reply(thread, by=annotator, text="A later thought")
    claimed = claim_next(other, campaign=thread.campaign)
    assert isinstance(claimed, Assignment)
    for path in [*paths, f"/tasks/{claimed.pk}/questions/", claimed.get_absolute_url(), "/"]:
        page = shown(client, path)
        assert annotator.username not in page
        assert researcher.username not in page
        assert "A later thought" not in page
    page = shown(client, paths[0])
    assert "A rater" in page
    assert "A researcher" in page
    assert "It was opened in 1932" not in page  # the evidence of an item that is not theirs
    for write in ("reply/", f"messages/{thread.messages.get(text='Yes.').pk}/take-back/"):
        answer = client.post(f"{paths[0]}{write}", {"text": "Me too"}, headers=HTMX)
        assert answer.status_code == 404
    assert Message.objects.count() == 3


def test_a_rater_who_was_removed_reads_nothing_more(as_annotator: Client, thread: Thread) -> None:
    Membership.objects.all().delete()
    assert as_annotator.get(thread.get_absolute_url()).status_code == 404
    assert as_annotator.post(f"/questions/{thread.pk}/reply/", {"text": "x"}).status_code == 404


def test_a_message_is_taken_back_from_the_page(as_annotator: Client, thread: Thread) -> None:
    path = f"/questions/{thread.pk}/messages/{thread.messages.get().pk}/take-back/"
    gone = as_annotator.post(path, headers=HTMX)
    assert (gone.status_code, gone.content) == (200, b"")
    assert not Thread.objects.exists()
    assert as_annotator.post(path).status_code == 404


def test_too_late_to_take_back_says_so(
    as_annotator: Client, thread: Thread, researcher: User
) -> None:
    first = thread.messages.get().pk
    questions.reply(thread, by=researcher, text="Yes.")
    path = f"/questions/{thread.pk}/messages/{first}/take-back/"
    assert "Only your own newest message" in as_annotator.post(path, headers=HTMX).content.decode()


def test_comments_are_for_researchers_in_one_list(
    client: Client, researcher: User, assignment: Assignment
) -> None:
    Assignment.objects.update(comment=HOSTILE)
    path = f"/campaigns/{assignment.item.campaign.slug}/comments/"
    client.force_login(assignment.rater)
    assert client.get(path).status_code == 404
    client.force_login(researcher)
    page = shown(client, path)
    assert SAFE in page
    assert f"/adjudicate/{assignment.item_id}/" in page


def test_empty_lists_say_what_would_stand_there(
    client: Client, researcher: User, annotator: User
) -> None:
    campaign = make_campaign(raters=(annotator,))
    client.force_login(researcher)
    assert "No questions yet" in shown(client, f"/campaigns/{campaign.slug}/questions/")
    assert "No comments yet" in shown(client, f"/campaigns/{campaign.slug}/comments/")
    client.force_login(annotator)
    assert "To ask, use the button" in shown(client, f"/campaigns/{campaign.slug}/questions/")


def test_a_stranger_finds_no_questions(client: Client, campaign: Campaign, thread: Thread) -> None:
    questions.publish(thread)
    client.force_login(make_user())
    assert client.get(f"/campaigns/{campaign.slug}/questions/").status_code == 404
    assert client.get(thread.get_absolute_url()).status_code == 404


def test_looking_with_head_reads_nothing(
    as_annotator: Client, assignment: Assignment, thread: Thread, researcher: User
) -> None:
    questions.reply(thread, by=researcher, text="Yes.")
    for path in (thread.get_absolute_url(), f"/tasks/{assignment.pk}/questions/"):
        assert as_annotator.head(path).status_code == 200
    assert inbox.unread_by(assignment.rater, Thread.objects.all()).count() == 1
