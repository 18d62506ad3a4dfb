"""A participant from the first item to the code, or out before."""

import re
from html import unescape

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django.asserts import assertContains, assertNotContains

from annotation.models import Assignment, Campaign, Crowd, Membership, Participant
from annotation.questions import rater_questions
from annotation.raters import consent, participants
from tests.support.campaigns import judge_everything, make_campaign
from tests.support.crowds import enter, finish, judge_one, make_crowd, participant_named
from tests.support.factories import make_user
from tests.support.reference_answers import claim, judge_next, put_in_use, set_checks

pytestmark = pytest.mark.django_db

State = Participant.State


def test_at_the_quota_there_is_no_further_item_but_the_code(crowd: Crowd) -> None:
    browser = enter(crowd)
    participant = finish(crowd)
    response = browser.post("/tasks/next/?campaign=bridges", follow=True)
    assert response.redirect_chain[-1][0] == "/study/"
    assertContains(response, "C0MPL3TE")
    assertContains(response, 'href="https://platform.example/submissions/complete?cc=C0MPL3TE"')
    participant.refresh_from_db()
    assert (participant.state, participant.code) == (State.COMPLETED, "C0MPL3TE")
    assert participant.ended_at is not None
    assert Assignment.objects.count() == crowd.quota
    again = enter(crowd).get("/study/?back_url=https://evil.example/&next=https://evil.example/")
    assertContains(again, "C0MPL3TE")
    assertNotContains(again, "evil.example")
    participants.finish(participant, State.RETURNED)  # the first end holds
    participant.refresh_from_db()
    assert participant.state == State.COMPLETED


def test_without_a_code_each_gets_their_own(crowd: Crowd) -> None:
    Crowd.objects.update(completion_code="")
    codes = set()
    for name in ("one", "two"):
        browser = enter(crowd, name)
        finish(crowd, name)
        browser.post("/tasks/next/")
        codes.add(participant_named(crowd, name).code)
    assert len(codes) == 2
    assert all(len(code) == 10 for code in codes)


def test_while_others_hold_the_rest_there_is_no_code_yet() -> None:
    crowd = make_crowd(make_campaign(passages=3), quota=3)
    browser, *_ = [enter(crowd, name) for name in ("one", "two", "three")]
    first, *holders = [participant_named(crowd, name) for name in ("one", "two", "three")]
    held = [claim(each.user, crowd.campaign) for each in holders]
    judge_one(first)
    page = browser.post("/tasks/next/", follow=True)
    assertNotContains(page, "C0MPL3TE")
    assertContains(page, "2 items are with other raters")
    assertContains(page, "You get your code")
    assertContains(page, "Look again</button>")
    first.refresh_from_db()
    assert (first.state, first.code) == (State.ACTIVE, "")
    for each in held:
        judge_everything(each)
    assertContains(browser.post("/tasks/next/", follow=True), "C0MPL3TE")


def test_an_item_that_another_gave_up_is_the_next_one() -> None:
    crowd = make_crowd(make_campaign(passages=2), quota=2)
    browser, _ = enter(crowd, "one"), enter(crowd, "two")
    claim(participant_named(crowd, "two").user, crowd.campaign)
    judge_one(participant_named(crowd, "one"))
    browser.post("/tasks/next/")
    participants.finish(participant_named(crowd, "two"), State.RETURNED)
    judge_one(participant_named(crowd, "one"))
    assertContains(browser.post("/tasks/next/", follow=True), "C0MPL3TE")


def test_who_skipped_the_rest_does_not(crowd: Crowd) -> None:
    Crowd.objects.update(quota=50)
    browser = enter(crowd)
    participant = participant_named(crowd)
    for _ in range(6):
        last = judge_one(participant)
    Assignment.objects.filter(pk=last.pk).update(skipped_at=timezone.now(), slot=None)
    assert browser.post("/tasks/next/").headers["Location"] == "/tasks/next/"
    participant.refresh_from_db()
    assert participant.state == State.ACTIVE


def test_who_did_nothing_gets_no_code_because_nothing_is_left(crowd: Crowd) -> None:
    browser = enter(crowd)
    Campaign.objects.update(state="closed")
    assert browser.post("/tasks/next/").headers["Location"] == "/tasks/next/"
    assert participant_named(crowd).state == State.ACTIVE


def test_who_stops_gives_the_place_back_and_keeps_what_was_done(crowd: Crowd) -> None:
    browser = enter(crowd)
    participant = participant_named(crowd)
    done = judge_one(participant)
    begun = claim(participant.user)
    assertContains(browser.get("/study/stop/"), "1 of 2 items")
    assert participant_named(crowd).state == State.ACTIVE  # looking is not stopping
    response = browser.post("/study/stop/", follow=True)
    assertContains(response, "R3TURNED")
    participant.refresh_from_db()
    assert participant.state == State.RETURNED
    begun.refresh_from_db()
    done.refresh_from_db()
    assert (begun.slot, done.slot) == (None, 1)
    assert browser.get(f"/tasks/{begun.pk}/").status_code == 404
    assert browser.post("/tasks/next/").headers["Location"] == "/study/"
    other = make_user()
    Membership.objects.create(campaign=crowd.campaign, user=other)
    items = {judge_next(other, crowd.campaign).item_id for _ in range(5)}
    assert begun.item_id in items


def test_who_has_stopped_stays_out_until_a_researcher_lets_them_in(
    as_researcher: Client, crowd: Crowd
) -> None:
    browser = enter(crowd)
    participant = participant_named(crowd)
    begun = claim(participant.user)
    browser.post("/study/stop/")
    assertContains(enter(crowd).get("/study/"), "You have stopped")
    as_researcher.post(f"/campaigns/bridges/crowd/{participant.pk}/again/")
    browser = enter(crowd)
    assert browser.post("/tasks/next/").headers["Location"] == f"/tasks/{begun.pk}/"
    participant.refresh_from_db()
    assert (participant.state, participant.code) == (State.ACTIVE, "")


def test_a_failed_training_ends_in_its_code_after_the_last_attempt_until_it_is_reopened(
    as_researcher: Client, crowd: Crowd
) -> None:
    for position in (1, 2, 3, 4):
        put_in_use(crowd.campaign, position, "training")
    set_checks(crowd.campaign, attempts=2)
    browser = enter(crowd)
    participant = participant_named(crowd)
    for _ in range(3):
        judge_next(participant.user, crowd.campaign, (0, 0, 1))
    assert browser.post("/tasks/next/").headers["Location"] == "/campaigns/bridges/training/"
    assertContains(browser.get("/campaigns/bridges/training/"), "I want to stop")
    assert participant_named(crowd).state == State.ACTIVE
    set_checks(crowd.campaign, attempts=1)
    onward = 'method="post" action="/tasks/next/?campaign=bridges"'
    assertContains(browser.get("/campaigns/bridges/training/"), onward)
    assert participant_named(crowd).state == State.ACTIVE
    assert browser.post("/tasks/next/").headers["Location"] == "/study/"
    assertContains(browser.get("/study/"), "SCR33NED")
    assert participants.submitted_count(participant) == 0  # training is no work
    assert not Membership.objects.filter(user=participant.user).exists()
    as_researcher.post(f"/campaigns/bridges/crowd/{participant.pk}/again/")
    assert browser.post("/tasks/next/").headers["Location"].startswith("/tasks/")
    assert participant_named(crowd).state == State.ACTIVE


def test_every_page_on_the_way_back_has_a_way_to_the_code(crowd: Crowd) -> None:
    """Pages only show; who has nothing left to do finishes by a button on them."""
    Crowd.objects.update(quota=50)
    browser = enter(crowd)
    for _ in range(6):
        judge_one(participant_named(crowd))
    page = browser.get("/study/", follow=True)
    assertContains(page, "Continue</button>")
    assert participant_named(crowd).state == State.ACTIVE
    assertContains(browser.post(page.redirect_chain[-1][0], follow=True), "C0MPL3TE")


def test_no_link_on_a_participants_pages_is_dead(crowd: Crowd) -> None:
    put_in_use(crowd.campaign, 1, "training")
    browser = enter(crowd)
    assertContains(browser.get("/campaigns/bridges/"), "0 of 2 submitted")
    answered = judge_one(participant_named(crowd))
    question = rater_questions.ask(answered, text="Why?", sentence=0)
    visited = ["/study/", "/study/stop/", f"/questions/{question.pk}/", f"/tasks/{answered.pk}/"]
    visited += [f"/campaigns/bridges/{end}" for end in ("", "training/", "guidelines/")]
    for address in visited:
        page = browser.get(address, follow=True)
        assert page.status_code == 200, address
        links = re.findall(r' href="(/(?!static)[^"#]*)', page.content.decode())
        visited += {*map(unescape, links)} - {*visited}
    assert "/campaigns/bridges/questions/" in visited


@pytest.fixture
def asks_for_consent(crowd: Crowd) -> None:
    by = make_user(role="researcher")
    consent.publish(crowd.campaign, text="Agree?", withdrawal="delete", by=by)


@pytest.mark.usefixtures("asks_for_consent")
def test_consent_comes_first_and_a_no_ends_it_until_a_yes(crowd: Crowd) -> None:
    browser = enter(crowd)
    response = browser.get("/study/", follow=True)
    assert response.redirect_chain[-1][0] == "/campaigns/bridges/consent/"
    data = {"answer": "declined", "version": "1"}
    response = browser.post("/campaigns/bridges/consent/", data, follow=True)
    assertContains(response, "You did not agree")
    assertContains(response, "R3TURNED")
    assert participant_named(crowd).state == State.DECLINED
    browser.post("/campaigns/bridges/consent/", {"answer": "agreed", "version": "1"})
    assert participant_named(crowd).state == State.ACTIVE
    assert browser.get("/study/").headers["Location"] == "/campaigns/bridges/guidelines/"


@pytest.mark.usefixtures("asks_for_consent")
@pytest.mark.parametrize("stopped_before", [False, True])
def test_a_withdrawal_of_consent_ends_the_study_and_deletes_the_work(
    crowd: Crowd, *, stopped_before: bool
) -> None:
    browser = enter(crowd)
    browser.post("/campaigns/bridges/consent/", {"answer": "agreed", "version": "1"})
    judge_one(participant_named(crowd))
    assertContains(browser.get("/study/stop/"), "withdraw your consent")
    if stopped_before:
        browser.post("/study/stop/")
        assertContains(browser.get("/study/"), "/campaigns/bridges/consent/withdraw/")
    response = browser.post("/campaigns/bridges/consent/withdraw/", follow=True)
    assertContains(response, "all your judgments are deleted")
    assert participant_named(crowd).state == State.RETURNED
    assert not Assignment.objects.exists()


def test_participants_are_counted_and_listed_by_state(crowd: Crowd) -> None:
    for name in ("one", "two", "three"):
        enter(crowd, name)
    participants.finish(participant_named(crowd, "two"), State.RETURNED)
    counts = participants.counts(crowd)
    assert (counts[State.ACTIVE], counts[State.RETURNED]) == (2, 1)
    listed = participants.list_participants(crowd, state="active")
    assert [each.identity.platform_id for each in listed] == ["three", "one"]
