"""The people page: who is here, as what, and who is invited. For administrators only."""

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
from rarrweb.accounts.names import spelt_as_kept, username_key
from rarrweb.accounts.passwords import new_password_link
from rarrweb.web.addresses import absolute

PEOPLE_A_PAGE = 50
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
    """Make the change, and say so or why not."""
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
