"""Pages for administrators: users, roles and invitations."""

from collections.abc import Callable
from functools import partial, wraps
from typing import Concatenate, ParamSpec, TypeVar

from allauth.mfa.models import Authenticator
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.hashers import UNUSABLE_PASSWORD_PREFIX
from django.core.paginator import Paginator
from django.db.models import Exists, OuterRef
from django.http import Http404, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from rarrweb.accounts import invitation_links, people, second_factor
from rarrweb.accounts.forms import InvitationForm, RoleForm
from rarrweb.accounts.http import UserRequest
from rarrweb.accounts.models import Invitation, User
from rarrweb.accounts.names import normalize_username, username_key
from rarrweb.accounts.passwords import new_password_link
from rarrweb.web.addresses import absolute

PEOPLE_A_PAGE = 50
Rest = ParamSpec("Rest")
Response = TypeVar("Response", bound=HttpResponseBase)


def administrators_only(
    view: Callable[Concatenate[UserRequest, Rest], Response],
) -> Callable[Concatenate[UserRequest, Rest], Response]:
    @wraps(view)
    def guarded(request: UserRequest, /, *args: Rest.args, **values: Rest.kwargs) -> Response:
        if not request.user.is_administrator:
            raise Http404
        return view(request, *args, **values)

    return guarded


@require_safe
@never_cache
@administrators_only
def people_list(request: UserRequest) -> HttpResponse:
    search = normalize_username(request.GET.get("q", ""))
    factors = Authenticator.objects.filter(user=OuterRef("pk"), type=Authenticator.Type.TOTP)
    users = (
        User.objects.filter(username_key__contains=username_key(search))
        .annotate(has_second_factor=Exists(factors))
        .order_by("-is_active", "username")
    )
    if not search:
        # Participants and imported raters have no password; their campaign lists them.
        users = users.exclude(password__startswith=UNUSABLE_PASSWORD_PREFIX)
    pages = Paginator(users, PEOPLE_A_PAGE)
    return render(
        request,
        "accounts/people.html",
        {
            "page": pages.get_page(request.GET.get("page")),
            "search": search,
            "has_search": bool(search) or pages.num_pages > 1,
            "roles": User.Role.choices,
            "invitations": Invitation.objects.usable().select_related("created_by"),
        },
    )


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@administrators_only
def invite(request: UserRequest) -> HttpResponse:
    """Create an invitation link. Only the response to the POST contains its address."""
    form = InvitationForm(request.POST or None)
    if request.method != "POST" or not form.is_valid():
        return render(request, "accounts/invite.html", {"form": form})
    invitation, token = invitation_links.make_link(
        Invitation,
        created_by=request.user,
        days=form.cleaned_data["days"],
        role=form.cleaned_data["role"],
        note=form.cleaned_data["note"],
    )
    path = reverse("accounts:accept-invitation", args=[token])
    return render(
        request,
        "accounts/invitation_made.html",
        {"invitation": invitation, "link": absolute(path, request=request)},
    )


@require_POST
@administrators_only
def revoke_invitation(request: UserRequest, invitation_id: int) -> HttpResponse:
    if invitation_links.revoke(get_object_or_404(Invitation, pk=invitation_id)):
        messages.success(request, "Invitation revoked. The link no longer works.")
    else:
        messages.warning(request, "This invitation was already used or had expired.")
    return redirect("accounts:people")


@require_POST
@administrators_only
def change_role(request: UserRequest, user_id: int) -> HttpResponse:
    person = get_object_or_404(User, pk=user_id)
    form = RoleForm(request.POST)
    if not form.is_valid():
        messages.error(request, "Choose one of the roles in the list.")
        return redirect("accounts:people")
    role = User.Role(form.cleaned_data["role"])
    change = partial(people.change_role, person, role=role, changed_by=request.user)
    article = "an" if role == User.Role.ADMINISTRATOR else "a"
    return _changed(request, change, f"{person.username} is now {article} {role.label}.")


@require_POST
@administrators_only
def deactivate(request: UserRequest, user_id: int) -> HttpResponse:
    person = get_object_or_404(User, pk=user_id)
    change = partial(people.deactivate, person, changed_by=request.user)
    words = f"{person.username} can no longer log in. What they have done stays."
    return _changed(request, change, words)


def _changed(request: UserRequest, change: Callable[[], None], words: str) -> HttpResponse:
    try:
        change()
    except people.NotAllowed as refusal:
        messages.error(request, str(refusal))
    else:
        messages.success(request, words)
    return redirect("accounts:people")


@require_POST
@administrators_only
def reactivate(request: UserRequest, user_id: int) -> HttpResponse:
    person = get_object_or_404(User, pk=user_id, is_imported=False)
    people.reactivate(person)
    messages.success(request, f"{person.username} can log in again.")
    return redirect("accounts:people")


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@administrators_only
def password_link(request: UserRequest, user_id: int) -> HttpResponse:
    person = get_object_or_404(User, pk=user_id, is_active=True)
    link = ""
    if request.method == "POST":
        path = reverse("accounts:new-password", args=new_password_link(person))
        link = absolute(path, request=request)
    return render(
        request,
        "accounts/password_link.html",
        {"person": person, "link": link, "days": settings.PASSWORD_RESET_TIMEOUT // 86400},
    )


@require_POST
@administrators_only
def reset_second_factor(request: UserRequest, user_id: int) -> HttpResponse:
    person = get_object_or_404(User, pk=user_id)
    second_factor.reset(person)
    messages.success(
        request, f"{person.username} logs in with the password alone, and can set up another app."
    )
    return redirect("accounts:people")
