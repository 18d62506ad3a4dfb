"""All spellings of a user name are the same name."""

import io

import pytest
from django.core.management import call_command
from django.db import IntegrityError, transaction
from django.test import Client

from annotation.raters.forms import PeopleChoice
from rarrweb.accounts.forms import SignUpForm
from rarrweb.accounts.invitation_links import make_link
from rarrweb.accounts.models import Invitation, PeopleManager, User
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
def test_any_spelling_finds_a_person(researcher: User, written: str) -> None:
    anna = make_user("Annä")
    make_user("Bernd")
    assert PeopleChoice({"q": written}, user=researcher).choice()["found"] == [anna]


@pytest.mark.parametrize(("known", "new"), [("Zoé-ada", "ZOE\u0301-ADA"), ("ruth", "Ruth")])
def test_the_database_refuses_a_name_in_another_spelling(known: str, new: str) -> None:
    make_user(known)
    with pytest.raises(IntegrityError), transaction.atomic():
        make_user(new)


def test_of_two_sign_ups_at_once_for_one_name_one_is_refused(
    client: Client, administrator: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_user("zoé")
    monkeypatch.setattr(PeopleManager, "with_name", lambda *_: None)  # not saved yet
    _, token = make_link(Invitation, created_by=administrator)
    form = {"username": "Zoé", "password1": PASSWORD, "password2": PASSWORD}
    page = client.post(f"/invitations/{token}/", form).content.decode()
    assert "This user name is taken" in page
    assert User.objects.count() == 2


def test_a_new_name_frees_the_old_one() -> None:
    person = make_user("ruth")
    person.username = "erased"
    person.save()
    make_user("Ruth")
    make_user("anna").save(update_fields=["last_login"])
    with pytest.raises(IntegrityError), transaction.atomic():
        make_user("ERASED")


def test_an_inactive_account_is_nobody_to_add(researcher: User, annotator: User) -> None:
    User.objects.filter(pk=annotator.pk).update(is_active=False)
    form = PeopleChoice({"q": "anna", "person": [annotator.pk]}, user=researcher)
    assert form.choice()["found"] == []
    assert "no open account" in str(form.errors)


def test_the_people_page_and_the_command_take_any_spelling(as_administrator: Client) -> None:
    make_user("ruth")
    assert "ruth" in as_administrator.get("/people/", {"q": "ｒｕｔ"}).content.decode()
    out = io.StringIO()
    call_command("invite", "--by", "ａｄａ", stdout=out)
    assert "/invitations/" in out.getvalue()
