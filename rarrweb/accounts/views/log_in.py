"""Logging in and out."""

from typing import Any

from django.conf import settings
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from rarrweb.accounts import log_in_limit, oidc, second_factor
from rarrweb.accounts.forms import LogInForm
from rarrweb.http import next_page
from rarrweb.rate_limit import TooManyAttempts


@require_http_methods(["GET", "HEAD", "POST"])
@sensitive_post_parameters("password")
@never_cache
@login_not_required  # this is the page that others are sent to
def log_in(request: HttpRequest) -> HttpResponse:
    """The log-in page; answers 429 when too many attempts have failed."""
    onward = next_page(request)
    if request.user.is_authenticated:
        return redirect(onward or settings.LOGIN_REDIRECT_URL)
    provider = settings.RARR_OIDC_NAME if oidc.is_on() else ""
    context: dict[str, Any] = {"form": LogInForm(), "next": onward, "provider": provider}
    if request.method != "POST":
        return render(request, "accounts/log_in.html", context)
    username = request.POST.get("username", "")
    form = LogInForm(request, data=request.POST)
    address = log_in_limit.client_address(request)
    try:
        log_in_limit.count_failure(username=username, address=address)
    except TooManyAttempts as refusal:
        context["minutes"] = refusal.minutes
        response = render(request, "accounts/log_in.html", context, status=429)
        response["Retry-After"] = str(refusal.seconds)
        return response
    if not form.is_valid():
        return render(request, "accounts/log_in.html", {**context, "form": form})
    log_in_limit.forgive(username=username, address=address)
    return second_factor.log_in(request, form.get_user(), onward=onward)


@require_POST
def log_out(request: HttpRequest) -> HttpResponse:
    logout(request)
    return redirect(settings.LOGOUT_REDIRECT_URL)
