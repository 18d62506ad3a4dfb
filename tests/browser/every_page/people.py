"""Accounts: logging in, invitations, passwords, people; and pages that are not there."""

from datetime import timedelta

from django.test import Client
from django.urls import reverse
from django.utils import timezone

from rarrweb.accounts import invitation_links
from rarrweb.accounts.models import Invitation, User
from rarrweb.accounts.passwords import new_password_link
from tests.browser.every_page.visit import Visit
from tests.support.factories import make_user
from tests.support.second_factors import add_second_factor, code_of

SEND = "main form button.primary"


def people_visits() -> list[Visit]:
    admin = make_user("the-administrator", role=User.Role.ADMINISTRATOR)
    forgetful = make_user("forgetful")
    _, token = invitation_links.make_link(Invitation, created_by=admin, role=User.Role.RESEARCHER)
    _, late = invitation_links.make_link(Invitation, created_by=admin, role="")
    Invitation.objects.filter(role="").update(expires_at=timezone.now() - timedelta(days=1))
    log_in, accept, password = (
        "account_login",
        "accounts:accept-invitation",
        "accounts:new-password",
    )
    return [
        Visit(name=log_in, path="/log-in/"),
        Visit(name=log_in, path="/log-in/?next=/runs/", what="sent here"),
        Visit(name=accept, path=reverse(accept, args=[token])),
        Visit(name=accept, path=reverse(accept, args=[token]), what="filled wrongly",
              fills={"username": "the-administrator", "password1": "a", "password2": "b"},
              clicks=(SEND,), leads_on=True),
        Visit(name=accept, path=reverse(accept, args=[token]), who=admin, what="logged in"),
        Visit(name=accept, path=reverse(accept, args=[late]), what="too late", status=410),
        Visit(name=password, path=reverse(password, args=new_password_link(forgetful))),
        Visit(name=password, path=reverse(password, args=["x", "y"]), what="gone", status=410),
        Visit(name="accounts:account", path="/account/", who=admin),
        *_second_factor_visits(admin),
        Visit(name="annotation:own-data", path="/account/data/", who=admin),
        Visit(name="annotation:data-of", path=f"/people/{admin.pk}/data/", who=admin),
        Visit(name="accounts:tokens", path="/account/tokens/", who=admin),
        Visit(name="accounts:tokens", path="/account/tokens/", who=admin, what="made",
              fills={"name": "My script"}, clicks=(SEND,), leads_on=True),
        Visit(name="help", path="/help/", who=admin),
        Visit(name="help", path="/help/?q=gold", who=admin, what="searched"),
        Visit(name="help-document", path="/help/formats/", who=admin),
        Visit(name="search", path="/search/?q=new", who=admin),
        Visit(name="accounts:people", path="/people/", who=admin),
        Visit(name="accounts:invite", path="/people/invite/", who=admin),
        Visit(name="accounts:invite", path="/people/invite/", who=admin, what="made",
              clicks=(SEND,), leads_on=True),
        Visit(name="accounts:password-link", path=f"/people/{admin.pk}/password/", who=admin),
        Visit(name="accounts:password-link", path=f"/people/{admin.pk}/password/", who=admin,
              what="made", clicks=(SEND,), leads_on=True),
        Visit(name="home", path="/", who=admin, what="of an administrator"),
        Visit(name="home", path="/", who=make_user("nobody-yet"), what="of nobody in particular"),
        Visit(name="error", path="/nowhere/", who=admin, status=404),
        Visit(name="error", path="/nowhere/", what="for nobody", status=404),
    ]  # fmt: skip


def _second_factor_visits(admin: User) -> list[Visit]:
    """As a person without an app sees the pages, and one with it who has just confirmed a code."""
    person = make_user("has-an-app")
    add_second_factor(person)
    browser = Client()
    browser.force_login(person)
    second, confirmed = "/account/second-factor/", "/account/confirm/"
    browser.post(f"{second}reauthenticate/", {"code": code_of(person)})
    return [
        Visit(name="mfa_index", path=second, who=admin),
        Visit(name="mfa_index", path=second, who=browser, what="with an app"),
        Visit(name="account_reauthenticate", path=confirmed, who=admin),
        Visit(name="mfa_reauthenticate", path=f"{second}reauthenticate/", who=browser),
        Visit(name="mfa_deactivate_totp", path=f"{second}totp/deactivate/", who=browser),
        Visit(name="mfa_view_recovery_codes", path=f"{second}recovery-codes/", who=browser),
        Visit(name="mfa_generate_recovery_codes", path=f"{second}recovery-codes/generate/",
              who=browser),
        Visit(name="mfa_activate_totp", path=f"{second}totp/activate/", who=_confirmed()),
        Visit(name="socialaccount_connections", path="/account/provider/", who=admin),
        Visit(name="socialaccount_login_cancelled", path="/account/provider/login/cancelled/"),
        Visit(name="socialaccount_login_error", path="/account/provider/login/error/",
              who=admin, status=401),
        Visit(name="account_inactive", path="/log-in/inactive/"),
    ]  # fmt: skip


def _confirmed() -> Client:
    """The browser of a person who has just confirmed the password."""
    browser = Client()
    browser.force_login(make_user("careful"))
    browser.post("/account/confirm/", {"password": "a long test password"})
    return browser
