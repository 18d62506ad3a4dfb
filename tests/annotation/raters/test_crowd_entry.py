"""How people of a crowd platform come in, and what their session opens."""

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django.asserts import assertContains, assertNotContains

from annotation.models import Campaign, Crowd, Membership, Participant, PlatformIdentity
from annotation.raters import crowd_entry
from rarrweb.accounts.models import User
from rarrweb.web.rate_limit import TooManyAttempts
from tests.support.crowds import (
    PROLIFIC,
    SESSION,
    STUDY,
    enter,
    entry,
    judge_one,
    participant_named,
)
from tests.support.reference_answers import claim

pytestmark = pytest.mark.django_db

OTHER = "0000000000000000000000ff"


def test_the_entry_is_the_same_page_for_every_id_and_makes_nothing(crowd: Crowd) -> None:
    enter(crowd)
    known, unknown = (Client().get(entry(crowd, each)) for each in (PROLIFIC, OTHER))
    assertContains(unknown, "Start or continue")
    assertNotContains(known, PROLIFIC)
    assert unknown.headers["Referrer-Policy"] == "strict-origin"
    pages = {re.sub(r"\w{64}", "token", each.content.decode()) for each in (known, unknown)}
    assert len(pages) == 1
    assert Participant.objects.count() == 1
    assert User.objects.filter(username__startswith="crowd-").count() == 1


def test_starting_makes_an_account_without_a_password(crowd: Crowd) -> None:
    browser = enter(crowd)
    participant = participant_named(crowd)
    assert not participant.user.has_usable_password()
    assert participant.user.role == ""
    assert PROLIFIC not in participant.user.username
    assert participant.user.email == ""
    membership = Membership.objects.get(user=participant.user)
    assert (membership.campaign, membership.role) == (crowd.campaign, "annotator")
    identity = participant.identity
    ids = (identity.platform_id, identity.study_id, identity.session_id)
    assert ids == (PROLIFIC, STUDY, SESSION)
    assert browser.session["participant"] == participant.pk


def test_the_same_id_resumes_from_another_browser(crowd: Crowd) -> None:
    enter(crowd)
    participant = participant_named(crowd)
    begun = claim(participant.user)
    again = enter(crowd, session="another")
    assert again.get("/study/").headers["Location"] == "/tasks/next/?campaign=bridges"
    assert again.get("/tasks/next/").headers["Location"] == f"/tasks/{begun.pk}/"
    participant.refresh_from_db()
    assert Participant.objects.get() == participant
    assert participant.identity.session_id == "another"


def test_the_parameters_have_the_names_that_the_campaign_gave_them(crowd: Crowd) -> None:
    Crowd.objects.update(participant_parameter="workerId", session_parameter="assignmentId")
    browser = Client()
    assert browser.post(f"/enter/{crowd.key}/?PROLIFIC_PID=x").status_code == 400
    browser.post(f"/enter/{crowd.key}/?workerId=A1&assignmentId=B2")
    identity = PlatformIdentity.objects.get()
    assert (identity.platform_id, identity.session_id, identity.study_id) == ("A1", "B2", "")


@pytest.mark.parametrize(
    ("participant", "expected"),
    [
        ("", "PROLIFIC_PID is missing"),
        ("  ", "PROLIFIC_PID is missing"),
        ("{{%PROLIFIC_PID%}}", "has not filled in PROLIFIC_PID"),
        ("a\nb", "cannot be read"),
        ("x" * 201, "cannot be read"),
    ],
)
def test_an_address_that_does_not_say_who_comes(
    crowd: Crowd, participant: str, expected: str
) -> None:
    response = Client().post(entry(crowd, participant))
    assertContains(response, expected, status_code=400)
    assert not Participant.objects.exists()


def test_unknown_and_closed_entries_closed_campaigns_and_accounts_let_nobody_in(
    crowd: Crowd,
) -> None:
    for ask in (Client().get, Client().post):
        assert ask("/enter/guessed/?PROLIFIC_PID=x").status_code == 404
    enter(crowd)
    Crowd.objects.update(is_open=False)
    assert Client().post(entry(crowd, OTHER)).status_code == 410
    enter(crowd)
    assert Participant.objects.count() == 1
    User.objects.filter(pk=participant_named(crowd).user_id).update(is_active=False)
    assert Client().post(entry(crowd)).status_code == 410
    Crowd.objects.update(is_open=True)
    Campaign.objects.update(state="closed")
    assert Client().post(entry(crowd, OTHER)).status_code == 410


def test_a_researcher_who_tries_it_is_warned_and_becomes_a_participant(
    as_researcher: Client, crowd: Crowd
) -> None:
    assertContains(as_researcher.get(entry(crowd)), "You are logged in as")
    as_researcher.post(entry(crowd))
    assert as_researcher.get("/campaigns/").status_code == 404


def test_many_starts_from_one_address_have_to_wait(
    crowd: Crowd, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(crowd_entry, "ENTRY_LIMIT", 3)
    for number in range(3):
        enter(crowd, f"id-{number}")
    response = Client().post(entry(crowd, "id-3"))
    assert response.status_code == 429
    assert 0 < int(response.headers["Retry-After"]) <= 900
    assert Participant.objects.count() == 3


def test_the_limit_is_each_addresss_own_and_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crowd_entry, "ENTRY_LIMIT", 2)
    for _ in range(2):
        crowd_entry.count_entry("192.0.2.1")
    with pytest.raises(TooManyAttempts):
        crowd_entry.count_entry("192.0.2.1")
    crowd_entry.count_entry("192.0.2.2")
    later = timezone.now() + crowd_entry.ENTRY_WINDOW + timedelta(seconds=1)
    monkeypatch.setattr(crowd_entry.timezone, "now", lambda: later)
    crowd_entry.count_entry("192.0.2.1")


@pytest.mark.parametrize("prefix", ["/study", "/enter", "/campaigns/bridges", "/static"])
def test_a_prefix_that_the_client_sends_opens_nothing_else(crowd: Crowd, prefix: str) -> None:
    browser = enter(crowd)
    assert browser.get("/").headers["Location"] == "/study/"
    for path in ("/account/", "/campaigns/", "/help/", "/search/"):
        assert browser.get(path, SCRIPT_NAME=prefix).status_code == 404


def test_the_instructions_come_before_the_first_item(crowd: Crowd) -> None:
    browser = enter(crowd)
    response = browser.get("/study/", follow=True)
    assert response.redirect_chain[-1][0] == "/campaigns/bridges/guidelines/"
    assertContains(response, "I want to stop")
    assertNotContains(response, "Log out")
    judge_one(participant_named(crowd))
    assert browser.get("/study/").headers["Location"].startswith("/tasks/next/")
