"""Whose a request is: asked anew with every request."""

from datetime import timedelta

import pytest
from django.contrib.sessions.models import Session
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from rarrweb.accounts.models import User
from tests.support.factories import make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def user() -> User:
    return make_user()


@pytest.fixture
def browser(user: User) -> Client:
    client = Client()
    client.force_login(user)
    assert is_known(client)
    return client


def is_known(client: Client) -> bool:
    reply = client.get(reverse("home"))
    if reply.status_code == 200:
        return True
    assert reply.headers["Location"].startswith(reverse("account_login"))
    return False


def test_a_session_that_has_run_out_is_nobodys(browser: Client) -> None:
    Session.objects.update(expire_date=timezone.now() - timedelta(seconds=1))
    assert not is_known(browser)


def test_a_session_that_was_ended_elsewhere_is_nobodys(browser: Client) -> None:
    Session.objects.all().delete()
    assert not is_known(browser)


def test_a_session_under_another_key_is_nobodys(browser: Client) -> None:
    browser.cookies["rarrweb_session"] = "a" * 32
    assert not is_known(browser)


def test_a_shut_account_is_out_at_once(browser: Client, user: User) -> None:
    User.objects.filter(pk=user.pk).update(is_active=False)
    assert not is_known(browser)


def test_a_deleted_account_is_out_at_once(browser: Client, user: User) -> None:
    user.delete()
    assert not is_known(browser)


def test_a_new_password_ends_the_other_sessions(browser: Client, user: User) -> None:
    user.set_password("sixteen quiet hedgehogs")
    user.save()
    assert not is_known(browser)


def test_a_changed_role_holds_from_the_next_request(browser: Client, user: User) -> None:
    assert browser.get(reverse("pipeline:runs")).status_code == 404
    User.objects.filter(pk=user.pk).update(role=User.Role.RESEARCHER)
    assert browser.get(reverse("pipeline:runs")).status_code == 200
