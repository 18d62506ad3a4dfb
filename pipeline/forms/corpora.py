"""The forms that bring documents in."""

from typing import Any

from django import forms

from pipeline.forms.files import SeveralFilesField, SeveralFilesInput
from pipeline.models import Corpus


class AddDocumentsForm(forms.Form):
    """One file of many documents, or several files of one each."""

    files = SeveralFilesField(
        label="Files",
        max_length=255,
        widget=SeveralFilesInput(attrs={"accept": ".jsonl,.json,.zip,.txt,.md,.html,.htm"}),
        help_text=(
            "JSON lines with id, title, url and text; or a ZIP of .txt, .md and .html files; "
            "or up to 100 such files at once."
        ),
    )


class NewCorpusForm(AddDocumentsForm):
    """A corpus that the files' import will make."""

    name = forms.CharField(max_length=200, help_text="How you will find it again.")
    description = forms.CharField(
        required=False,
        max_length=5_000,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="What the documents are, and from when.",
    )
    field_order = ("name", "description", "files")

    def clean_name(self) -> str:
        name: Any = self.cleaned_data["name"]
        if Corpus.objects.filter(name=name).exists():
            raise forms.ValidationError(
                "There is a corpus of this name: choose another, or add documents to that one."
            )
        return str(name)
