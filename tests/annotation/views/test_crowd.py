"""The crowd’s pages for researchers: terms, who came, whom to pay, forgetting ids."""

import csv
import io

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries
from pytest_django.asserts import assertContains, assertNotContains

from annotation.models import Crowd, Membership, Participant, PlatformIdentity
from annotation.raters import crowd_entry, participants
from annotation.raters.forms import CrowdForm, back_address, is_safe_address
from rarrweb.accounts.models import User
from tests.support.campaigns import make_campaign
from tests.support.crowds import (
    PROLIFIC,
    SESSION,
    enter,
    entry,
    finish,
    make_crowd,
    participant_named,
)
from tests.support.races import all_at_once

pytestmark = pytest.mark.django_db

State = Participant.State


def test_a_researcher_opens_an_entry_and_gets_its_address(as_researcher: Client) -> None:
    make_campaign()
    assertContains(as_researcher.get("/campaigns/bridges/crowd/"), "Open an entry")
    ids = {"participant": "PROLIFIC_PID", "study": "STUDY_ID", "session": "SESSION_ID"}
    data = {f"{name}_parameter": value for name, value in ids.items()}
    data |= {"is_open": "on", "quota": "5", "completion_code": "ABC"}
    data |= {"returned_code": "", "screened_out_code": ""}
    data |= {"back_url": "https://app.prolific.com/submissions/complete?cc={code}"}
    as_researcher.post("/campaigns/bridges/crowd/", data)
    crowd = Crowd.objects.get()
    assert (crowd.quota, len(crowd.key) >= 30) == (5, True)
    page = as_researcher.get("/campaigns/bridges/crowd/")
    assertContains(page, f"/enter/{crowd.key}/?PROLIFIC_PID={{{{%PROLIFIC_PID%}}}}")
    as_researcher.post("/campaigns/bridges/crowd/", data | {"quota": "7"})
    again = Crowd.objects.get()
    assert (again.key, again.quota) == (crowd.key, 7)
    as_researcher.post("/campaigns/bridges/crowd/address/")
    assert Crowd.objects.get().key != crowd.key


@pytest.mark.parametrize(
    ("field", "value", "expected"),
    [
        ("quota", "0", "1"),
        ("quota", "", "required"),
        ("completion_code", "a b", "letters, digits"),
        ("completion_code", "<b>", "letters, digits"),
        ("back_url", "http://app.example/?cc={code}", "begins with https://"),
        ("back_url", "javascript:alert(1)", "begins with https://"),
        ("back_url", "https://{code}.example/", "begins with https://"),
        ("back_url", "https://user@app.example/", "begins with https://"),
        ("back_url", "//app.example/", "begins with https://"),
        ("participant_parameter", "a b", "letters, digits"),
        ("participant_parameter", "", "required"),
        ("session_parameter", "PROLIFIC_PID", "the same name"),
    ],
)
def test_terms_that_cannot_be_are_refused(
    crowd: Crowd, field: str, value: str, expected: str
) -> None:
    data = {
        name: "" if (held := getattr(crowd, name)) is None else held
        for name in CrowdForm.Meta.fields
    }
    form = CrowdForm(data | {field: value}, instance=crowd)
    assert not form.is_valid()
    assert expected in str(form.errors[field])


def test_what_got_into_the_settings_some_other_way_is_no_link(crowd: Crowd) -> None:
    enter(crowd)
    participant = participant_named(crowd)
    assert back_address(participant) == ""  # an address with a code, for whom there is none
    participant.crowd.back_url = "javascript:alert(1)//https://"
    assert back_address(participant) == ""
    assert not is_safe_address("https://a.example/ b")
    assert not is_safe_address("https://[broken/")


def test_the_page_shows_who_came_and_the_files_whom_to_pay(
    as_researcher: Client, crowd: Crowd
) -> None:
    enter(crowd)
    finish(crowd)
    participants.advance_participant(participant_named(crowd))
    enter(crowd, "=cmd()")
    assertContains(as_researcher.get("/campaigns/bridges/crowd/"), PROLIFIC)
    page = as_researcher.get("/campaigns/bridges/crowd/?state=returned").content.decode()
    assert PROLIFIC not in page
    ids = as_researcher.get("/campaigns/bridges/crowd/participants/?ids")
    assert ids.content.decode() == f"{PROLIFIC}\r\n"
    table = as_researcher.get("/campaigns/bridges/crowd/participants/").content.decode()
    rows = list(csv.DictReader(io.StringIO(table.removeprefix("\ufeff"))))
    assert [row["participant_id"] for row in rows] == [PROLIFIC, "'=cmd()"]
    row = rows[0]
    assert (row["state"], row["code"], row["submitted"]) == ("completed", "C0MPL3TE", "2")
    assert row["session_id"] == SESSION


def test_ids_are_forgotten_and_the_person_is_still_known(
    as_researcher: Client, crowd: Crowd
) -> None:
    enter(crowd)
    participant = participant_named(crowd)
    assertContains(as_researcher.get("/campaigns/bridges/crowd/forget/"), "1 participant")
    assert PlatformIdentity.objects.exists()  # the page forgets nothing
    as_researcher.post("/campaigns/bridges/crowd/forget/")
    assert not PlatformIdentity.objects.exists()
    page = as_researcher.get("/campaigns/bridges/crowd/").content.decode()
    assert PROLIFIC not in page
    assert "forgotten" in page
    enter(crowd)
    assert Participant.objects.get() == participant
    assert not PlatformIdentity.objects.exists()
    table = as_researcher.get("/campaigns/bridges/crowd/participants/").content.decode()
    assert PROLIFIC not in table


def test_hashes_are_keyed_and_differ_between_campaigns(crowd: Crowd, settings: object) -> None:
    other = make_crowd(make_campaign(name="Other"))
    one, two = (crowd_entry.keyed_hash(each, PROLIFIC) for each in (crowd, other))
    assert one != two
    settings.SECRET_KEY = "another key that is long enough to be one"  # type: ignore[attr-defined]
    assert crowd_entry.keyed_hash(crowd, PROLIFIC) != one


def test_the_page_asks_as_little_for_many_as_for_few(
    as_researcher: Client, crowd: Crowd, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    for number in range(30):
        crowd_entry.enter(crowd, crowd_entry.Ids(participant=f"id-{number}"))
    with django_assert_max_num_queries(12):
        page = as_researcher.get("/campaigns/bridges/crowd/").content.decode()
    assert page.count("id-") >= 30


def test_the_people_page_lists_them_only_when_asked(
    client: Client, administrator: User, crowd: Crowd
) -> None:
    enter(crowd)
    client.force_login(administrator)
    assertNotContains(client.get("/people/"), "crowd-")
    assertContains(client.get("/people/?q=crowd-"), participant_named(crowd).user.username)


@pytest.mark.django_db(transaction=True)
def test_who_starts_six_times_at_once_is_one_participant() -> None:
    crowd = make_crowd(make_campaign())
    answers: list[int] = []
    all_at_once(*[lambda: answers.append(Client().post(entry(crowd)).status_code)] * 6)
    assert answers == [302] * 6
    assert Participant.objects.count() == Membership.objects.count() == 1
