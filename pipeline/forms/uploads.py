"""The forms of uploads."""

from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile

from pipeline.data.upload_jobs import FIELDS
from pipeline.importing.passages import FORMATS
from pipeline.models import Corpus, Dataset, Upload
from rarrweb.web.names import check_name

FORMAT_LABELS = {
    "csv": "CSV",
    "jsonl": "JSON lines",
    "rarr": "RARR: input_info, and the result of a run",
    "hagrid": "HAGRID: query, quotes and answers",
    "alce": "ALCE: the output of a run",
    "questions": "Questions: a list, or MIRACL",
    "contexts": "Contexts: question, contexts and answer",
}
FIELD_LABELS = {name: name.title() for name in ("text", "context", "sources", "title", "id")} | {
    "url": "URL"
}


class SeveralFilesInput(forms.FileInput):
    allow_multiple_selected = True


class SeveralFilesField(forms.FileField):
    """Clean into a list of non-empty files."""

    widget = SeveralFilesInput

    def clean(self, data: Any, initial: Any = None) -> "list[UploadedFile[bytes]]":
        clean = super().clean
        files = data if isinstance(data, list | tuple) and data else [data or None]
        return [file for each in files if (file := clean(each, initial))]


class AddPassagesForm(forms.Form):
    file = forms.FileField(
        label="File of passages",
        max_length=255,
        widget=forms.FileInput(attrs={"accept": ".jsonl,.json,.csv,.tsv,.txt"}),
        help_text=(
            "CSV or JSON lines in UTF-8, one passage a row. The columns may have any names. Or "
            "questions without answers."
        ),
    )


class AddDocumentsForm(forms.Form):
    files = SeveralFilesField(  # type: ignore[assignment]  # the form's `files` is an instance's
        label="Files",
        max_length=255,
        widget=SeveralFilesInput(
            attrs={"accept": ".jsonl,.json,.csv,.tsv,.zip,.txt,.md,.html,.htm"}
        ),
        help_text=(
            "CSV or JSON lines, one document a row; a ZIP of .txt, .md and .html files; "
            "or up to 100 such files at once."
        ),
    )


class ColumnsForm(forms.Form):
    """The format of a file, and the column of each field."""

    def __init__(self, data: Any = None, *, upload: Upload) -> None:
        super().__init__(data)
        if upload.kind == Upload.Kind.PASSAGES:
            known = [(name, FORMAT_LABELS.get(name, name)) for name in FORMATS]
            if upload.format not in FORMATS:
                known.insert(0, (upload.format, "Not recognized"))
            self.fields["format"] = forms.ChoiceField(choices=known, initial=upload.format)
        for field in FIELDS[Upload.Kind(upload.kind)]:
            if field not in upload.mapping:
                continue
            none = "None: made from the content" if field == "id" else "None"
            choices = [(name, name) for name in upload.columns]
            self.fields[field] = forms.ChoiceField(
                label=FIELD_LABELS[field],
                required=field == "text",
                choices=choices if field == "text" else [("", none), *choices],
                initial=upload.mapping[field],
            )


class NewNameForm(forms.Form):
    model: type[Dataset | Corpus]
    name_taken: str
    origin: str
    field_order = ("file", "files", "name", "description")

    name = forms.CharField(
        max_length=200, validators=[check_name], help_text="The name in lists and menus."
    )
    description = forms.CharField(
        required=False, max_length=5_000, widget=forms.Textarea(attrs={"rows": 3})
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["description"].help_text = self.origin

    def clean_name(self) -> str:
        name: str = self.cleaned_data["name"]
        if self.model.objects.filter(name=name).exists():
            raise forms.ValidationError(
                f"This name is taken. Choose another, or {self.name_taken}."
            )
        return name


class NewDatasetForm(AddPassagesForm, NewNameForm):
    model = Dataset
    name_taken = "add passages to that dataset"
    origin = "Where the passages come from, and which model wrote them."


class NewCorpusForm(AddDocumentsForm, NewNameForm):
    model = Corpus
    name_taken = "add documents to that corpus"
    origin = "What the documents are and when they were collected."
