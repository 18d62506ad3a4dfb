"""The form in which a researcher writes the consent page."""

from django import forms

from annotation.consent import DRAFT, TEXT_LIMIT
from annotation.models import ConsentText


class ConsentTextForm(forms.Form):
    """The words, and what a withdrawal does."""

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
        """Not the draft as it came: there is something to fill in."""
        text: str = self.cleaned_data["text"]
        if "preview" not in self.data and _same_words(text, draft()):
            raise forms.ValidationError("Fill in what stands in italics first: this is a draft.")
        return text


def draft() -> str:
    """A first text to change."""
    return DRAFT.read_text(encoding="utf-8")


def _same_words(one: str, other: str) -> bool:
    return one.split() == other.split()
