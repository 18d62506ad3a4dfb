"""The account page, and links to choose a password."""

import re

import pytest
from django.test import Client

from rarrweb.accounts import passwords
from rarrweb.accounts.models import User
from tests.support.audit import audit_lines
from tests.support.factories import make_user

OLD = "a long test password"
NEW = "tide harbour lantern"


def change(client: Client, **values: str) -> str:
    form = {"old_password": OLD, "new_password1": NEW, "new_password2": NEW, **values}
    return client.post("/account/", form, follow=True).content.decode()


def test_a_new_password_replaces_the_old_one_and_ends_other_sessions(
    as_researcher: Client, researcher: User
) -> None:
    elsewhere = Client()
    elsewhere.force_login(researcher)
    assert "Your password is changed" in change(as_researcher)
    researcher.refresh_from_db()
    assert researcher.check_password(NEW)
    assert not researcher.check_password(OLD)
    assert as_researcher.get("/account/").status_code == 200
    assert elsewhere.get("/account/").status_code == 302


def test_logging_out_elsewhere_ends_other_sessions_and_keeps_this_one(
    as_researcher: Client, researcher: User, caplog: pytest.LogCaptureFixture
) -> None:
    elsewhere = Client()
    elsewhere.force_login(researcher)
    page = as_researcher.post("/account/log-out-elsewhere/", follow=True)
    assert "All other devices are logged out." in page.content.decode()
    assert as_researcher.get("/account/").status_code == 200
    assert elsewhere.get("/account/").status_code == 302
    assert f"action=logged-out-elsewhere actor={researcher.pk}" in audit_lines(caplog)


@pytest.mark.parametrize(
    ("values", "error"),
    [
        ({"old_password": "wrong"}, "not your current password"),
        ({"new_password2": "another"}, "match"),
        ({"new_password1": "short", "new_password2": "short"}, "at least 12 characters"),
        ({"new_password1": "ruth1", "new_password2": "ruth1"}, "too similar"),
        ({"new_password1": "1234567890", "new_password2": "1234567890"}, "too common"),
        ({"new_password1": NEW * 7, "new_password2": NEW * 7}, "at most 128 characters"),
        *(
            ({"new_password1": each, "new_password2": each}, "at least 5 different characters")
            for each in (
                " " * 12,
                "\u2003" * 12,
                "\u200b" * 12,
                "\t\u00a0" * 6,
                "ab ab ab ab ab",
                "x" * 12,
            )
        ),
    ],
)
def test_a_refused_password_gives_the_reason(
    as_researcher: Client,
    researcher: User,
    values: dict[str, str],
    error: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    assert error in change(as_researcher, **values)
    failed = [line for line in audit_lines(caplog) if line.startswith("action=log-in-failed")]
    assert bool(failed) == ("old_password" in values)
    researcher.refresh_from_db()
    assert researcher.check_password(OLD)


def link_for(administrator: User, person: User) -> str:
    client = Client()
    client.force_login(administrator)
    page = client.post(f"/people/{person.pk}/password/")
    assert page.status_code == 200
    link: str = page.context["link"]
    return link.removeprefix("http://testserver")


def test_a_password_link_works_once_and_for_an_active_person(
    client: Client, administrator: User, annotator: User
) -> None:
    link = link_for(administrator, annotator)
    User.objects.filter(pk=annotator.pk).update(is_active=False)
    assert client.get(link).status_code == 410
    User.objects.filter(pk=annotator.pk).update(is_active=True)
    assert "Choose a new password" in client.get(link).content.decode()
    first = client.post(link, {"new_password1": NEW, "new_password2": NEW})
    assert first["Location"] == "/log-in/"
    again = client.post(link, {"new_password1": "x" * 12, "new_password2": "x" * 12})
    assert again.status_code == 410
    annotator.refresh_from_db()
    assert annotator.check_password(NEW)


def test_of_two_people_with_the_same_password_link_one_wins(annotator: User) -> None:
    code, token = passwords.new_password_link(annotator)
    first, second = passwords.person_of(code, token), passwords.person_of(code, token)
    assert first is not None
    assert second is not None
    assert passwords.choose_password(first, NEW)
    assert not passwords.choose_password(second, "somebody else's words")
    annotator.refresh_from_db()
    assert annotator.check_password(NEW)


@pytest.mark.parametrize("path", ["MQ/abc-def", "!!!/x", "OTk5OTk5OTk5OTk5OTk5OTk5OTk5/a-b"])
def test_a_made_up_password_link_works_not(client: Client, db: None, path: str) -> None:
    assert client.get(f"/new-password/{path}/").status_code == 410


def test_somebody_elses_token_does_not_fit(db: None) -> None:
    anna, stan = make_user("anna"), make_user("stan")
    _, token = passwords.new_password_link(anna)
    code, _ = passwords.new_password_link(stan)
    assert passwords.person_of(code, token) is None


@pytest.mark.parametrize(
    ("chosen", "stored"), [("dark", ["dark"]), ("light", ["light"]), ("system", []), ("<x>", [])]
)
def test_a_browser_keeps_a_theme(as_researcher: Client, chosen: str, stored: list[str]) -> None:
    response = as_researcher.post("/account/theme/", {"theme": chosen, "next": "/account/"})
    assert response["Location"] == "/account/"
    page = as_researcher.get("/account/").content.decode()
    assert re.findall('data-theme="(.*?)"', page) == stored
