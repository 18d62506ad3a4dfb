"""Who knows the entry's address and a participant's id does not enter as that participant."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import Settings
from pytest_django.asserts import assertContains

from annotation.models import Crowd, Participant, PlatformIdentity
from rarrweb.accounts.models import User
from tests.support.campaigns import make_campaign
from tests.support.crowds import (
    PROLIFIC,
    SESSION,
    come,
    entry,
    finish,
    judge_one,
    make_crowd,
    participant_named,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def crowd() -> Crowd:
    return make_crowd(make_campaign(passages=6))


@pytest.fixture
def without_sessions(crowd: Crowd) -> Crowd:
    """A platform that names no session."""
    Crowd.objects.update(session_parameter="")
    return Crowd.objects.get()


def is_in(browser: Client) -> bool:
    return browser.get("/study/").status_code == 302 and "participant" in browser.session


@pytest.mark.parametrize("session", ["", "guessed"])
def test_an_id_alone_does_not_enter_and_overwrites_nothing(
    crowd: Crowd, session: str, caplog: pytest.LogCaptureFixture
) -> None:
    come(crowd)
    participant = participant_named(crowd)
    begun = judge_one(participant)
    before = Participant.objects.values().get()
    attacker = Client()
    attacker.get(entry(crowd, session=session))
    answer = attacker.post(entry(crowd, session=session))
    assertContains(answer, "You began in another browser", status_code=409)
    assert "participant" not in attacker.session
    judgment = {"criterion": "attributable", "target": 0, "value": True, "sequence": 99}
    path = f"/api/tasks/{begun.pk}/judgments/"
    assert attacker.put(path, judgment, content_type="application/json").status_code == 403
    assert Participant.objects.values().get() == before
    assert PlatformIdentity.objects.get().session_id == SESSION
    assert f"participant {participant.pk} was refused in another browser" in caplog.text
    assert PROLIFIC not in caplog.text


def test_an_id_alone_does_not_enter_where_the_platform_names_no_session(
    without_sessions: Crowd,
) -> None:
    theirs = come(without_sessions)
    assert Client().post(entry(without_sessions)).status_code == 409
    theirs.post(entry(without_sessions))
    assert is_in(theirs)


def test_nor_does_it_get_the_code_of_somebody_who_has_completed(without_sessions: Crowd) -> None:
    theirs = come(without_sessions)
    finish(without_sessions)
    assertContains(theirs.post("/tasks/next/", follow=True), "C0MPL3TE")
    assert Client().post(entry(without_sessions)).status_code == 409
    again = theirs.post(entry(without_sessions), follow=True)
    assertContains(again, "C0MPL3TE")


@pytest.mark.parametrize("session", [SESSION, "another"])
def test_the_same_browser_goes_on_without_a_session_of_this_site(
    crowd: Crowd, session: str
) -> None:
    browser = come(crowd)
    del browser.cookies["rarrweb_session"]
    browser.post(entry(crowd, session=session))
    assert is_in(browser)
    participant = participant_named(crowd)
    assert (participant.entries, participant.sessions) == (2, 1 if session == SESSION else 2)


def test_another_browser_goes_on_with_the_session_in_which_they_began(
    crowd: Crowd, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    come(crowd, session="first")
    phone = come(crowd, session="first")
    assert is_in(phone)
    assert "goes on in another browser" in caplog.text
    assert PROLIFIC not in caplog.text
    assert "first" not in caplog.text.replace("/first", "")
    del phone.cookies["rarrweb_session"]
    phone.post(entry(crowd, session="later"))  # it is theirs now
    assert is_in(phone)


def test_a_later_session_does_not_open_another_browser(crowd: Crowd) -> None:
    browser = come(crowd)
    browser.post(entry(crowd, session="later"))
    assert Client().post(entry(crowd, session="later")).status_code == 409


def test_starting_twice_at_once_is_starting_once(without_sessions: Crowd) -> None:
    page = Client()
    page.get(entry(without_sessions))  # with its cookie before anything is started
    twice = Client()
    twice.cookies["rarrweb_browser"] = page.cookies["rarrweb_browser"].value
    assert page.post(entry(without_sessions)).status_code == 302
    assert twice.post(entry(without_sessions)).status_code == 302
    assert Participant.objects.count() == 1


@pytest.mark.parametrize("forged", ["", "x", "x:y:z", "{mark}", "{mark}x"])
def test_a_forged_cookie_is_none(without_sessions: Crowd, forged: str) -> None:
    theirs = come(without_sessions)
    mark = theirs.cookies["rarrweb_browser"].value
    attacker = Client()
    attacker.cookies["rarrweb_browser"] = forged.format(mark=mark.rpartition(":")[0])
    assert attacker.post(entry(without_sessions)).status_code == 409


@pytest.mark.parametrize("is_https", [True, False])
def test_the_cookie_is_for_entries_alone_and_for_no_script(
    crowd: Crowd, settings: Settings, is_https: bool
) -> None:
    settings.SESSION_COOKIE_SECURE = is_https
    cookie = Client().get(entry(crowd)).cookies["rarrweb_browser"]
    assert (cookie["httponly"], cookie["samesite"], cookie["path"]) == (True, "Lax", "/enter/")
    assert bool(cookie["secure"]) is is_https


def test_nothing_that_is_kept_is_the_cookie(crowd: Crowd) -> None:
    browser = come(crowd)
    mark = browser.cookies["rarrweb_browser"].value.split(":")[0]
    assert len(mark) >= 43
    assert mark not in str(list(Participant.objects.values()))


# --- A researcher's release ------------------------------------------------------------------


def release(client: Client, participant: Participant) -> int:
    path = f"/campaigns/bridges/crowd/{participant.pk}/release/"
    return int(client.post(path).status_code)


def test_a_researcher_lets_somebody_go_on_in_another_browser(
    as_researcher: Client, without_sessions: Crowd, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    old = come(without_sessions)
    participant = participant_named(without_sessions)
    assert (
        "go on in another browser"
        in as_researcher.get("/campaigns/bridges/crowd/").content.decode()
    )
    assert release(as_researcher, participant) == 302
    assert f"participant {participant.pk} was released by user" in caplog.text
    assert PROLIFIC not in caplog.text
    assert is_in(come(without_sessions))
    del old.cookies["rarrweb_session"]
    assert old.post(entry(without_sessions)).status_code == 409
    assert Client().post(entry(without_sessions)).status_code == 409


def test_a_released_participant_who_has_completed_sees_the_code(
    as_researcher: Client, crowd: Crowd
) -> None:
    browser = come(crowd)
    participant = finish(crowd)
    browser.post("/tasks/next/")
    assert Client().post(entry(crowd, session="new")).status_code == 409
    release(as_researcher, participant)
    assertContains(come(crowd, session="new").get("/study/", follow=True), "C0MPL3TE")


@pytest.mark.parametrize("role", ["member", "participant", "anonymous"])
def test_nobody_else_releases(crowd: Crowd, stranger: User, role: str) -> None:
    browser = come(crowd) if role == "participant" else Client()
    if role == "member":
        browser.force_login(stranger)
    assert release(
        browser, participant_named(crowd) if role == "participant" else unbound(crowd)
    ) in {302, 404}
    assert not Participant.objects.filter(browser_hash="", session_hash="").exists()


# --- Those who began before --------------------------------------------------------------------


def unbound(crowd: Crowd, session: str = SESSION) -> Participant:
    """As before browsers were known: with the session of their last visit, and no browser."""
    come(crowd, session=session)
    Participant.objects.update(browser_hash="")
    return participant_named(crowd)


def test_who_began_before_goes_on_with_their_session(crowd: Crowd) -> None:
    unbound(crowd)
    assert Client().post(entry(crowd, session="guessed")).status_code == 409
    browser = come(crowd)
    assert is_in(browser)
    del browser.cookies["rarrweb_session"]
    browser.post(entry(crowd, session="later"))
    assert is_in(browser)


def test_who_began_before_and_is_still_logged_in_goes_on_with_any_session(crowd: Crowd) -> None:
    browser = come(crowd)
    Participant.objects.update(browser_hash="")
    browser.cookies.pop("rarrweb_browser")
    browser.post(entry(crowd, session="later"))
    assert is_in(browser)
    del browser.cookies["rarrweb_session"]
    browser.post(entry(crowd, session="later"))
    assert is_in(browser)


def test_who_began_before_without_sessions_is_bound_to_the_next_browser(
    without_sessions: Crowd,
) -> None:
    unbound(without_sessions)
    assert is_in(come(without_sessions))
    assert Client().post(entry(without_sessions)).status_code == 409


def test_a_participant_whose_account_was_shut_is_not_let_in(crowd: Crowd) -> None:
    browser = come(crowd)
    User.objects.filter(pk=participant_named(crowd).user_id).update(is_active=False)
    assert browser.post(entry(crowd)).status_code == 410


def test_who_was_away_for_long_is_asked_for_the_browser_before_a_place(crowd: Crowd) -> None:
    come(crowd)
    Participant.objects.update(seen_at=timezone.now() - timedelta(days=3))
    Crowd.objects.update(places=1)
    come(crowd, "0000000000000000000000ff")
    assertContains(
        Client().post(entry(crowd, session="guessed")), "another browser", status_code=409
    )
