"""The form of a dataset package."""

from typing import Any

from django import forms

from annotation.exporting import formats_for
from annotation.exporting.package import REVISIONS, first_formats
from annotation.models import Campaign
from annotation.results.labels import RESOLUTIONS, SETTLED
from pipeline.data.splits import Part

LABELS = [(name, f"{name}: {meaning}") for name, meaning in RESOLUTIONS.items()]


class PackageForm(forms.Form):
    formats = forms.MultipleChoiceField(
        label="Files",
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": "Choose at least one file."},
    )
    labels = forms.ChoiceField(label="Label of several raters", choices=LABELS, initial=SETTLED)
    dev = forms.FloatField(
        label="Dev part, in percent",
        required=False,
        min_value=0.1,
        max_value=99.9,
        help_text="Empty for one file without a split. A hash of the question’s id decides, so a "
        "question stays in its part.",
        widget=forms.NumberInput(attrs={"step": "any", "placeholder": "10"}),
    )
    licence = forms.CharField(
        label="Licence",
        required=False,
        max_length=200,
        help_text="Goes into the dataset card, for example cc-by-4.0.",
    )
    language = forms.CharField(
        label="Languages",
        required=False,
        max_length=100,
        help_text="Codes of the texts’ languages, for example en, de.",
    )

    def __init__(self, *args: Any, campaign: Campaign, **options: Any) -> None:
        super().__init__(*args, **options)
        formats = formats_for(campaign)
        field = self.fields["formats"]
        field.choices = [  # type: ignore[attr-defined]
            *((each.name, each.title) for each in formats),
            (REVISIONS, "revisions of its runs (RARR’s JSON lines)"),
        ]
        field.initial = first_formats(campaign)
        if not any(each.resolves for each in formats):
            del self.fields["labels"]

    def chosen(self) -> dict[str, Any]:
        percent = self.cleaned_data["dev"]
        parts = () if percent is None else Part.both(dev=percent / 100)
        values = {name: value for name, value in self.cleaned_data.items() if name != "dev"}
        return values | {"parts": parts}
