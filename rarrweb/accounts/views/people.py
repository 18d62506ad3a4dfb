"""The people page: who is here, as what, and who is invited. For administrators only."""

from collections.abc import Callable
from functools import wraps
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
from rarrweb.accounts.models import Invitation, User
from rarrweb.accounts.names import spelt_as_kept, username_key
from rarrweb.accounts.passwords import new_password_link
from rarrweb.addresses import absolute
from rarrweb.http import UserRequest

PEOPLE_A_PAGE = 50
NOW = {
    User.Role.NONE: "%(name)s is now a member.",
    User.Role.RESEARCHER: "%(name)s is now a researcher.",
    User.Role.ADMINISTRATOR: "%(name)s is now an administrator.",
}
Rest = ParamSpec("Rest")
Response = TypeVar("Response", bound=HttpResponseBase)


def administrators_only(
    view: Callable[Concatenate[UserRequest, Rest], Response],
) -> Callable[Concatenate[UserRequest, Rest], Response]:
    """404 for everybody else: that the page exists is none of their business."""

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
    search = spelt_as_kept(request.GET.get("q", ""))
    found = User.objects.filter(username_key__contains=username_key(search)).order_by(
        "-is_active", "username"
    )
    factors = Authenticator.objects.filter(user=OuterRef("pk"), type=Authenticator.Type.TOTP)
    found = found.annotate(has_second_factor=Exists(factors))
    if not search:
        # People of a crowd platform have no password; their campaign lists them.
        found = found.exclude(password__startswith=UNUSABLE_PASSWORD_PREFIX)
    pages = Paginator(found, PEOPLE_A_PAGE)
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
    """Make an invitation link. Its address is in the answer to the POST and nowhere else."""
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
        messages.success(request, "The invitation is withdrawn: its link works no more.")
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
    try:
        people.change_role(person, role=form.cleaned_data["role"], changed_by=request.user)
    except people.NotAllowed as refusal:
        messages.error(request, str(refusal))
    else:
        person.refresh_from_db()
        messages.success(request, NOW[User.Role(person.role)] % {"name": person.username})
    return redirect("accounts:people")


@require_POST
@administrators_only
def deactivate(request: UserRequest, user_id: int) -> HttpResponse:
    person = get_object_or_404(User, pk=user_id)
    try:
        people.deactivate(person, changed_by=request.user)
    except people.NotAllowed as refusal:
        messages.error(request, str(refusal))
    else:
        messages.success(
            request,
            f"{person.username} can no longer log in. What they have done stays.",
        )
    return redirect("accounts:people")


@require_POST
@administrators_only
def reactivate(request: UserRequest, user_id: int) -> HttpResponse:
    person = get_object_or_404(User, pk=user_id)
    people.reactivate(person)
    messages.success(request, f"{person.username} can log in again.")
    return redirect("accounts:people")


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@administrators_only
def password_link(request: UserRequest, user_id: int) -> HttpResponse:
    """Make a link by which a person who forgot the password chooses a new one."""
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
    """Remove the second factor of a person who lost the app; their sessions end."""
    person = get_object_or_404(User, pk=user_id)
    second_factor.reset(person)
    messages.success(
        request, f"{person.username} logs in with the password alone, and can set up another app."
    )
    return redirect("accounts:people")
