"""A person's own account."""

from django.contrib import messages
from django.contrib.auth import update_session_auth_hash
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from rarrweb.accounts import log_in_limit
from rarrweb.accounts.forms import ChangePasswordForm
from rarrweb.http import UserRequest


@require_http_methods(["GET", "HEAD", "POST"])
@sensitive_post_parameters()
def account(request: UserRequest) -> HttpResponse:
    """Name and role, and another password. A wrong old password counts as a failed log-in."""
    form = ChangePasswordForm(request.user, request.POST or None)
    if request.method == "POST":
        try:
            log_in_limit.count_attempt(
                username=request.user.username, address=log_in_limit.client_address(request)
            )
        except log_in_limit.TooManyFailures as refusal:
            context = {"form": ChangePasswordForm(request.user), "minutes": refusal.minutes}
            return render(request, "accounts/account.html", context, status=429)
        if form.is_valid():
            log_in_limit.forgive(request.user.username)
            form.save()
            update_session_auth_hash(request, request.user)  # others' sessions end, this stays
            messages.success(
                request, "Your password is changed. Every other device was logged out."
            )
            return redirect("accounts:account")
        if "old_password" not in form.errors:
            log_in_limit.forgive(request.user.username)
    return render(request, "accounts/account.html", {"form": form})
