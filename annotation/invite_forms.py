"""Forms that invite many."""

from typing import Any

from django import forms
from django.conf import settings

from annotation.forms import RoleField
from annotation.invitation_lists import BadList, Row, read_list


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
    list_days = forms.IntegerField(
        label="Days until the links expire",
        min_value=1,
        max_value=90,
        initial=lambda: settings.INVITATION_DAYS,
    )
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
    shared_days = forms.IntegerField(
        label="Days until it expires",
        min_value=1,
        max_value=90,
        initial=lambda: settings.INVITATION_DAYS,
    )
    role = RoleField()
