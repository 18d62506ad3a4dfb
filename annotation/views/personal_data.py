"""Erasure of a person's data, by themselves or an administrator."""

from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth import authenticate, logout
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from annotation.raters.personal_data import erase
from rarrweb.accounts.http import UserRequest
from rarrweb.accounts.models import User
from rarrweb.accounts.people import NotAllowed
from rarrweb.accounts.views.people import administrators_only


class SelfErasureForm(forms.Form):
    password = forms.CharField(
        label="Your password",
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
        strip=False,
    )

    def __init__(self, request: UserRequest, *args: Any) -> None:
        super().__init__(*args)
        self.request = request

    def clean_password(self) -> str:
        password = str(self.cleaned_data["password"])
        name = self.request.user.username
        if authenticate(self.request, username=name, password=password) is None:
            raise forms.ValidationError("Wrong password. Enter the one you log in with.")
        return password


class ErasureForm(forms.Form):
    name = forms.CharField(label="Their user name, to confirm", max_length=150)
    with_judgments = forms.BooleanField(
        label="Also delete what they judged: figures and exports change",
        required=False,
    )

    def __init__(self, person: User, *args: Any) -> None:
        super().__init__(*args)
        self.person = person

    def clean_name(self) -> str:
        name = str(self.cleaned_data["name"])
        if name != self.person.username:
            raise forms.ValidationError("This is not their user name. Nothing was erased.")
        return name


@require_http_methods(["GET", "HEAD", "POST"])
@sensitive_post_parameters()
@never_cache
def my_data(request: UserRequest) -> HttpResponse:
    """Erase the user's data. A wrong password counts as a failed log-in."""
    person = request.user
    form = SelfErasureForm(request, request.POST if request.method == "POST" else None)
    if form.is_valid() and _is_erased(request, person):
        logout(request)
        return redirect("account_login")
    return _page(request, person, form)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@administrators_only
def data_of(request: UserRequest, user_id: int) -> HttpResponse:
    person = get_object_or_404(User, pk=user_id)
    form = ErasureForm(person, request.POST if request.method == "POST" else None)
    if form.is_valid() and _is_erased(
        request, person, with_judgments=form.cleaned_data["with_judgments"]
    ):
        messages.success(request, "The person’s data is erased.")
        return redirect("accounts:people")
    return _page(request, person, form)


def _is_erased(request: UserRequest, person: User, **how: bool) -> bool:
    try:
        erase(person, by=request.user, **how)
    except NotAllowed as refusal:
        messages.error(request, str(refusal))
        return False
    return True


def _page(request: UserRequest, person: User, form: forms.Form) -> HttpResponse:
    context = {"person": person, "is_own": person.pk == request.user.pk, "form": form}
    return render(request, "annotation/personal_data.html", context)
