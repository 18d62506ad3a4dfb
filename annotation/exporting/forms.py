"""The options of a dataset package."""

from typing import Any

from django import forms

from annotation.exporting import formats_for
from annotation.models import Campaign
from annotation.results.labels import RESOLUTIONS, SETTLED
from pipeline.data.splits import Part

LABELS = [(name, meaning[0].upper() + meaning[1:]) for name, meaning in RESOLUTIONS.items()]


class PackageForm(forms.Form):
    labels = forms.ChoiceField(label="Label per target", choices=LABELS, initial=SETTLED)
    dev = forms.ChoiceField(
        label="Development split",
        required=False,
        choices=[("", "None"), ("10", "10 %"), ("20", "20 %")],
    )
    licence = forms.CharField(
        required=False,
        max_length=200,
        widget=forms.TextInput(attrs={"placeholder": "cc-by-4.0"}),
    )
    language = forms.CharField(
        label="Languages",
        required=False,
        max_length=100,
        widget=forms.TextInput(attrs={"placeholder": "en, de"}),
    )

    def __init__(self, *args: Any, campaign: Campaign, **options: Any) -> None:
        super().__init__(*args, **options)
        if not any(each.resolves for each in formats_for(campaign)):
            del self.fields["labels"]

    def chosen(self) -> dict[str, Any]:
        percent = self.cleaned_data["dev"]
        parts = Part.both(dev=int(percent) / 100) if percent else ()
        values = {name: value for name, value in self.cleaned_data.items() if name != "dev"}
        return values | {"parts": parts}
