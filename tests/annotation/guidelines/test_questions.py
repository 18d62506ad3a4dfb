"""Questions about items: who may read, write, publish; what is new to whom; how often one asks."""

from datetime import timedelta

import pytest
from django.utils import timezone

from annotation.campaigns.lifecycle import close_campaign
from annotation.guidelines import inbox, questions
from annotation.guidelines.examples import example_of, plain
from annotation.judging.claims import claim_next
from annotation.models import Assignment, Campaign, Membership, Message, Thread
from annotation.raters.memberships import add_member
from rarrweb.accounts.models import User
from rarrweb.markdown import render
from tests.support.campaigns import make_assignment, make_campaign
from tests.support.factories import make_user

pytestmark = pytest.mark.django_db

HOSTILE = "<script>x()</script> [click](javascript:x()) ![p](https://t.example/p.gif)"


@pytest.fixture
def assignment(annotator: User) -> Assignment:
    return make_assignment(annotator)


@pytest.fixture
def thread(assignment: Assignment) -> Thread:
    return questions.ask(assignment, text="Is 1932 enough?", sentence=0)


def talk_of(user: User, thread: Thread, **how: bool) -> inbox.Talk:
    found = Thread.objects.visible_to(user).select_related("item").get(pk=thread.pk)
    [talk] = inbox.talks(user, [found], **how)
    return talk


def said(user: User, thread: Thread) -> list[str]:
    return [message.text for message in talk_of(user, thread).messages]


def unread(user: User) -> int:
    return inbox.unread_by(user, Thread.objects.visible_to(user)).count()


def another_rater(thread: Thread) -> User:
    other = make_user()
    add_member(thread.campaign, user=other)
    return other


def test_a_question_is_about_the_item_or_a_sentence_of_it(assignment: Assignment) -> None:
    one = questions.ask(assignment, text=" Which bridge? ")
    two = questions.ask(assignment, text="Which lines?", sentence=1)
    assert one.messages.get().text == "Which bridge?"
    assert (one.waits, one.closed_at, one.published_through) == (True, None, None)
    assert inbox.sentence_of(one) == ""
    assert inbox.sentence_of(two) == "It carries two railway lines."


@pytest.mark.parametrize(
    ("text", "sentence", "why"),
    [
        (" \n\x00", None, "The message is empty: write"),
        ("x" * 5001, None, "The message has 5,001 characters: shorten it to 5,000."),
        ("Why?", 3, "There is no sentence 4 in this item"),
        ("Why?", -1, "There is no sentence 0 in this item"),
    ],
)
def test_what_cannot_be_asked_says_why(
    assignment: Assignment, text: str, sentence: int | None, why: str
) -> None:
    with pytest.raises(questions.CannotAsk, match=why):
        questions.ask(assignment, text=text, sentence=sentence)
    assert not Thread.objects.exists()


def test_a_closed_campaign_takes_no_question(assignment: Assignment) -> None:
    close_campaign(assignment.item.campaign)
    assignment.refresh_from_db()
    with pytest.raises(questions.CannotAsk, match="This campaign is closed"):
        questions.ask(assignment, text="Why?")


def test_the_same_message_sent_twice_is_one(assignment: Assignment, researcher: User) -> None:
    one = questions.ask(assignment, text="Why?")
    assert questions.ask(assignment, text="Why?") == one
    for _ in range(2):
        questions.reply(one, by=researcher, text="Because.")
    assert Message.objects.count() == 2
    assert questions.ask(assignment, text="Why?", sentence=1) != one


def test_nobody_asks_faster_than_the_limit(assignment: Assignment) -> None:
    first = questions.ask(assignment, text="0")
    for number in range(1, questions.LIMIT):
        questions.ask(assignment, text=str(number))
    with pytest.raises(questions.TooManyQuestions, match="Wait 10 minutes, then send"):
        questions.ask(assignment, text="one more")
    with pytest.raises(questions.TooManyQuestions):
        questions.reply(first, by=assignment.rater, text="one more")
    assert Message.objects.count() == questions.LIMIT
    Message.objects.update(written_at=timezone.now() - questions.WINDOW - timedelta(seconds=1))
    questions.ask(assignment, text="one more")


def test_the_limit_is_each_raters_own_and_holds_no_researcher(
    thread: Thread, researcher: User
) -> None:
    for number in range(questions.LIMIT + 2):
        questions.reply(thread, by=researcher, text=str(number))
    other = make_assignment(make_user())
    questions.ask(other, text="Why?")


def test_an_answer_is_new_to_the_asker_until_they_read_it(
    thread: Thread, annotator: User, researcher: User
) -> None:
    assert (unread(annotator), unread(researcher)) == (0, 1)
    questions.reply(thread, by=researcher, text="Yes.")
    thread.refresh_from_db()
    assert not thread.waits
    assert (unread(annotator), unread(researcher)) == (1, 0)
    assert talk_of(annotator, thread).unread == 1
    inbox.mark_read(annotator, [talk_of(annotator, thread)])
    assert unread(annotator) == 0
    questions.reply(thread, by=annotator, text="And the year?")
    assert (unread(annotator), unread(researcher)) == (0, 1)
    assert list(inbox.waiting(Thread.objects.all())) == [thread]


def test_each_researcher_has_their_own_unread_ones(thread: Thread, researcher: User) -> None:
    other = make_user(role=User.Role.RESEARCHER)
    inbox.mark_read(researcher, [talk_of(researcher, thread)])
    assert (unread(researcher), unread(other)) == (0, 1)


def test_raters_are_blind_to_each_others_questions(thread: Thread) -> None:
    other = another_rater(thread)
    assert not Thread.objects.visible_to(other).exists()
    assert unread(other) == 0
    stranger = make_user()
    questions.publish(thread)
    assert list(Thread.objects.visible_to(other)) == [thread]
    assert not Thread.objects.visible_to(stranger).exists()


def test_who_only_adjudicates_reads_no_questions(thread: Thread) -> None:
    questions.publish(thread)
    judge = make_user()
    add_member(thread.campaign, user=judge, role=Membership.Role.ADJUDICATOR)
    assert not Thread.objects.visible_to(judge).exists()


def test_what_comes_after_publishing_stays_between_two(
    thread: Thread, annotator: User, researcher: User
) -> None:
    other = another_rater(thread)
    questions.reply(thread, by=researcher, text="Yes.")
    questions.publish(thread)
    assert unread(other) == 1
    inbox.mark_read(other, [talk_of(other, thread)])
    questions.reply(thread, by=annotator, text="I am Anna, by the way.")
    assert said(other, thread) == ["Is 1932 enough?", "Yes."]
    assert unread(other) == 0
    assert len(said(annotator, thread)) == len(said(researcher, thread)) == 3
    assert talk_of(researcher, thread).unpublished == 1
    questions.publish(thread)
    assert len(said(other, thread)) == 3
    questions.hide(thread)
    assert not Thread.objects.visible_to(other).exists()


def test_a_reader_of_a_published_thread_may_not_write(thread: Thread) -> None:
    questions.publish(thread)
    talk = talk_of(another_rater(thread), thread)
    assert (talk.may_write, talk.is_own, talk.leads, talk.own_last) == (False, False, False, None)


def test_a_researcher_who_judges_is_blind_beside_a_task(thread: Thread, researcher: User) -> None:
    add_member(thread.campaign, user=researcher)
    assert not inbox.beside_item(researcher, thread.item).exists()
    questions.publish(thread)
    questions.reply(thread, by=thread.asked_by, text="Only for you.")
    [found] = inbox.beside_item(researcher, thread.item)
    [talk] = inbox.talks(researcher, [found], as_rater=True)
    assert [message.text for message in talk.messages] == ["Is 1932 enough?"]


def test_beside_an_item_stands_what_is_about_it_and_what_is_new_elsewhere(
    annotator: User, researcher: User
) -> None:
    first = make_assignment(annotator)
    asked = questions.ask(first, text="Why?")
    elsewhere = Membership.objects.get(user=annotator).campaign.items.exclude(pk=first.item_id)
    other_item = elsewhere.get()
    assert list(inbox.beside_item(annotator, first.item)) == [asked]
    assert list(inbox.beside_item(annotator, other_item)) == []
    questions.reply(asked, by=researcher, text="So.")
    assert [each.is_new for each in inbox.beside_item(annotator, other_item)] == [True]


def test_a_closed_question_takes_nothing_more_until_it_is_open_again(
    thread: Thread, annotator: User, researcher: User
) -> None:
    questions.close(thread)
    with pytest.raises(questions.CannotAsk, match="closed, so nothing was added"):
        questions.reply(thread, by=annotator, text="But why?")
    with pytest.raises(questions.CannotAsk, match="Open it again first"):
        questions.reply(thread, by=researcher, text="So.")
    assert not inbox.waiting(Thread.objects.all()).exists()
    questions.reopen(thread)
    questions.reply(thread, by=annotator, text="But why?")


def test_a_message_can_be_taken_back_until_somebody_has_read_it(
    thread: Thread, annotator: User, researcher: User
) -> None:
    answer = questions.reply(thread, by=researcher, text="No.")
    with pytest.raises(questions.CannotAsk, match="own newest message"):
        questions.take_back(thread, by=annotator, message_id=answer.pk)
    assert not questions.take_back(thread, by=researcher, message_id=answer.pk)
    thread.refresh_from_db()
    assert thread.waits
    answer = questions.reply(thread, by=researcher, text="Yes.")
    inbox.mark_read(annotator, [talk_of(annotator, thread)])
    with pytest.raises(questions.CannotAsk, match="Somebody has read it"):
        questions.take_back(thread, by=researcher, message_id=answer.pk)


def test_taking_back_the_only_message_takes_the_question_back(
    thread: Thread, annotator: User
) -> None:
    assert questions.take_back(thread, by=annotator, message_id=thread.messages.get().pk)
    assert not Thread.objects.exists()


def test_a_published_message_is_not_taken_back(thread: Thread, annotator: User) -> None:
    questions.publish(thread)
    with pytest.raises(questions.CannotAsk, match="published"):
        questions.take_back(thread, by=annotator, message_id=thread.messages.get().pk)


def test_comments_stand_in_one_list(annotator: User) -> None:
    campaign: Campaign = make_campaign(raters=(annotator,))
    one = claim_next(annotator, campaign=campaign)
    assert isinstance(one, Assignment)
    assert not inbox.comments(campaign).exists()
    Assignment.objects.update(comment="Hard.")
    assert [each.comment for each in inbox.comments(campaign)] == ["Hard."]
    assert not inbox.comments(make_campaign()).exists()


@pytest.mark.parametrize(
    "text",
    [
        "*a* _b_ `c` [d](e) # f",
        "# no heading",
        "- no list\n+ nor this\n3. nor this",
        "a\n===\nb\n---",
        "> no quote",
        "    no code",
        "a & b &lt; c | d ~~e~~",
        "\\*",
    ],
)
def test_a_raters_words_keep_their_signs_in_an_example(text: str) -> None:
    html = render(plain(text))
    assert html.startswith("<p>")
    assert html.count("<") == 2  # one paragraph and nothing in it
    shown = html[3:-5].replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
    assert shown == "\n".join(line.strip() for line in text.splitlines())


def test_an_example_holds_the_sentence_the_question_and_the_answers(
    assignment: Assignment, researcher: User
) -> None:
    thread = questions.ask(assignment, text=f"Is it *enough*? {HOSTILE}", sentence=0)
    questions.reply(thread, by=researcher, text="Yes:\n\nsee the title.")
    questions.reply(thread, by=assignment.rater, text="Thanks, Anna")
    text = example_of(talk_of(researcher, thread))
    html = render(text)
    assert html.count("<blockquote>") == html.count("<h3>") == 1
    assert html.rstrip().endswith("</blockquote>")
    for shown in (
        "Context: Tell me about the bridge.",
        "Sentence: The bridge opened in 1932.",
        "Question: Is it *enough*? &lt;script&gt;",
        "<strong>Answer.</strong> Yes:",
        "see the title.",
    ):
        assert shown in html
    assert "Anna" not in html
    assert "<script" not in html
    assert "<a" not in html
    assert "<img" not in html
