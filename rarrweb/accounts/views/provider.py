"""Logging in at the institution's provider, and connecting an account with it."""

from functools import wraps
from typing import Any, Protocol

from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from rarrweb.accounts import audit, oidc, second_factor
from rarrweb.accounts.models import User
from rarrweb.addresses import absolute
from rarrweb.http import UserRequest, next_page

WANTED = "provider"
"""In a session: what the way to the provider is for."""


class _View(Protocol):
    def __call__(self, request: Any, /) -> HttpResponse: ...


def _where_it_is_on(view: _View) -> _View:
    """404 where no provider is set."""

    @wraps(view)
    def guarded(request: HttpRequest, /) -> HttpResponse:
        if not oidc.is_on():
            raise Http404
        return view(request)

    return guarded


@require_safe
@never_cache
@login_not_required  # it is a way to log in
@_where_it_is_on
def go(request: HttpRequest) -> HttpResponse:
    """On to the provider: to log in, or for somebody who has, to connect their account."""
    from rarrweb.accounts import oidc_client  # 10 MB that nobody needs where no provider is set

    person = request.user
    is_from_here = request.headers.get("Sec-Fetch-Site", "same-origin") == "same-origin"
    if person.is_authenticated and not is_from_here:
        # Another site would begin it, with whom it has logged in at the provider in this browser.
        return redirect("accounts:account")
    request.session[WANTED] = {
        "next": next_page(request),
        "connects": person.pk if isinstance(person, User) else None,
    }
    back = absolute(reverse("accounts:provider-back"), request=request)
    try:
        return oidc_client.redirect_to_provider(request, back=back)
    except oidc.ProviderRefused as refusal:
        return _refused(request, str(refusal), status=503)


@require_safe
@never_cache
@login_not_required  # the provider sends the person here
@_where_it_is_on
def back(request: HttpRequest) -> HttpResponse:
    """Log the person in, or connect their account; a page that says why not."""
    from rarrweb.accounts import oidc_client

    wanted = request.session.pop(WANTED, {})
    try:
        subject = oidc_client.subject_of(request)
        if wanted.get("connects") is not None:
            return _connected(request, wanted["connects"], subject)
    except oidc.ProviderRefused as refusal:
        return _refused(request, str(refusal), status=403)
    person = oidc.person_of(subject)
    if person is None:
        audit.record("log-in-failed", how="provider")
        return _refused(
            request,
            (
                "No account here is connected with that one. Log in with your password, and "
                "connect it on your account page."
            ),
            status=403,
        )
    return second_factor.log_in(request, person, onward=wanted.get("next", ""))


@require_POST
@_where_it_is_on
def disconnect(request: UserRequest) -> HttpResponse:
    oidc.disconnect(request.user)
    messages.success(request, "The provider logs you in no more. Your password does.")
    return redirect("accounts:account")


def _connected(request: HttpRequest, key: int, subject: oidc.Subject) -> HttpResponse:
    person = request.user
    if not isinstance(person, User) or person.pk != key:  # somebody else, or nobody, by now
        raise oidc.ProviderRefused("Log in again, and connect the account once more.")
    oidc.connect(person, subject)
    messages.success(request, "From now on the provider can log you in.")
    return redirect("accounts:account")


def _refused(request: HttpRequest, why: str, *, status: int) -> HttpResponse:
    return render(request, "accounts/provider_refused.html", {"why": why}, status=status)
