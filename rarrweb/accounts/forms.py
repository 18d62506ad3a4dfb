"""Forms for accounts."""

from typing import Any

from allauth.account.forms import LoginForm
from django import forms
from django.conf import settings
from django.contrib.auth import authenticate
from django.contrib.auth.forms import BaseUserCreationForm, PasswordChangeForm, SetPasswordForm
from django.http import HttpRequest

from rarrweb.accounts.models import ApiToken, User
from rarrweb.accounts.names import normalize_username
from rarrweb.accounts.tokens import LIFETIMES, USUAL_DAYS
from rarrweb.web.names import check_name

ADVICE = "At least 12 characters. A few unrelated words are easy to remember and hard to guess."


class LogInForm(LoginForm):  # type: ignore[misc]  # allauth has no types
    """The error is the same for unknown names and wrong passwords."""

    def __init__(self, *args: Any, **values: Any) -> None:
        super().__init__(*args, **values)
        self.fields["login"].label = "User name"
        for name in ("login", "password"):
            self.fields[name].widget.attrs.pop("placeholder", None)
            self.fields[name].help_text = ""
        self.fields["login"].widget.attrs |= {"autofocus": True, "autocapitalize": "none"}

    def clean_login(self) -> str:
        return normalize_username(str(self.cleaned_data["login"]))


class SignUpForm(BaseUserCreationForm):
    class Meta:
        model = User
        fields = ("username",)
        labels = {"username": "User name"}
        help_texts = {"username": "Letters, digits and @ . + - _. Other raters do not see it."}

    def __init__(self, *args: Any, **values: Any) -> None:
        super().__init__(*args, **values)
        self.fields["username"].widget.attrs["autofocus"] = True
        self.fields["password1"].help_text = ADVICE
        self.fields["password2"].label = "Confirm password"
        self.fields["password2"].help_text = ""

    def clean_username(self) -> str:
        username = str(self.cleaned_data["username"])
        check_name(username)
        if User.objects.with_name(username) is not None:
            raise forms.ValidationError("This user name is taken. Choose another one.")
        return username


class ChangePasswordForm(PasswordChangeForm):
    """A wrong current password counts as a failed log-in."""

    def __init__(self, request: HttpRequest, user: User, *args: Any, **values: Any) -> None:
        super().__init__(user, *args, **values)
        self.request = request
        self.fields["old_password"].widget.attrs.pop("autofocus", None)
        self.fields["old_password"].label = "Current password"
        self.fields["new_password1"].help_text = ADVICE
        self.fields["new_password2"].label = "Confirm new password"
        self.fields["new_password2"].help_text = ""

    def clean_old_password(self) -> str:
        password = str(self.cleaned_data["old_password"])
        if authenticate(self.request, username=self.user.username, password=password) is None:
            raise forms.ValidationError("This is not your current password.")
        return password


class NewPasswordForm(SetPasswordForm):
    def __init__(self, *args: Any, **values: Any) -> None:
        super().__init__(*args, **values)
        self.fields["new_password1"].help_text = ADVICE
        self.fields["new_password1"].widget.attrs["autofocus"] = True
        self.fields["new_password2"].label = "Confirm new password"
        self.fields["new_password2"].help_text = ""


class InvitationForm(forms.Form):
    role = forms.ChoiceField(
        label="Role",
        choices=[
            (User.Role.RESEARCHER, "Researcher — datasets, runs, campaigns, results"),
            (User.Role.ADMINISTRATOR, "Administrator — that, and the people"),
            (User.Role.NONE, "Member — only the campaigns that invite them"),
        ],
        widget=forms.RadioSelect,
        initial=User.Role.RESEARCHER,
        required=False,  # a member's role is the empty one
    )
    note = forms.CharField(
        label="Note",
        max_length=200,
        required=False,
        help_text="For whom it is, so that you know it again.",
    )
    days = forms.IntegerField(
        label="Days until it expires",
        min_value=1,
        max_value=90,
        initial=lambda: settings.INVITATION_DAYS,
    )


class RoleForm(forms.Form):
    role = forms.ChoiceField(choices=User.Role.choices, required=False)


class TokenForm(forms.Form):
    name = forms.CharField(
        label="Name",
        max_length=100,
        validators=[check_name],
        help_text="What uses it, so that you know which one to revoke.",
    )
    scope = forms.ChoiceField(
        label="Access",
        choices=[
            (ApiToken.Scope.READ, "Read — all that you see on the researchers’ pages"),
            (ApiToken.Scope.WRITE, "Read and write — also add data, start runs and campaigns"),
        ],
        widget=forms.RadioSelect,
        initial=ApiToken.Scope.READ,
    )
    days = forms.TypedChoiceField(
        label="Days until it expires",
        coerce=int,
        choices=[(days, str(days)) for days in LIFETIMES],
        initial=USUAL_DAYS,
    )
