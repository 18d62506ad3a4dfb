"""The account page of the user."""

from datetime import timedelta

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login, update_session_auth_hash
from django.contrib.auth.decorators import login_not_required
from django.db import IntegrityError, transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from rarrweb.accounts import audit, invitation_links, people, tokens
from rarrweb.accounts.forms import ChangePasswordForm, NewPasswordForm, SignUpForm, TokenForm
from rarrweb.accounts.http import UserRequest, keep_address_secret, next_page
from rarrweb.accounts.models import ApiToken, Invitation, User
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


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def token_list(request: UserRequest) -> HttpResponse:
    """List or create tokens. Only the response to the POST contains a new secret."""
    if not request.user.is_researcher:
        raise Http404
    form = TokenForm(request.POST or None)
    made, secret = None, ""
    if request.method == "POST" and form.is_valid():
        made, secret = tokens.make_token(request.user, **form.cleaned_data)
        form = TokenForm()
    usable = ApiToken.objects.filter(user=request.user, revoked_at=None)
    context = {"form": form, "tokens": usable, "made": made, "secret": secret}
    return render(request, "accounts/tokens.html", context)


@require_POST
def revoke_token(request: UserRequest, token_id: int) -> HttpResponse:
    token = get_object_or_404(ApiToken, user=request.user, pk=token_id)
    tokens.revoke_token(token)
    messages.success(request, f"The token “{token.name}” is revoked.")
    return redirect("accounts:tokens")


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
