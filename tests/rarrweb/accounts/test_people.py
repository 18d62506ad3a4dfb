"""The people page, and who may change what a person may do."""

import pytest
from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.tokens import default_token_generator
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from rarrweb.accounts import passwords, people
from rarrweb.accounts.invitation_links import make_link
from rarrweb.accounts.models import Invitation, User
from tests.support.factories import make_user

PASSWORD = "tide harbour lantern"


@pytest.fixture
def as_administrator(client: Client, administrator: User) -> Client:
    client.force_login(administrator)
    return client


def role_of(person: User) -> str:
    return User.objects.get(pk=person.pk).role


@pytest.mark.parametrize("role", ["", "researcher"])
@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("get", "/people/"),
        ("get", "/people/invite/"),
        ("post", "/people/invite/"),
        ("post", "/people/{pk}/role/"),
        ("post", "/people/{pk}/deactivate/"),
        ("post", "/people/{pk}/reactivate/"),
        ("get", "/people/{pk}/password/"),
        ("post", "/people/{pk}/password/"),
        ("post", "/invitations/1/revoke/"),
    ],
)
def test_for_everybody_but_administrators_there_is_no_such_page(
    client: Client, db: None, role: str, method: str, path: str
) -> None:
    person = make_user("nosy", role=role)
    client.force_login(person)
    data = {"role": "administrator", "days": "3"}
    assert getattr(client, method)(path.format(pk=person.pk), data).status_code == 404
    assert role_of(person) == role
    assert not Invitation.objects.exists()


def test_an_administrator_sees_everybody(as_administrator: Client) -> None:
    make_user("anna")
    stan = make_user("stan")
    people.deactivate(stan, changed_by=User.objects.get(username="ada"))
    page = as_administrator.get("/people/").content.decode()
    assert "anna" in page
    assert "Deactivate anna" in page
    assert "Reactivate stan" in page


def test_many_people_come_in_pages_and_can_be_searched(
    as_administrator: Client, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    User.objects.bulk_create(
        User(username=name, username_key=name)
        for name in (f"rater-{number:03}" for number in range(120))
    )
    with django_assert_max_num_queries(6):
        page = as_administrator.get("/people/").content.decode()
    assert "1–50 of 121" in page
    assert "rater-049" not in page
    assert "rater-060" in as_administrator.get("/people/?page=2").content.decode()
    found = as_administrator.get("/people/?q=RATER-11").content.decode()
    assert "rater-117" in found
    assert "rater-099" not in found
    nobody = as_administrator.get("/people/", {"q": "nobody<"}).content.decode()
    assert "No user name contains “nobody&lt;”." in nobody


def test_a_role_can_be_changed(as_administrator: Client, annotator: User) -> None:
    url = f"/people/{annotator.pk}/role/"
    page = as_administrator.post(url, {"role": "researcher"}, follow=True).content.decode()
    assert "anna is now a researcher." in page
    assert role_of(annotator) == "researcher"


def test_a_role_that_there_is_not_is_refused(as_administrator: Client, annotator: User) -> None:
    url = f"/people/{annotator.pk}/role/"
    page = as_administrator.post(url, {"role": "emperor"}, follow=True).content.decode()
    assert "Choose one of the roles" in page
    assert role_of(annotator) == ""


@pytest.mark.parametrize("action", ["role", "deactivate"])
def test_administrators_do_not_shut_themselves_out(
    as_administrator: Client, administrator: User, action: str
) -> None:
    make_user("second", role=User.Role.ADMINISTRATOR)
    url = f"/people/{administrator.pk}/{action}/"
    page = as_administrator.post(url, {"role": ""}, follow=True).content.decode()
    assert "Ask another administrator" in page
    administrator.refresh_from_db()
    assert administrator.is_administrator


def test_the_last_active_administrator_stays(administrator: User, researcher: User) -> None:
    shut = make_user("shut", role=User.Role.ADMINISTRATOR)
    User.objects.filter(pk=shut.pk).update(is_active=False)
    with pytest.raises(people.NotAllowed, match="last administrator"):
        people.deactivate(administrator, changed_by=researcher)
    with pytest.raises(people.NotAllowed, match="last administrator"):
        people.change_role(administrator, role="researcher", changed_by=researcher)
    assert role_of(administrator) == "administrator"


@pytest.mark.django_db(transaction=True)
def test_two_administrators_cannot_remove_each_other_at_the_same_moment() -> None:
    from concurrent.futures import ThreadPoolExecutor

    from django.db import connection

    first = make_user("first", role=User.Role.ADMINISTRATOR)
    second = make_user("second", role=User.Role.ADMINISTRATOR)

    def remove(pair: tuple[User, User]) -> None:
        try:
            people.deactivate(pair[0], changed_by=pair[1])
        except people.NotAllowed:
            pass
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(remove, [(first, second), (second, first)]))
    assert User.objects.filter(role=User.Role.ADMINISTRATOR, is_active=True).count() == 1


def test_deactivation_ends_sessions_for_good_and_reactivation_opens_the_account_again(
    as_administrator: Client, annotator: User
) -> None:
    theirs = Client()
    theirs.force_login(annotator)
    assert theirs.get("/account/").status_code == 200
    as_administrator.post(f"/people/{annotator.pk}/deactivate/")
    assert theirs.get("/account/").status_code == 302
    as_administrator.post(f"/people/{annotator.pk}/reactivate/")
    assert theirs.get("/account/").status_code == 302
    assert theirs.put("/api/tasks/1/judgments/", {}).status_code == 403
    annotator.refresh_from_db()
    theirs.force_login(annotator)
    assert theirs.get("/account/").status_code == 200


def test_nor_does_an_old_session_come_back_that_was_not_used_meanwhile(
    administrator: User, annotator: User
) -> None:
    theirs = Client()
    theirs.force_login(annotator)
    for _ in range(2):
        people.deactivate(annotator, changed_by=administrator)
        people.reactivate(annotator)
    assert theirs.get("/account/").status_code == 302


def test_a_link_to_a_new_password_ends_with_the_account_and_does_not_come_back(
    administrator: User, annotator: User
) -> None:
    link = passwords.new_password_link(annotator)
    assert passwords.person_of(*link) == annotator
    people.deactivate(annotator, changed_by=administrator)
    people.reactivate(annotator)
    assert passwords.person_of(*link) is None
    annotator.refresh_from_db()
    assert passwords.person_of(*passwords.new_password_link(annotator)) == annotator


def test_the_upgrade_logs_nobody_out(annotator: User) -> None:
    assert annotator.get_session_auth_hash() == AbstractBaseUser.get_session_auth_hash(annotator)
    code, _ = passwords.new_password_link(annotator)
    assert passwords.person_of(code, default_token_generator.make_token(annotator)) == annotator


@pytest.mark.parametrize("action", ["deactivate", "demote"])
def test_whoever_is_sent_away_leaves_no_way_back(administrator: User, action: str) -> None:
    leaver = make_user("leaver", role=User.Role.ADMINISTRATOR)
    link, _ = make_link(Invitation, created_by=leaver, role="administrator")
    if action == "deactivate":
        people.deactivate(leaver, changed_by=administrator)
    else:
        people.change_role(leaver, role="researcher", changed_by=administrator)
    link.refresh_from_db()
    assert not link.is_usable
    people.reactivate(leaver)
    people.change_role(leaver, role="administrator", changed_by=administrator)
    link.refresh_from_db()
    assert not link.is_usable


@pytest.mark.parametrize("values", [{"role": "researcher"}, {"role": ""}, {"is_active": False}])
def test_a_link_whose_maker_could_not_make_it_now_lets_nobody_in(
    client: Client, db: None, values: dict[str, object]
) -> None:
    maker = make_user("leaver", role=User.Role.ADMINISTRATOR)
    _, token = make_link(Invitation, created_by=maker, role="administrator")
    User.objects.filter(pk=maker.pk).update(**values)  # as before this was withdrawn by itself
    form = {"username": "noor", "password1": PASSWORD, "password2": PASSWORD}
    assert client.get(f"/invitations/{token}/").status_code == 410
    assert client.post(f"/invitations/{token}/", form).status_code == 410
    assert not User.objects.filter(username="noor").exists()


def test_permissions_follow_from_the_role_alone(db: None) -> None:
    member = make_user("sly")
    User.objects.filter(pk=member.pk).update(is_superuser=True, is_staff=True)
    member.refresh_from_db()
    assert not member.has_perm("accounts.view_user")
    assert not member.has_module_perms("accounts")
    assert make_user("ada", role="administrator").has_perm("accounts.view_user")


@pytest.mark.parametrize("path", ["/admin/", "/admin/accounts/user/", "/admin/login/"])
def test_the_admin_pages_are_not_there_for_others(as_researcher: Client, path: str) -> None:
    assert as_researcher.get(path).status_code == 404


def test_the_admin_pages_open_to_an_administrator_and_change_nothing(
    as_administrator: Client, annotator: User
) -> None:
    assert as_administrator.get("/admin/").status_code == 200
    assert "anna" in as_administrator.get("/admin/accounts/user/").content.decode()
    detail = f"/admin/accounts/user/{annotator.pk}/change/"
    assert as_administrator.get(detail).status_code == 200
    assert as_administrator.post(detail, {"role": "administrator"}).status_code == 403
    assert as_administrator.get("/admin/accounts/user/add/").status_code == 403
    assert as_administrator.get("/admin/password_change/")["Location"] == "/account/"


def test_the_admins_own_log_in_does_not_go_round_the_count_of_failures(
    client: Client, db: None
) -> None:
    make_user("ada", role="administrator")
    form = {"login": "ada", "password": "a long test password"}
    assert client.post("/admin/login/", form)["Location"].startswith("/log-in/")
    assert "_auth_user_id" not in client.session
