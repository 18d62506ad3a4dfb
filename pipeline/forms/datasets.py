"""The forms that bring passages in."""

from typing import Any

from django import forms

from pipeline.importing.passages import FORMATS
from pipeline.models import Dataset

FORMAT_LABELS = {
    "rarr": "RARR: the public program's input, JSON lines with input_info",
    "jsonl": "JSON lines with text, and maybe id and context",
    "csv": "CSV with the columns text, and maybe id and context",
    "hagrid": "HAGRID: JSON lines with query, quotes and answers",
}


class AddPassagesForm(forms.Form):
    """A file of passages and what it is written in."""

    file = forms.FileField(
        label="File of passages",
        max_length=255,
        widget=forms.FileInput(attrs={"accept": ".jsonl,.json,.csv,.tsv,.txt"}),
        help_text="One passage a line (JSON lines) or a row (CSV), in UTF-8.",
    )
    format = forms.ChoiceField(
        required=False,
        choices=[
            ("auto", "Tell it from the content"),
            *((name, FORMAT_LABELS.get(name, name)) for name in FORMATS),
        ],
        initial="auto",
    )

    def clean_format(self) -> str:
        return self.cleaned_data["format"] or "auto"


class NewDatasetForm(AddPassagesForm):
    """A dataset that the file's import will make."""

    name = forms.CharField(max_length=200, help_text="How you will find it again.")
    description = forms.CharField(
        required=False,
        max_length=5_000,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="Where the passages come from, and which model wrote them.",
    )
    field_order = ("name", "description", "file", "format")

    def clean_name(self) -> str:
        name: Any = self.cleaned_data["name"]
        if Dataset.objects.filter(name=name).exists():
            raise forms.ValidationError(
                "There is a dataset of this name: choose another, or add passages to that one."
            )
        return str(name)
