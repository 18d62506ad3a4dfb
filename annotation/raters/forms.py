"""Forms that invite raters, and the one in which a researcher writes the consent page."""

from typing import Any

from django import forms
from django.conf import settings

from annotation.models import ConsentText, Membership
from annotation.raters.consent import DRAFT, TEXT_LIMIT
from annotation.raters.invitation_csv import BadList, Row, read_list
from rarrweb.accounts.models import User
from rarrweb.accounts.names import user_called


class RoleField(forms.ChoiceField):
    """What somebody does in a campaign; who says nothing becomes a rater."""

    def __init__(self) -> None:
        super().__init__(
            label="Takes part as",
            choices=[
                (Membership.Role.ANNOTATOR, "rater — judges items"),
                (Membership.Role.ADJUDICATOR, "adjudicator — settles what raters differ about"),
            ],
            initial=Membership.Role.ANNOTATOR,
            required=False,
        )

    def clean(self, value: Any) -> str:
        return super().clean(value) or Membership.Role.ANNOTATOR.value


class DaysField(forms.IntegerField):
    """For how many days a link can be used."""

    def __init__(self, label: str = "Days until it expires") -> None:
        super().__init__(
            label=label, min_value=1, max_value=90, initial=lambda: settings.INVITATION_DAYS
        )


class InviteForm(forms.Form):
    """A link for one person."""

    note = forms.CharField(
        label="For whom",
        max_length=200,
        required=False,
        help_text="A name or a number, so that you know the link again.",
    )
    days = DaysField()
    role = RoleField()


class MemberForm(forms.Form):
    """Somebody who has an account already."""

    username = forms.CharField(label="User name", max_length=150)
    role = RoleField()

    def clean_username(self) -> User:
        """The person of that name."""
        name = self.cleaned_data["username"].strip()
        person = user_called(name)
        if person is None or not person.is_active:
            raise forms.ValidationError(
                f"Nobody here is called “{name}”. Invite them with a link instead."
            )
        return person


class ListForm(forms.Form):
    """A list of people, as a file or as text."""

    file = forms.FileField(
        label="The list, as CSV",
        required=False,
        widget=forms.ClearableFileInput(attrs={"accept": ".csv,text/csv"}),
        help_text="The first line names the columns: email or name, and role if you like "
        "(rater or adjudicator). UTF-8, commas or semicolons.",
    )
    text = forms.CharField(
        label="Or paste it here",
        required=False,
        strip=False,
        widget=forms.Textarea(
            attrs={"rows": 5, "placeholder": "email,name,role\nanna@example.org,Anna,rater"}
        ),
    )
    list_days = DaysField("Days until the links expire")
    renew = forms.BooleanField(
        label="New links also for those who have not used theirs; the old ones then die",
        required=False,
    )

    def __init__(self, *args: Any, **values: Any) -> None:
        super().__init__(*args, **values)
        self.problems: BadList | None = None
        self.rows: list[Row] = []

    def clean(self) -> dict[str, Any]:
        """Read the list, and hold what is wrong in it."""
        data = super().clean() or self.cleaned_data
        given, pasted = data.get("file"), data.get("text") or ""
        if given is None and not pasted.strip():
            if "file" not in self.errors:
                self.add_error("file", "Choose a file, or paste the list.")
            return data
        if given is not None and pasted.strip():
            self.add_error("text", "There is a file as well: leave one of the two out.")
            return data
        try:
            self.rows = read_list(given.read() if given is not None else pasted.encode())
        except BadList as error:
            self.problems = error
        return data

    def is_valid(self) -> bool:
        return super().is_valid() and self.problems is None


class SharedLinkForm(forms.Form):
    """One link for a group."""

    shared_note = forms.CharField(
        label="For which group",
        max_length=200,
        required=False,
        help_text="So that you know the link again.",
    )
    cap = forms.IntegerField(
        label="People at most",
        min_value=1,
        max_value=10_000,
        initial=20,
        help_text="Whoever has the link can join until so many have.",
    )
    shared_days = DaysField()
    role = RoleField()


class ConsentTextForm(forms.Form):
    """The consent page: its words, and what a withdrawal does."""

    text = forms.CharField(
        label="What raters are asked to agree to",
        max_length=TEXT_LIMIT,
        widget=forms.Textarea(attrs={"rows": 18}),
        help_text="Markdown: headings, lists, bold, italics. No links and no pictures: what is "
        "loaded from elsewhere would tell its owner who judges here.",
    )
    withdrawal = forms.ChoiceField(
        label="When somebody takes their consent back",
        choices=[
            (ConsentText.Withdrawal.DELETE, "delete everything that they judged"),
            (ConsentText.Withdrawal.KEEP, "keep what they handed in, under its made-up name"),
        ],
        widget=forms.RadioSelect,
        help_text="The page tells it to raters in one sentence, and it holds for whoever agrees "
        "to this version.",
    )

    def clean_text(self) -> str:
        """Refuse the draft as it came: there is something to fill in."""
        text: str = self.cleaned_data["text"]
        if "preview" not in self.data and text.split() == consent_draft().split():
            raise forms.ValidationError("Fill in what stands in italics first: this is a draft.")
        return text


def consent_draft() -> str:
    """A first text to change."""
    return DRAFT.read_text(encoding="utf-8")
