"""Pages of log-in, invitations, passwords and people, and missing pages."""

from datetime import timedelta

from django.test import Client
from django.utils import timezone

from rarrweb.accounts import invitation_links
from rarrweb.accounts.models import Invitation, User
from rarrweb.accounts.passwords import new_password_link
from tests.browser.every_page.visit import Visit, visit
from tests.support.factories import make_user
from tests.support.second_factors import add_second_factor, code_of

SEND = "main form button.primary"


def people_visits() -> list[Visit]:
    admin = make_user("the-administrator", role=User.Role.ADMINISTRATOR)
    forgetful = make_user("forgetful")
    _, token = invitation_links.make_link(Invitation, created_by=admin, role=User.Role.RESEARCHER)
    _, late = invitation_links.make_link(Invitation, created_by=admin, role="")
    wrong = {"username": "the-administrator", "password1": "a", "password2": "b"}
    Invitation.objects.filter(role="").update(expires_at=timezone.now() - timedelta(days=1))
    accept, password = "accounts:accept-invitation", "accounts:new-password"
    return [
        visit("account_login"),
        visit("account_login", query="?next=/runs/", what="sent here"),
        visit(accept, token),
        visit(accept, token, what="filled wrongly", fills=wrong, sends=SEND),
        visit(accept, token, who=admin, what="logged in"),
        visit(accept, late, what="too late", status=410),
        visit(password, *new_password_link(forgetful)),
        visit(password, "x", "y", what="gone", status=410),
        visit("accounts:account", who=admin),
        *_second_factor_visits(admin),
        visit("my-data", who=admin),
        visit("data-of", admin.pk, who=admin),
        visit("accounts:tokens", who=admin),
        visit("accounts:tokens", who=admin, what="made", fills={"name": "My script"}, sends=SEND),
        visit("help", who=admin),
        visit("help", query="?q=gold", who=admin, what="searched"),
        visit("help-document", "formats", who=admin),
        visit("search", query="?q=new", who=admin),
        visit("accounts:people", who=admin),
        visit("accounts:invite", who=admin),
        visit("accounts:invite", who=admin, what="made", sends=SEND),
        visit("accounts:password-link", admin.pk, who=admin),
        visit("accounts:password-link", admin.pk, who=admin, what="made", sends=SEND),
        visit("home", who=admin, what="of an administrator"),
        visit("home", who=make_user("nobody-yet"), what="of nobody in particular"),
        Visit(name="error", path="/nowhere/", who=admin, status=404),
        Visit(name="error", path="/nowhere/", what="for nobody", status=404),
    ]


def _second_factor_visits(admin: User) -> list[Visit]:
    person = make_user("has-an-app")
    add_second_factor(person)
    browser = Client()
    browser.force_login(person)
    browser.post("/account/second-factor/reauthenticate/", {"code": code_of(person)})
    return [
        visit("mfa_index", who=admin),
        visit("mfa_index", who=browser, what="with an app"),
        visit("account_reauthenticate", who=admin),
        visit("mfa_reauthenticate", who=browser),
        visit("mfa_deactivate_totp", who=browser),
        visit("mfa_view_recovery_codes", who=browser),
        visit("mfa_generate_recovery_codes", who=browser),
        visit("mfa_activate_totp", who=_confirmed()),
        visit("socialaccount_connections", who=admin),
        visit("socialaccount_login_cancelled"),
        visit("socialaccount_login_error", who=admin, status=401),
        visit("account_inactive"),
    ]


def _confirmed() -> Client:
    browser = Client()
    browser.force_login(make_user("careful"))
    browser.post("/account/confirm/", {"password": "a long test password"})
    return browser
