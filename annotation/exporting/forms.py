"""What somebody chooses of a dataset package."""

from typing import Any

from django import forms

from annotation.exporting import formats_for, load_format
from annotation.exporting.package import NOTHING_CHOSEN, REVISIONS, Contents
from annotation.models import Campaign
from annotation.results.labels import RESOLUTIONS, SETTLED
from pipeline.data.splits import Part

LABELS = [(name, f"{name}: {meaning}") for name, meaning in RESOLUTIONS.items()]


class PackageForm(forms.Form):
    """Cleans into `contents`."""

    formats = forms.MultipleChoiceField(
        label="Files", widget=forms.CheckboxSelectMultiple, error_messages={
            "required": "Choose at least one file."
        },
    )  # fmt: skip
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
        help_text="As the dataset card shall say it, for example cc-by-4.0.",
    )
    language = forms.CharField(
        label="Languages",
        required=False,
        max_length=100,
        help_text="Codes of the texts’ languages, for example en, de.",
    )

    def __init__(self, *args: Any, campaign: Campaign, **options: Any) -> None:
        super().__init__(*args, **options)
        found = formats_for(campaign)
        field = self.fields["formats"]
        field.choices = [  # type: ignore[attr-defined]
            *((each.name, each.title) for each in found),
            (REVISIONS, "revisions of its runs (RARR’s JSON lines)"),
        ]
        field.initial = [each.name for each in found if each.is_main or each.name == "parquet"]
        if not any(each.resolves for each in found):
            del self.fields["labels"]

    def clean_formats(self) -> list[str]:
        chosen: list[str] = self.cleaned_data["formats"]
        if chosen == [REVISIONS]:
            raise forms.ValidationError(NOTHING_CHOSEN)
        return chosen

    def contents(self) -> Contents:
        """What was chosen, of a form that is valid."""
        chosen = self.cleaned_data
        percent = chosen["dev"]
        return Contents(
            formats=tuple(load_format(name) for name in chosen["formats"] if name != REVISIONS),
            with_revisions=REVISIONS in chosen["formats"],
            labels=chosen.get("labels", SETTLED),
            parts=() if percent is None else Part.both(dev=percent / 100),
            licence=chosen["licence"],
            language=chosen["language"],
        )
