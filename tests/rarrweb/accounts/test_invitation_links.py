"""Invitations are created, accepted once, expire and are revoked."""

import io
from datetime import timedelta
from functools import partial

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from rarrweb.accounts import invitation_links
from rarrweb.accounts.models import Invitation, User
from rarrweb.env import env_url
from tests.support.factories import make_user
from tests.support.races import all_at_once

FORM = {
    "username": "newcomer",
    "password1": "tide harbour lantern",
    "password2": "tide harbour lantern",
}


@pytest.fixture
def link(administrator: User) -> tuple[Invitation, str]:
    invitation, token = invitation_links.make_link(
        Invitation, created_by=administrator, role=User.Role.RESEARCHER, note="for Noor"
    )
    return invitation, f"/invitations/{token}/"


def test_an_invitation_makes_one_account_with_its_role_and_logs_in(
    client: Client, link: tuple[Invitation, str]
) -> None:
    invitation, path = link
    token = path.split("/")[2]
    assert len(token) >= 43  # 256 bits
    assert token not in str(list(Invitation.objects.values()))
    for _ in range(3):  # looking at it does not use it up
        page = client.get(path)
        assert "Create your account" in page.content.decode()
        assert page["Referrer-Policy"] == "strict-origin"
        assert "no-store" in page["Cache-Control"]
        assert client.head(path).status_code == 200
    chosen = {"role": "administrator", "is_superuser": "on", "is_staff": "on"}
    assert client.post(path, FORM | chosen)["Location"] == "/"
    person = User.objects.get(username="newcomer")
    assert (person.role, person.is_superuser, person.is_staff) == ("researcher", False, False)
    assert person.check_password(FORM["password1"])
    assert client.session["_auth_user_id"] == str(person.pk)
    invitation.refresh_from_db()
    assert invitation.accepted_by == person
    late = Client().post(path, {**FORM, "username": "late"})
    assert late.status_code == 410
    assert "already used" in late.content.decode()
    assert not User.objects.filter(username="late").exists()


@pytest.mark.parametrize("how", ["expired", "withdrawn", "inviter gone"])
def test_an_invitation_that_is_over_makes_no_account(
    client: Client, link: tuple[Invitation, str], how: str
) -> None:
    invitation, path = link
    if how == "expired":
        past = timezone.now() - timedelta(seconds=1)
        Invitation.objects.filter(pk=invitation.pk).update(expires_at=past)
    elif how == "withdrawn":
        assert invitation_links.revoke(invitation)
    else:
        User.objects.filter(pk=invitation.created_by_id).update(is_active=False)
    assert client.post(path, FORM).status_code == 410
    assert not User.objects.filter(username="newcomer").exists()


def test_an_unknown_invitation_reports_what_to_do(client: Client, db: None) -> None:
    response = client.get("/invitations/made-up/")
    assert response.status_code == 404
    assert "copy the whole line" in response.content.decode()


@pytest.mark.parametrize(
    ("values", "error"),
    [
        ({"username": "ADA"}, "is taken"),
        ({"username": "two words"}, "Enter a valid username"),
        ({"username": ""}, "required"),
        ({"password2": "tide harbour lanterns"}, "match"),
        ({"password1": "short", "password2": "short"}, "at least 12 characters"),
    ],
)
def test_a_refused_sign_up_gives_the_reason_and_leaves_the_invitation_open(
    client: Client, link: tuple[Invitation, str], values: dict[str, str], error: str
) -> None:
    response = client.post(link[1], {**FORM, **values})
    assert error in response.content.decode()
    assert User.objects.count() == 1
    link[0].refresh_from_db()
    assert link[0].is_usable


@pytest.mark.django_db(transaction=True)
def test_of_many_who_press_the_button_at_once_one_gets_an_account() -> None:
    ada = make_user("ada", role="administrator")
    _, token = invitation_links.make_link(Invitation, created_by=ada, role="researcher")

    answers = []

    def accept(number: int) -> None:
        form = {**FORM, "username": f"racer-{number}"}
        answers.append(Client().post(f"/invitations/{token}/", form).status_code)

    all_at_once(*(partial(accept, number) for number in range(4)))
    assert sorted(answers) == [302, 410, 410, 410]
    assert User.objects.filter(username__startswith="racer-").count() == 1


def test_a_logged_in_user_does_not_use_up_an_invitation(
    as_researcher: Client, link: tuple[Invitation, str]
) -> None:
    page = as_researcher.post(link[1], FORM)
    assert "You have an account already" in page.content.decode()
    link[0].refresh_from_db()
    assert link[0].is_usable


def test_an_administrator_makes_a_link_that_is_displayed_once(as_administrator: Client) -> None:
    made = as_administrator.post(
        "/people/invite/", {"role": "researcher", "note": "Noor", "days": "3"}
    )
    link = made.context["link"]
    invitation = Invitation.objects.get()
    assert link.startswith("http://testserver/invitations/")
    assert invitation.expires_at - invitation.created_at < timedelta(days=3, minutes=1)
    assert "no-store" in made["Cache-Control"]
    page = as_administrator.get("/people/").content.decode()
    assert "Noor" in page
    assert link not in page
    assert Client().get(link.removeprefix("http://testserver")).status_code == 200


@pytest.mark.parametrize("days", ["0", "91", "soon", ""])
def test_a_link_that_would_live_for_ever_is_refused(as_administrator: Client, days: str) -> None:
    as_administrator.post("/people/invite/", {"role": "researcher", "days": days})
    assert not Invitation.objects.exists()


def test_a_withdrawn_invitation_leaves_the_list(
    as_administrator: Client, link: tuple[Invitation, str]
) -> None:
    url = f"/invitations/{link[0].pk}/revoke/"
    assert "Invitation revoked" in as_administrator.post(url, follow=True).content.decode()
    assert "for Noor" not in as_administrator.get("/people/").content.decode()
    assert "already used or had expired" in as_administrator.post(url, follow=True).content.decode()


def test_the_command_prints_a_link_with_the_public_address(
    client: Client, administrator: User, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PUBLIC_URL", "https://rarr.example.org")
    settings.PUBLIC_URL = env_url("PUBLIC_URL", "", schemes={"https"})
    out = io.StringIO()
    call_command("invite", "--role", "researcher", "--note", "Noor", stdout=out)
    link = out.getvalue().strip()
    assert link.startswith("https://rarr.example.org/invitations/")
    path = link.removeprefix("https://rarr.example.org")
    assert client.get(path).status_code == 200
    assert Invitation.objects.get().role == "researcher"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([], "createsuperuser"),
        (["--by", "nobody"], "No active administrator is called 'nobody'"),
        (["--days", "0"], "from 1 to 90"),
        (["--note", "x" * 201], "at most 200"),
    ],
)
def test_the_command_gives_the_reason(db: None, arguments: list[str], sentence: str) -> None:
    with pytest.raises(CommandError, match=sentence) as refusal:
        call_command("invite", *arguments)
    assert refusal.value.returncode == 2
