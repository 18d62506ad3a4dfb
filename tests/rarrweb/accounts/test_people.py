"""The people page, and changes of roles."""

from contextlib import suppress
from functools import partial

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from rarrweb.accounts import passwords, people
from rarrweb.accounts.invitation_links import make_link
from rarrweb.accounts.models import Invitation, User
from tests.support.factories import make_user
from tests.support.races import all_at_once

PASSWORD = "tide harbour lantern"


def role_of(person: User) -> str:
    return User.objects.get(pk=person.pk).role


def test_an_administrator_sees_everybody(as_administrator: Client) -> None:
    make_user("anna")
    stan = make_user("stan")
    people.deactivate(stan, changed_by=User.objects.get(username="ada"))
    page = as_administrator.get("/people/").content.decode()
    assert "anna" in page
    assert "Deactivate anna" in page
    assert "Reactivate stan" in page


def test_many_people_are_paged_and_can_be_searched(
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
    result = as_administrator.get("/people/?q=RATER-11").content.decode()
    assert "rater-117" in result
    assert "rater-099" not in result
    nobody = as_administrator.get("/people/", {"q": "nobody<"}).content.decode()
    assert "No user name contains “nobody&lt;”." in nobody


def test_a_role_can_be_changed_to_one_that_there_is(
    as_administrator: Client, annotator: User
) -> None:
    url = f"/people/{annotator.pk}/role/"
    page = as_administrator.post(url, {"role": "researcher"}, follow=True).content.decode()
    assert "anna is now a researcher." in page
    assert role_of(annotator) == "researcher"
    page = as_administrator.post(url, {"role": "emperor"}, follow=True).content.decode()
    assert "Choose one of the roles" in page
    assert role_of(annotator) == "researcher"


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
    first = make_user("first", role=User.Role.ADMINISTRATOR)
    second = make_user("second", role=User.Role.ADMINISTRATOR)

    def remove(person: User, changed_by: User) -> None:
        with suppress(people.NotAllowed):
            people.deactivate(person, changed_by=changed_by)

    all_at_once(partial(remove, first, second), partial(remove, second, first))
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


def test_a_link_to_a_new_password_ends_with_the_account_and_does_not_return(
    administrator: User, annotator: User
) -> None:
    link = passwords.new_password_link(annotator)
    assert passwords.person_of(*link) == annotator
    people.deactivate(annotator, changed_by=administrator)
    people.reactivate(annotator)
    assert passwords.person_of(*link) is None
    annotator.refresh_from_db()
    assert passwords.person_of(*passwords.new_password_link(annotator)) == annotator


@pytest.mark.parametrize("action", ["deactivate", "demote"])
def test_a_removed_administrator_leaves_no_usable_link(administrator: User, action: str) -> None:
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
