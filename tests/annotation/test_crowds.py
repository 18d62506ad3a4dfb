"""People of a crowd platform: in by an address, out with a code, the same person every time."""

import csv
import doctest
import io
import re
import threading
from datetime import timedelta

import pytest
from django.core.exceptions import ValidationError
from django.db import connection
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries
from pytest_django.asserts import assertContains, assertNotContains

from annotation import consent, crowd_form, crowds, entry_limit, participants
from annotation.assigning import claim_next
from annotation.crowd_form import CrowdForm, back_address, is_safe_address
from annotation.models import (
    Assignment,
    Campaign,
    Crowd,
    Membership,
    Participant,
    PlatformIdentity,
)
from rarrweb.accounts import secret_links
from rarrweb.accounts.models import User
from tests.annotation.checking import judge_next, put_in_use, set_checks
from tests.annotation.crowds import (
    PROLIFIC,
    SESSION,
    STUDY,
    come,
    entry,
    judge_one,
    make_crowd,
    participant_named,
)
from tests.annotation.factories import make_campaign
from tests.factories import make_user

pytestmark = pytest.mark.django_db

State = Participant.State
OTHER = "0000000000000000000000ff"


@pytest.fixture
def campaign() -> Campaign:
    return make_campaign(passages=6)


@pytest.fixture
def crowd(campaign: Campaign) -> Crowd:
    return make_crowd(campaign)


# --- Coming in ---------------------------------------------------------------------------


def test_looking_at_the_entry_makes_nothing(client: Client, crowd: Crowd) -> None:
    response = client.get(entry(crowd))
    assertContains(response, "Start, or go on")
    assert response.headers["Referrer-Policy"] == "strict-origin"
    assert not Participant.objects.exists()
    assert not User.objects.filter(username__startswith="crowd-").exists()


def test_the_entry_is_the_same_page_for_every_id(crowd: Crowd) -> None:
    come(crowd)
    known, unknown = (
        Client().get(entry(crowd, each)).content.decode() for each in (PROLIFIC, OTHER)
    )
    assert PROLIFIC not in known
    assert re.sub(r"[A-Za-z0-9]{64}", "token", known) == re.sub(
        r"[A-Za-z0-9]{64}", "token", unknown
    )


def test_starting_makes_an_account_without_a_password(crowd: Crowd) -> None:
    browser = come(crowd)
    participant = participant_named(crowd)
    assert not participant.user.has_usable_password()
    assert participant.user.role == ""
    assert PROLIFIC not in participant.user.username
    assert participant.user.email == ""
    membership = Membership.objects.get(user=participant.user)
    assert (membership.campaign, membership.role) == (crowd.campaign, "annotator")
    identity = participant.identity
    assert (identity.platform_id, identity.study_id, identity.session_id) == (
        PROLIFIC,
        STUDY,
        SESSION,
    )
    assert browser.session["participant"] == participant.pk


def test_the_same_person_resumes_from_another_browser(crowd: Crowd) -> None:
    come(crowd)
    participant = participant_named(crowd)
    begun = claim_next(participant.user)
    assert isinstance(begun, Assignment)
    again = come(crowd)
    assert again.get("/study/").headers["Location"] == "/tasks/next/?campaign=bridges"
    assert again.get("/tasks/next/").headers["Location"] == f"/tasks/{begun.pk}/"
    participant.refresh_from_db()
    assert (Participant.objects.count(), participant.entries, participant.sessions) == (1, 2, 1)


def test_another_session_of_the_same_person_is_noted(crowd: Crowd) -> None:
    come(crowd)
    come(crowd, session="another")
    participant = participant_named(crowd)
    assert (participant.entries, participant.sessions) == (2, 2)
    assert participant.identity.session_id == "another"


def test_the_parameters_have_the_names_that_the_campaign_gave_them(crowd: Crowd) -> None:
    Crowd.objects.update(participant_parameter="workerId", session_parameter="assignmentId")
    browser = Client()
    assert browser.post(f"/enter/{crowd.key}/?PROLIFIC_PID=x").status_code == 400
    browser.post(f"/enter/{crowd.key}/?workerId=A1&assignmentId=B2")
    identity = PlatformIdentity.objects.get()
    assert (identity.platform_id, identity.session_id, identity.study_id) == ("A1", "B2", "")


@pytest.mark.parametrize(
    ("participant", "says"),
    [
        ("", "PROLIFIC_PID is missing"),
        ("  ", "PROLIFIC_PID is missing"),
        ("{{%PROLIFIC_PID%}}", "has not filled in PROLIFIC_PID"),
        ("a\x00b", "cannot be read"),
        ("a\nb", "cannot be read"),
        ("x" * 201, "cannot be read"),
    ],
)
def test_an_address_that_does_not_say_who_comes(crowd: Crowd, participant: str, says: str) -> None:
    response = Client().post(entry(crowd, participant))
    assertContains(response, says, status_code=400)
    assert not Participant.objects.exists()


@pytest.mark.parametrize("method", ["get", "post"])
def test_an_unknown_address_is_not_there(client: Client, crowd: Crowd, method: str) -> None:
    response = getattr(client, method)("/enter/guessed/?PROLIFIC_PID=x")
    assert response.status_code == 404


def test_a_closed_entry_lets_nobody_new_in_and_those_who_began_go_on(crowd: Crowd) -> None:
    come(crowd)
    Crowd.objects.update(is_open=False)
    assert Client().post(entry(crowd, OTHER)).status_code == 410
    come(crowd)
    assert Participant.objects.count() == 1


def test_a_campaign_that_is_not_open_lets_nobody_in(crowd: Crowd) -> None:
    Campaign.objects.update(state="closed")
    assert Client().post(entry(crowd)).status_code == 410


def test_a_researcher_who_tries_it_is_told_and_becomes_a_participant(
    as_researcher: Client, crowd: Crowd
) -> None:
    assertContains(as_researcher.get(entry(crowd)), "You are logged in as")
    as_researcher.post(entry(crowd))
    assert as_researcher.get("/campaigns/").status_code == 404


def test_many_starts_from_one_address_have_to_wait(
    crowd: Crowd, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(entry_limit, "LIMIT", 3)
    for number in range(3):
        come(crowd, f"id-{number}")
    response = Client().post(entry(crowd, "id-3"))
    assert response.status_code == 429
    assert 0 < int(response.headers["Retry-After"]) <= 900
    assert Participant.objects.count() == 3


def test_the_limit_is_each_addresss_own_and_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entry_limit, "LIMIT", 2)
    for _ in range(2):
        entry_limit.count_entry("192.0.2.1")
    with pytest.raises(entry_limit.TooManyEntries):
        entry_limit.count_entry("192.0.2.1")
    entry_limit.count_entry("192.0.2.2")
    later = timezone.now() + entry_limit.WINDOW + timedelta(seconds=1)
    monkeypatch.setattr(entry_limit.timezone, "now", lambda: later)
    entry_limit.count_entry("192.0.2.1")


# --- What a participant may open ------------------------------------------------------------


@pytest.mark.parametrize(
    "path",
    ["/account/", "/campaigns/", "/people/", "/datasets/", "/campaigns/join/x/", "/adjudicate/",
     "/campaigns/other/", "/admin/"],
)  # fmt: skip
def test_a_participants_session_opens_nothing_but_the_study(crowd: Crowd, path: str) -> None:
    make_campaign(name="Other")
    browser = come(crowd)
    assert browser.get(path).status_code == 404
    assert browser.post(path).status_code == 404


def test_home_leads_a_participant_back_to_the_study(crowd: Crowd) -> None:
    assert come(crowd).get("/").headers["Location"] == "/study/"


def test_the_instructions_come_before_the_first_item(crowd: Crowd) -> None:
    browser = come(crowd)
    response = browser.get("/study/", follow=True)
    assert response.redirect_chain[-1][0] == "/campaigns/bridges/guidelines/"
    assertContains(response, "I want to stop")
    assertNotContains(response, "Log out")
    judge_one(participant_named(crowd))
    assert browser.get("/study/").headers["Location"].startswith("/tasks/next/")


@pytest.mark.parametrize("path", ["/study/", "/study/stop/"])
def test_the_studys_pages_are_there_for_participants_only(as_researcher: Client, path: str) -> None:
    assert as_researcher.get(path).status_code == 404


def test_anothers_item_is_not_there(crowd: Crowd) -> None:
    come(crowd)
    begun = claim_next(participant_named(crowd).user)
    assert isinstance(begun, Assignment)
    assert come(crowd, OTHER).get(f"/tasks/{begun.pk}/").status_code == 404


# --- To the code ------------------------------------------------------------------------------


def finish(crowd: Crowd, platform_id: str = PROLIFIC) -> Participant:
    participant = participant_named(crowd, platform_id)
    for _ in range(crowd.quota):
        judge_one(participant)
    return participant


def test_at_the_quota_there_is_no_further_item_but_the_code(crowd: Crowd) -> None:
    browser = come(crowd)
    participant = finish(crowd)
    response = browser.get("/tasks/next/?campaign=bridges", follow=True)
    assert response.redirect_chain[-1][0] == "/study/"
    assertContains(response, "C0MPL3TE")
    assertContains(response, 'href="https://platform.example/submissions/complete?cc=C0MPL3TE"')
    participant.refresh_from_db()
    assert (participant.state, participant.code) == (State.COMPLETED, "C0MPL3TE")
    assert participant.ended_at is not None
    assert Assignment.objects.count() == crowd.quota


def test_nothing_in_an_address_decides_where_the_link_leads(crowd: Crowd) -> None:
    browser = come(crowd)
    finish(crowd)
    browser.get("/tasks/next/")
    page = browser.get("/study/?back_url=https://evil.example/&next=https://evil.example/")
    assertNotContains(page, "evil.example")


def test_without_a_code_each_gets_their_own(crowd: Crowd) -> None:
    Crowd.objects.update(completion_code="")
    codes = set()
    for name in ("one", "two"):
        browser = come(crowd, name)
        finish(crowd, name)
        browser.get("/tasks/next/")
        codes.add(participant_named(crowd, name).code)
    assert len(codes) == 2
    assert all(len(code) == 10 for code in codes)


def test_who_has_completed_sees_the_code_again_in_the_same_session_only(crowd: Crowd) -> None:
    come(crowd).get("/study/")
    finish(crowd)
    participants.may_go_on(participant_named(crowd))
    assertContains(come(crowd).get("/study/"), "C0MPL3TE")
    response = Client().post(entry(crowd, session="another"))
    assertNotContains(response, "C0MPL3TE", status_code=409)
    assert "participant" not in response.wsgi_request.session


def test_when_nothing_is_left_who_did_what_there_was_gets_the_code(crowd: Crowd) -> None:
    Crowd.objects.update(quota=50)
    browser = come(crowd)
    participant = participant_named(crowd)
    for _ in range(6):
        judge_one(participant)
    assert browser.get("/tasks/next/").headers["Location"] == "/study/"
    assertContains(browser.get("/study/"), "C0MPL3TE")


def test_who_skipped_the_rest_does_not(crowd: Crowd) -> None:
    Crowd.objects.update(quota=50)
    browser = come(crowd)
    participant = participant_named(crowd)
    for _ in range(6):
        last = judge_one(participant)
    Assignment.objects.filter(pk=last.pk).update(skipped_at=timezone.now(), slot=None)
    response = browser.get("/tasks/next/")
    assert response.status_code == 200
    participant.refresh_from_db()
    assert participant.state == State.ACTIVE


def test_who_did_nothing_gets_no_code_because_nothing_is_left(crowd: Crowd) -> None:
    browser = come(crowd)
    Campaign.objects.update(state="closed")
    assert browser.get("/tasks/next/").status_code == 200
    assert participant_named(crowd).state == State.ACTIVE


# --- Leaving ------------------------------------------------------------------------------------


def test_who_stops_gives_the_place_back_and_keeps_what_was_done(crowd: Crowd) -> None:
    browser = come(crowd)
    participant = participant_named(crowd)
    done = judge_one(participant)
    begun = claim_next(participant.user)
    assert isinstance(begun, Assignment)
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
    assert browser.get("/tasks/next/").headers["Location"] == "/study/"
    other = make_user()
    Membership.objects.create(campaign=crowd.campaign, user=other)
    items = {judge_next_item(other) for _ in range(5)}
    assert begun.item_id in items


def judge_next_item(rater: User) -> int:
    from tests.annotation.factories import judge_everything

    claimed = claim_next(rater)
    assert isinstance(claimed, Assignment)
    judge_everything(claimed)
    return claimed.item_id


def test_who_has_stopped_stays_out_until_a_researcher_lets_them_in(
    as_researcher: Client, crowd: Crowd
) -> None:
    browser = come(crowd)
    participant = participant_named(crowd)
    begun = claim_next(participant.user)
    assert isinstance(begun, Assignment)
    browser.post("/study/stop/")
    assertContains(come(crowd).get("/study/"), "You have stopped")
    as_researcher.post(f"/campaigns/bridges/crowd/{participant.pk}/again/")
    browser = come(crowd)
    assert browser.get("/tasks/next/").headers["Location"] == f"/tasks/{begun.pk}/"
    participant.refresh_from_db()
    assert (participant.state, participant.code) == (State.ACTIVE, "")


def test_the_first_end_holds(crowd: Crowd) -> None:
    come(crowd)
    participant = finish(crowd)
    participants.may_go_on(participant)
    participants.end(participant, State.RETURNED)
    participant.refresh_from_db()
    assert participant.state == State.COMPLETED


def test_who_fails_the_training_is_screened_out(crowd: Crowd) -> None:
    browser = come(crowd)
    participant = participant_named(crowd)
    assert participants.screen_out(participant.user, crowd.campaign)
    assertContains(browser.get("/study/"), "SCR33NED")
    assert not participants.screen_out(make_user(), crowd.campaign)
    assert not Membership.objects.filter(user=participant.user).exists()


def test_a_failed_training_ends_in_its_code_and_a_researcher_can_let_them_on(
    as_researcher: Client, crowd: Crowd
) -> None:
    put_in_use(crowd.campaign, 1, "training")
    set_checks(crowd.campaign, tries=1)
    browser = come(crowd)
    participant = participant_named(crowd)
    judge_next(participant.user, crowd.campaign, (0, 0, 1))
    assert browser.get("/tasks/next/").headers["Location"] == "/study/"
    assertContains(browser.get("/study/"), "SCR33NED")
    assert participants.handed_in(participant) == 0  # training is no work
    as_researcher.post(f"/campaigns/bridges/crowd/{participant.pk}/again/")
    assert browser.get("/tasks/next/").headers["Location"].startswith("/tasks/")
    assert participant_named(crowd).state == State.ACTIVE


def test_who_may_try_the_training_again_is_not_screened_out(crowd: Crowd) -> None:
    put_in_use(crowd.campaign, 1, "training")
    set_checks(crowd.campaign, tries=2)
    browser = come(crowd)
    judge_next(participant_named(crowd).user, crowd.campaign, (0, 0, 1))
    assert browser.get("/tasks/next/").headers["Location"] == "/campaigns/bridges/training/"
    assertContains(browser.get("/campaigns/bridges/training/"), "I want to stop")
    assert participant_named(crowd).state == State.ACTIVE


def test_consent_comes_first_and_a_no_ends_it_until_a_yes(crowd: Crowd) -> None:
    consent.publish(
        crowd.campaign, text="Agree?", withdrawal="delete", by=make_user(role="researcher")
    )
    browser = come(crowd)
    response = browser.get("/study/", follow=True)
    assert response.redirect_chain[-1][0] == "/campaigns/bridges/consent/"
    response = browser.post(
        "/campaigns/bridges/consent/", {"answer": "declined", "version": "1"}, follow=True
    )
    assertContains(response, "You did not agree")
    assertContains(response, "R3TURNED")
    assert participant_named(crowd).state == State.DECLINED
    browser.post("/campaigns/bridges/consent/", {"answer": "agreed", "version": "1"})
    assert participant_named(crowd).state == State.ACTIVE
    assert browser.get("/study/").headers["Location"] == "/campaigns/bridges/guidelines/"


def test_a_consent_taken_back_ends_the_study_and_deletes_the_work(crowd: Crowd) -> None:
    consent.publish(
        crowd.campaign, text="Agree?", withdrawal="delete", by=make_user(role="researcher")
    )
    browser = come(crowd)
    browser.post("/campaigns/bridges/consent/", {"answer": "agreed", "version": "1"})
    judge_one(participant_named(crowd))
    assertContains(browser.get("/study/stop/"), "take your consent back")
    response = browser.post("/campaigns/bridges/consent/withdraw/", follow=True)
    assertContains(response, "everything that you judged is deleted")
    assert participant_named(crowd).state == State.RETURNED
    assert not Assignment.objects.exists()


def test_who_stopped_can_still_take_the_consent_back(crowd: Crowd) -> None:
    consent.publish(
        crowd.campaign, text="Agree?", withdrawal="delete", by=make_user(role="researcher")
    )
    browser = come(crowd)
    browser.post("/campaigns/bridges/consent/", {"answer": "agreed", "version": "1"})
    judge_one(participant_named(crowd))
    browser.post("/study/stop/")
    assertContains(browser.get("/study/"), "/campaigns/bridges/consent/withdraw/")
    browser.post("/campaigns/bridges/consent/withdraw/")
    assert not Assignment.objects.exists()


# --- Places and time ------------------------------------------------------------------------------


def away(participant: Participant, minutes: int) -> None:
    Participant.objects.filter(pk=participant.pk).update(
        seen_at=timezone.now() - timedelta(minutes=minutes)
    )


def test_a_full_study_takes_nobody_until_a_place_comes_free(crowd: Crowd) -> None:
    Crowd.objects.update(places=1)
    first = come(crowd)
    assert Client().post(entry(crowd, OTHER)).status_code == 409
    first.post("/study/stop/")
    come(crowd, OTHER)
    assert Participant.objects.count() == 2


def test_who_was_away_too_long_holds_no_place_and_waits_for_one(crowd: Crowd) -> None:
    Crowd.objects.update(places=1, minutes=30)
    slow = come(crowd)
    away(participant_named(crowd), 31)
    come(crowd, OTHER)
    assert Client().post(entry(crowd)).status_code == 409
    assert slow.get("/tasks/next/").status_code == 409
    participants.end(participant_named(crowd, OTHER), State.RETURNED)
    assert slow.get("/tasks/next/").status_code == 302


def test_who_comes_back_in_time_keeps_the_place(crowd: Crowd) -> None:
    Crowd.objects.update(places=1, minutes=30)
    browser = come(crowd)
    away(participant_named(crowd), 29)
    assert Client().post(entry(crowd, OTHER)).status_code == 409
    assert browser.get("/tasks/next/").status_code == 302
    assert participant_named(crowd).seen_at > timezone.now() - timedelta(minutes=1)


def test_the_counts_tell_timed_out_from_working(crowd: Crowd) -> None:
    for name in ("one", "two", "three"):
        come(crowd, name)
    away(participant_named(crowd, "one"), 61)
    participants.end(participant_named(crowd, "two"), State.RETURNED)
    counts = participants.counts(crowd)
    assert (counts[State.ACTIVE], counts["timed-out"], counts[State.RETURNED]) == (1, 1, 1)
    shown = [each.identity.platform_id for each in participants.listed(crowd, state="timed-out")]
    assert shown == ["one"]
    shown = [each.identity.platform_id for each in participants.listed(crowd, state="active")]
    assert shown == ["three"]


# --- For researchers ------------------------------------------------------------------------


def test_a_researcher_opens_an_entry_and_gets_its_address(
    as_researcher: Client, campaign: Campaign
) -> None:
    assertContains(as_researcher.get("/campaigns/bridges/crowd/"), "Open an entry")
    data = {
        "is_open": "on", "quota": "5", "places": "", "minutes": "60", "completion_code": "ABC",
        "returned_code": "", "screened_out_code": "", "participant_parameter": "PROLIFIC_PID",
        "study_parameter": "STUDY_ID", "session_parameter": "SESSION_ID",
        "back_url": "https://app.prolific.com/submissions/complete?cc={code}",
    }  # fmt: skip
    as_researcher.post("/campaigns/bridges/crowd/", data)
    crowd = Crowd.objects.get()
    assert (crowd.quota, crowd.places, len(crowd.key) >= 30) == (5, None, True)
    page = as_researcher.get("/campaigns/bridges/crowd/")
    assertContains(page, f"/enter/{crowd.key}/?PROLIFIC_PID={{{{%PROLIFIC_PID%}}}}")
    as_researcher.post("/campaigns/bridges/crowd/", data | {"quota": "7"})
    again = Crowd.objects.get()
    assert (again.key, again.quota) == (crowd.key, 7)
    as_researcher.post("/campaigns/bridges/crowd/address/")
    assert Crowd.objects.get().key != crowd.key


@pytest.mark.parametrize(
    ("field", "value", "says"),
    [
        ("quota", "0", "1"),
        ("quota", "", "required"),
        ("places", "0", "1"),
        ("minutes", "-1", "1"),
        ("completion_code", "a b", "letters, digits"),
        ("completion_code", "<b>", "letters, digits"),
        ("back_url", "http://app.example/?cc={code}", "begins with https://"),
        ("back_url", "javascript:alert(1)", "begins with https://"),
        ("back_url", "https://{code}.example/", "begins with https://"),
        ("back_url", "https://user@app.example/", "begins with https://"),
        ("back_url", "//app.example/", "begins with https://"),
        ("participant_parameter", "a b", "letters, digits"),
        ("participant_parameter", "", "required"),
        ("session_parameter", "PROLIFIC_PID", "one name"),
    ],
)
def test_terms_that_cannot_be_are_refused(crowd: Crowd, field: str, value: str, says: str) -> None:
    data = {
        name: "" if (held := getattr(crowd, name)) is None else held
        for name in CrowdForm.Meta.fields
    }
    form = CrowdForm(data | {field: value}, instance=crowd)
    assert not form.is_valid()
    assert says in str(form.errors[field])


def test_what_got_into_the_settings_some_other_way_is_no_link(crowd: Crowd) -> None:
    come(crowd)
    participant = participant_named(crowd)
    participant.crowd.back_url = "javascript:alert(1)//https://"
    assert back_address(participant) == ""
    assert not is_safe_address("https://a.example/ b")
    assert not is_safe_address("https://[broken/")


def test_the_examples_of_addresses_hold() -> None:
    assert doctest.testmod(crowd_form) == (0, 2)


def test_log_lines_hold_neither_the_entrys_key_nor_who_came() -> None:
    assert doctest.testmod(secret_links) == (0, 2)
    line = f'"GET {entry(Crowd(key="k3y"))} HTTP/1.1" 200'
    assert secret_links.without_tokens(line) == '"GET /enter/… HTTP/1.1" 200'


def test_an_address_with_a_code_is_none_for_who_has_no_code(crowd: Crowd) -> None:
    Crowd.objects.update(returned_code="")
    browser = come(crowd)
    page = browser.post("/study/stop/", follow=True)
    assertNotContains(page, "platform.example")


def test_the_page_shows_who_came_and_the_files_whom_to_pay(
    as_researcher: Client, crowd: Crowd
) -> None:
    come(crowd)
    finish(crowd)
    participants.may_go_on(participant_named(crowd))
    come(crowd, "=cmd()")
    assertContains(as_researcher.get("/campaigns/bridges/crowd/"), PROLIFIC)
    page = as_researcher.get("/campaigns/bridges/crowd/?state=returned").content.decode()
    assert PROLIFIC not in page
    ids = as_researcher.get("/campaigns/bridges/crowd/participants/?ids")
    assert ids.content.decode() == f"{PROLIFIC}\r\n"
    table = as_researcher.get("/campaigns/bridges/crowd/participants/").content.decode()
    rows = list(csv.DictReader(io.StringIO(table.removeprefix("\ufeff"))))
    assert [row["participant_id"] for row in rows] == [PROLIFIC, "'=cmd()"]
    assert (rows[0]["state"], rows[0]["code"], rows[0]["handed_in"]) == (
        "completed",
        "C0MPL3TE",
        "2",
    )
    assert rows[0]["session_id"] == SESSION


def test_ids_are_forgotten_and_the_person_is_still_known(
    as_researcher: Client, crowd: Crowd
) -> None:
    come(crowd)
    participant = participant_named(crowd)
    assertContains(as_researcher.get("/campaigns/bridges/crowd/forget/"), "1 participant")
    assert PlatformIdentity.objects.exists()  # looking forgets nothing
    as_researcher.post("/campaigns/bridges/crowd/forget/")
    assert not PlatformIdentity.objects.exists()
    page = as_researcher.get("/campaigns/bridges/crowd/").content.decode()
    assert PROLIFIC not in page
    assert "forgotten" in page
    come(crowd)
    assert Participant.objects.get() == participant
    assert not PlatformIdentity.objects.exists()
    table = as_researcher.get("/campaigns/bridges/crowd/participants/").content.decode()
    assert PROLIFIC not in table


def test_hashes_are_keyed_and_differ_between_campaigns(crowd: Crowd, settings: object) -> None:
    other = make_crowd(make_campaign(name="Other"))
    one, two = (crowds.keyed_hash(each, "participant", PROLIFIC) for each in (crowd, other))
    assert one != two
    settings.SECRET_KEY = "another key that is long enough to be one"  # type: ignore[attr-defined]
    assert crowds.keyed_hash(crowd, "participant", PROLIFIC) != one


def test_the_page_asks_as_little_for_many_as_for_few(
    as_researcher: Client, crowd: Crowd, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    for number in range(30):
        crowds.enter(crowd, crowds.Ids(participant=f"id-{number}"))
    with django_assert_max_num_queries(12):
        page = as_researcher.get("/campaigns/bridges/crowd/").content.decode()
    assert page.count("id-") >= 30


def test_the_people_page_lists_them_only_when_asked(
    client: Client, administrator: User, crowd: Crowd
) -> None:
    come(crowd)
    client.force_login(administrator)
    assertNotContains(client.get("/people/"), "crowd-")
    assertContains(client.get("/people/?q=crowd-"), participant_named(crowd).user.username)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("places", "names"), [(None, 1), (1, 6)])
def test_of_many_who_start_at_once_each_is_one_and_the_last_place_is_ones(
    places: int | None, names: int
) -> None:
    crowd = make_crowd(make_campaign(), places=places)
    start = threading.Barrier(6)
    answers: list[int] = []

    def begin(number: int) -> None:
        browser = Client()
        start.wait()
        answers.append(browser.post(entry(crowd, f"id-{number % names}")).status_code)
        connection.close()

    threads = [threading.Thread(target=begin, args=[number]) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(answers) == [302] + [302 if places is None else 409] * 5
    assert Participant.objects.count() == Membership.objects.count() == 1


PATHS = ["", "participants/", "forget/", "address/", "1/again/"]


@pytest.mark.parametrize("path", PATHS)
def test_the_researchers_pages_are_not_there_for_others(
    client: Client, crowd: Crowd, stranger: User, path: str
) -> None:
    browser = come(crowd)
    client.force_login(stranger)
    for each in (client, browser):
        answers = {
            each.get(f"/campaigns/bridges/crowd/{path}").status_code,
            each.post(f"/campaigns/bridges/crowd/{path}").status_code,
        }
        assert answers <= {404, 405}
        assert 404 in answers


def test_the_participant_of_another_campaign_is_not_let_in_here(
    as_researcher: Client, crowd: Crowd
) -> None:
    other = make_crowd(make_campaign(name="Other"))
    come(other)
    participant = participant_named(other)
    path = f"/campaigns/bridges/crowd/{participant.pk}/again/"
    assert as_researcher.post(path).status_code == 404


def test_the_database_holds_one_participant_an_id(crowd: Crowd) -> None:
    come(crowd)
    twin = Participant(
        crowd=crowd,
        user=make_user(),
        id_hash=participant_named(crowd).id_hash,
        entered_at=timezone.now(),
        seen_at=timezone.now(),
    )
    with pytest.raises(ValidationError):
        twin.validate_constraints()
