"""The page that accepts an invitation and creates an account."""

from django.conf import settings
from django.contrib.auth import login
from django.contrib.auth.decorators import login_not_required
from django.db import IntegrityError, transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from rarrweb.accounts import invitation_links
from rarrweb.accounts.forms import SignUpForm
from rarrweb.accounts.http import keep_address_secret
from rarrweb.accounts.models import Invitation, User


@require_http_methods(["GET", "HEAD", "POST"])
@sensitive_post_parameters()
@never_cache
@login_not_required
def accept_invitation(request: HttpRequest, token: str) -> HttpResponse:
    """Create an account; 404 for an unknown link, 410 for a used or expired one."""
    return keep_address_secret(_accept(request, token))


def _accept(request: HttpRequest, token: str) -> HttpResponse:
    invitation = invitation_links.find_link(Invitation, token)
    if invitation is None or not invitation_links.can_be_accepted(invitation):
        return _gone(request, invitation)
    if request.user.is_authenticated:
        return render(request, "accounts/already_logged_in.html")
    form = SignUpForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            person = _sign_up(form, invitation)
        except invitation_links.LinkIsGone:
            invitation.refresh_from_db()
            return _gone(request, invitation)
        except IntegrityError:  # two people chose the same name at once
            form.add_error("username", "This user name is taken. Choose another one.")
        else:
            login(request, person, backend=settings.AUTHENTICATION_BACKENDS[-1])
            return redirect("home")
    return render(
        request, "accounts/accept_invitation.html", {"form": form, "invitation": invitation}
    )


@transaction.atomic
def _sign_up(form: SignUpForm, invitation: Invitation) -> User:
    person: User = form.save(commit=False)
    person.role = invitation.role
    person.save()
    invitation_links.accept(invitation, user=person)
    return person


def _gone(request: HttpRequest, invitation: Invitation | None) -> HttpResponse:
    return render(
        request,
        "accounts/invitation_gone.html",
        {"invitation": invitation},
        status=404 if invitation is None else 410,
    )
