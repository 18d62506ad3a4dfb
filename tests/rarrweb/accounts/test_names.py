"""One name is one name, however it is written: for sign-ups, members, lists and commands."""

import io

import pytest
from django.core.management import call_command
from django.test import Client

from annotation.raters.forms import PeopleChoice
from annotation.raters.invitation_csv import BadList, key_of, read_list
from rarrweb.accounts import names
from rarrweb.accounts.forms import SignUpForm
from rarrweb.accounts.models import User
from tests.support.factories import make_user

pytestmark = pytest.mark.django_db

PASSWORD = "tide harbour lantern"


@pytest.mark.parametrize(
    ("known", "new"),
    [
        ("ruth", "ＲＵＴＨ"),
        ("Ångström", "ångström"),
        ("ÄrÖ", "äRö"),
        ("ﬁnn", "FINN"),
        ("ада", "АДА"),
    ],
)
def test_a_name_that_only_looks_different_is_taken(known: str, new: str) -> None:
    make_user(known)
    form = SignUpForm({"username": new, "password1": PASSWORD, "password2": PASSWORD})
    assert "This user name is taken" in str(form.errors)


def test_another_name_is_free() -> None:
    make_user("ruth")
    form = SignUpForm({"username": "ruthe", "password1": PASSWORD, "password2": PASSWORD})
    assert form.is_valid(), form.errors


@pytest.mark.parametrize("written", ["ＡＮＮÄ", "annä", " Nä "])
def test_a_person_is_found_by_any_spelling(researcher: User, written: str) -> None:
    anna = make_user("Annä")
    make_user("Bernd")
    assert PeopleChoice({"q": written}, user=researcher).choice()["found"] == [anna]


def test_of_two_old_names_that_differ_by_case_the_exact_one_is_found() -> None:
    make_user("Ada")
    make_user("ada")
    assert [names.user_called(each).username for each in ("Ada", "ada", "ａｄａ")] == [
        "Ada", "ada", "ada",
    ]  # fmt: skip


def test_an_inactive_account_is_nobody_to_add(researcher: User, annotator: User) -> None:
    User.objects.filter(pk=annotator.pk).update(is_active=False)
    form = PeopleChoice({"q": "anna", "person": [annotator.pk]}, user=researcher)
    assert form.choice()["found"] == []
    assert "no open account" in str(form.errors)


def test_a_list_has_nobody_twice_in_two_spellings() -> None:
    with pytest.raises(BadList) as refusal:
        read_list("name\nruth\nＲuth\n".encode())
    assert "The same as in line 2" in refusal.value.problems[0].text


def test_and_a_known_person_is_known_in_any_spelling() -> None:
    keys = {
        key_of(role="annotator", email=each, name="") for each in ("a@b.example", "Ａ@B.example")
    }
    assert len(keys) == 1


def test_the_people_page_searches_by_any_spelling(client: Client, administrator: User) -> None:
    make_user("ruth")
    client.force_login(administrator)
    assert "ruth" in client.get("/people/", {"q": "ｒｕｔ"}).content.decode()


def test_the_command_takes_any_spelling(administrator: User) -> None:
    out = io.StringIO()
    call_command("invite", "--by", "ａｄａ", stdout=out)
    assert "/invitations/" in out.getvalue()
