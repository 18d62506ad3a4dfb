"""The editor of a campaign's instructions."""

from typing import Any

from django import forms

from annotation.guidelines.versions import NOTE_LIMIT, TEXT_LIMIT

EMPTY = "Instructions are empty: write them, or go back."


class GuidelinesForm(forms.Form):
    text = forms.CharField(
        label="Instructions",
        strip=False,
        max_length=TEXT_LIMIT,
        widget=forms.Textarea(attrs={"rows": 28, "spellcheck": "true"}),
        help_text="Markdown: ### heading, **bold**, *italic*, - list, > example. Links, pictures "
        "and HTML are taken out.",
        error_messages={"required": EMPTY},
    )
    note = forms.CharField(
        label="What has changed",
        max_length=NOTE_LIMIT,
        help_text="One sentence. Raters read it at the top of their next item.",
        error_messages={"required": "What has changed is empty: say it in one sentence."},
    )
    based_on = forms.IntegerField(min_value=1, widget=forms.HiddenInput)

    def clean_text(self) -> Any:
        text = self.cleaned_data["text"]
        if not text.strip():
            raise forms.ValidationError(EMPTY)
        return text
