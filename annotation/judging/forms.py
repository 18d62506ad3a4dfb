"""Forms to skip an item, to send one back, and to import judgments."""

from django import forms

from annotation.judging import releases, skips
from annotation.models import Assignment, Item


class SkipForm(forms.Form):
    reason = forms.ChoiceField(
        choices=Assignment.SkipReason.choices,
        error_messages={
            "required": "Choose a reason why you cannot judge this item.",
            "invalid_choice": "Choose one of the reasons in the list.",
        },
    )
    note = forms.CharField(
        required=False,
        max_length=skips.NOTE_LIMIT,
        error_messages={
            "max_length": "Shorten your words about the skip to %(limit_value)d characters."
        },
    )

    def clean(self) -> dict[str, str]:
        """Require a note for the reason “other”."""
        data = super().clean() or self.cleaned_data
        if data.get("reason") == Assignment.SkipReason.OTHER and not data.get("note"):
            self.add_error("note", "Say in a few words why you cannot judge this item.")
        return data


class SendBackForm(forms.Form):
    note = forms.CharField(
        required=False,
        max_length=releases.NOTE_LIMIT,
        error_messages={"max_length": "Shorten the note to %(limit_value)d characters."},
    )


class JudgmentFileForm(forms.Form):
    file = forms.FileField(
        label="File of judgments",
        max_length=255,
        widget=forms.FileInput(attrs={"accept": ".csv,.tsv,.jsonl,.json,.parquet,.txt"}),
        help_text="CSV, JSON Lines, JSON or Parquet, one answer a row.",
    )
    use = forms.TypedChoiceField(
        label="Import as",
        required=False,
        coerce=lambda use: use if use in Item.Use.values else "",
        choices=[
            ("judgments", "Judgments of raters"),
            (Item.Use.TRAINING, "Right answers of training items"),
            (Item.Use.GOLD, "Right answers of gold items"),
        ],
    )


def first_error(form: forms.Form) -> str:
    """The message for pages that do not display the form again."""
    return next(str(error) for errors in form.errors.values() for error in errors)
