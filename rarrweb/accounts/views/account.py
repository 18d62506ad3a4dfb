"""The account page of the user."""

from datetime import timedelta

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import update_session_auth_hash
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from rarrweb.accounts import audit, people
from rarrweb.accounts.forms import ChangePasswordForm, NewPasswordForm
from rarrweb.accounts.http import UserRequest, keep_address_secret, next_page
from rarrweb.accounts.passwords import choose_password, person_of


@require_http_methods(["GET", "HEAD", "POST"])
@sensitive_post_parameters()
@never_cache
def account(request: UserRequest) -> HttpResponse:
    form = ChangePasswordForm(request, request.user, request.POST or None)
    if request.method == "POST" and form.is_valid():
        form.save()
        audit.record("password-changed")
        update_session_auth_hash(request, request.user)  # only this session continues
        messages.success(request, "Your password is changed. Every other device was logged out.")
        return redirect("accounts:account")
    provider = settings.RARR_OIDC_NAME if settings.RARR_OIDC_ISSUER else ""
    return render(request, "accounts/account.html", {"form": form, "provider": provider})


@require_POST
def log_out_elsewhere(request: UserRequest) -> HttpResponse:
    people.end_sessions(request.user)
    audit.record("logged-out-elsewhere")
    request.user.refresh_from_db()
    update_session_auth_hash(request, request.user)
    messages.success(request, "All other devices are logged out.")
    return redirect("accounts:account")


@require_POST
def set_theme(request: UserRequest) -> HttpResponse:
    """Store light or dark in this browser for a year; delete it for any other value."""
    response = redirect(next_page(request) or "home")
    if (theme := request.POST.get("theme", "")) in ("light", "dark"):
        response.set_cookie(
            "theme",
            theme,
            max_age=timedelta(days=365),
            samesite="Lax",
            httponly=True,
            secure=request.is_secure(),
        )
    else:
        response.delete_cookie("theme", samesite="Lax")
    return response


@require_http_methods(["GET", "HEAD", "POST"])
@sensitive_post_parameters()
@never_cache
@login_not_required
def new_password(request: HttpRequest, user_code: str, token: str) -> HttpResponse:
    """Choose a password with a link from an administrator; 410 for an invalid one."""
    return keep_address_secret(_new_password(request, user_code, token))


def _new_password(request: HttpRequest, user_code: str, token: str) -> HttpResponse:
    person = person_of(user_code, token)
    if person is None:
        return render(request, "accounts/password_link_gone.html", status=410)
    form = NewPasswordForm(person, request.POST or None)
    if request.method != "POST" or not form.is_valid():
        return render(request, "accounts/new_password.html", {"form": form, "person": person})
    if not choose_password(person, form.cleaned_data["new_password1"]):
        return render(request, "accounts/password_link_gone.html", status=410)
    messages.success(request, "Your password is changed. Log in with it.")
    return redirect("account_login")
