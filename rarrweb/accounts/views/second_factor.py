"""The second step of a log-in, and the page on which a person sets it up."""

import io

import segno
from django import forms
from django.contrib import messages
from django.contrib.auth import update_session_auth_hash
from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from rarrweb.accounts import audit, log_in_limit, second_factor
from rarrweb.accounts.models import SecondFactor, User
from rarrweb.accounts.views.people import administrators_only
from rarrweb.http import UserRequest
from rarrweb.rate_limit import TooManyAttempts


class CodeForm(forms.Form):
    """A code of the app, or a recovery code."""

    code = forms.CharField(
        label="Code",
        max_length=40,
        widget=forms.TextInput(attrs={"autocomplete": "one-time-code", "autofocus": True}),
    )


@require_http_methods(["GET", "HEAD", "POST"])
@sensitive_post_parameters()
@never_cache
@login_not_required  # the password was right; the session begins after the code
def second_step(request: HttpRequest) -> HttpResponse:
    """Ask for the code; back to the log-in where nobody is on the way, or is too late."""
    person = second_factor.pending_person(request)
    factor = second_factor.factor_of(person) if person is not None else None
    if person is None or factor is None:
        return redirect("accounts:log-in")
    form = CodeForm(request.POST if request.method == "POST" else None)
    context: dict[str, object] = {"form": form}
    if form.is_valid():
        try:
            if _shows_code(request, factor, form):
                return second_factor.finish(request, person)
        except TooManyAttempts as refusal:
            context = {"form": CodeForm(), "minutes": refusal.minutes}
            return render(request, "accounts/second_step.html", context, status=429)
    return render(request, "accounts/second_step.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@sensitive_post_parameters()
@never_cache
def second_factor_page(request: UserRequest) -> HttpResponse:
    """Set the factor up, make new recovery codes, or remove it; the last two ask for a code."""
    person, action = request.user, request.POST.get("action", "")
    factor = second_factor.factor_of(person)
    form = CodeForm(request.POST if action in {"confirm", "renew", "remove"} else None)
    context: dict[str, object] = {"is_required": second_factor.is_required(person)}
    status = 200
    if action == "begin" and factor is None:
        second_factor.new_factor(person)
        return redirect("accounts:second-factor")
    if form.is_valid():
        try:
            done = _act(request, action, factor, form, context)
        except TooManyAttempts as refusal:
            done, status, context["minutes"] = None, 429, refusal.minutes
        if done is not None:
            return done
    begun = _begun(person)
    context |= {"form": form, "factor": second_factor.factor_of(person), "begun": begun}
    if begun is not None:
        context["secret"] = second_factor.secret_of(begun)
    return render(request, "accounts/second_factor.html", context, status=status)


def _act(
    request: UserRequest,
    action: str,
    factor: SecondFactor | None,
    form: CodeForm,
    context: dict[str, object],
) -> HttpResponse | None:
    """Do what the code was shown for; codes to show once go into `context`."""
    person = request.user
    begun = _begun(person)
    if action == "confirm" and begun is not None:
        if codes := second_factor.confirm(begun, form.cleaned_data["code"]):
            request.session[second_factor.SHOWN] = True
            context["codes"] = codes
        else:
            form.add_error("code", "This is not the app’s code of now. Write the next one.")
        return None
    if factor is None or not _shows_code(request, factor, form):
        return None
    if action == "renew":
        context["codes"] = second_factor.new_recovery_codes(person)
        return None
    second_factor.remove(person, action="second-factor-off")
    request.session.pop(second_factor.SHOWN, None)
    person.refresh_from_db()
    update_session_auth_hash(request, person)  # this session stays
    messages.success(request, "The second factor is removed: the password alone lets you in.")
    return redirect("accounts:account")


@require_safe
@never_cache
def picture(request: UserRequest) -> HttpResponse:
    """What the app takes a photo of, while the factor is not confirmed."""
    begun = _begun(request.user)
    if begun is None:
        raise Http404
    out = io.BytesIO()
    code = segno.make(second_factor.address_of(begun), error="m")
    code.save(out, kind="svg", scale=5, light="#fff", svgclass=None, lineclass=None)
    return HttpResponse(out.getvalue(), content_type="image/svg+xml; charset=utf-8")


@require_POST
@administrators_only
def reset(request: UserRequest, user_id: int) -> HttpResponse:
    """Take a lost app's factor off somebody's account; their sessions end."""
    person = get_object_or_404(User, pk=user_id)
    second_factor.remove(person, action="second-factor-reset")
    messages.success(
        request,
        f"{person.username} logs in with the password alone, and can set up another app.",
    )
    return redirect("accounts:people")


def _begun(person: User) -> SecondFactor | None:
    begun = SecondFactor.objects.filter(user=person, confirmed_at=None).first()
    return begun if begun and second_factor.secret_of(begun) else None


def _shows_code(request: HttpRequest, factor: SecondFactor, form: CodeForm) -> bool:
    """Whether the form's code is right; counted by itself, as a right password forgives others.

    Raises `TooManyAttempts`.
    """
    log_in_limit.count_wrong_code(factor.user, address=log_in_limit.client_address(request))
    if second_factor.is_right(factor, form.cleaned_data["code"]):
        log_in_limit.forgive_codes(factor.user)
        return True
    audit.record("second-step-failed", factor.user)
    form.add_error("code", "This code is wrong, or was used before. Write the next one.")
    return False
