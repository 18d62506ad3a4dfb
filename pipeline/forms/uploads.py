"""The forms of uploads."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile

from pipeline.data.upload_jobs import READING, can_be_mapped
from pipeline.importing.columns import DOCUMENT_FIELDS, IGNORED, METADATA
from pipeline.models import Corpus, Dataset, Upload
from rarrweb.web.names import check_name

FORMAT_LABELS = {
    "csv": "Table as text, such as CSV",
    "jsonl": "Table in JSON or Parquet",
    "rarr": "RARR: input_info, and the result of a run",
    "hagrid": "HAGRID: query, quotes and answers",
    "alce": "ALCE: the output of a run",
    "questions": "Questions: a list, or MIRACL",
    "contexts": "Contexts: question, contexts and answer",
}
FIELD_LABELS = {name: name.title() for name in ("text", "context", "title", "id")} | {"url": "URL"}
ROLE_LABELS = {
    Upload.Kind.PASSAGES: {
        "text": "Text",
        "context": "Question or context",
        "sources": "Sources",
        "label": "Label",
        "id": "Id",
        "model": "Model",
        METADATA: "Metadata",
        IGNORED: "Ignored",
    },
    Upload.Kind.DOCUMENTS: {
        **{field: FIELD_LABELS[field] for field in DOCUMENT_FIELDS},
        IGNORED: "Ignored",
    },
}
READING_LABELS = {
    "encoding": {
        "utf-8": "UTF-8",
        "utf-16": "UTF-16",
        "cp1252": "Western European (cp1252)",
        "iso8859-2": "Central European (iso8859-2)",
        "cp1251": "Cyrillic (cp1251)",
        "mac-roman": "Mac Roman",
        "gb18030": "Chinese (gb18030)",
        "big5": "Chinese (big5)",
        "cp932": "Japanese (cp932, Shift JIS)",
        "euc_jp": "Japanese (euc_jp)",
        "cp949": "Korean (cp949, EUC-KR)",
    },
    "delimiter": {",": "Comma", ";": "Semicolon", "\t": "Tab", "|": "Vertical bar"},
    "has_header": {"True": "Names the columns", "False": "Is data"},
}
"""Choices about the whole file, by key of `Upload.reading`."""


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
        widget=forms.FileInput(attrs={"accept": ".jsonl,.json,.csv,.tsv,.txt,.parquet,.zip"}),
        help_text=(
            "JSON, CSV, Parquet or text, one passage a row. The columns may have any names. Or "
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


class WholeFileForm(forms.Form):
    """How a file is read: encoding, delimiter and header, as far as `reading` has them."""

    def __init__(self, data: Any = None, *, reading: Mapping[str, Any]) -> None:
        super().__init__(data)
        self.encoding_is_guessed = reading.get("encoding_is_guessed", False)
        for name, labels in READING_LABELS.items():
            if (value := reading.get(name, "")) != "":
                label = "First row" if name == "has_header" else None
                self._add_choice(name, labels, str(value), label=label)

    def _add_choice(
        self, name: str, labels: dict[str, str], value: str, *, other: str = "", **options: Any
    ) -> None:
        known = labels if value in labels else {value: other or value, **labels}
        self.fields[name] = forms.ChoiceField(choices=[*known.items()], initial=value, **options)

    @property
    def reading(self) -> dict[str, Any]:
        """How the file is read, as chosen."""
        given = {name: self.cleaned_data[name] for name in READING if name in self.cleaned_data}
        if "has_header" in given:
            given["has_header"] = given["has_header"] == "True"
        return given

    @property
    def settings(self) -> list[forms.BoundField]:
        """The fields about the whole file."""
        return [self[name] for name in ("format", *READING_LABELS) if name in self.fields]


class ReadingForm(WholeFileForm):
    """How an upload is read: format, encoding, delimiter, header, and its columns."""

    def __init__(self, data: Any = None, *, upload: Upload) -> None:
        super().__init__(data, reading=upload.reading)
        self.upload = upload
        self.roles = ROLE_LABELS[Upload.Kind(upload.kind)]
        if upload.kind == Upload.Kind.PASSAGES:
            self._add_choice("format", FORMAT_LABELS, upload.format, other="Not recognized")
            if upload.format != "questions" and "context" in upload.mapping.values():
                self.fields["dialog"] = forms.BooleanField(
                    required=False, initial=upload.reading.get("dialog", False)
                )
        for number, column in enumerate(upload.columns if can_be_mapped(upload) else []):
            name, role = column["name"], upload.mapping[column["name"]]
            can_be = {**self.roles}
            if not column["is_unique"] and role != "id":
                del can_be["id"]
            self._add_choice(f"column-{number}", can_be, role, label=f"{name} becomes")
        if upload.dataset or upload.corpus:
            self.fields["update"] = forms.BooleanField(
                required=False, initial=upload.reading.get("update", False)
            )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        counts = Counter(self.mapping.values())
        for role in self.roles.keys() - {METADATA, IGNORED, "sources"}:
            if counts[role] > 1:
                problem = f"{counts[role]} columns become {self.roles[role]}: choose one of them."
                raise forms.ValidationError(problem)
        if counts and not counts["text"] and not counts["context"]:
            raise forms.ValidationError("No column becomes Text: choose the one that holds it.")
        return cleaned

    @property
    def mapping(self) -> dict[str, str]:
        """What each column becomes, as chosen."""
        return {
            column["name"]: role
            for number, column in enumerate(self.upload.columns)
            if (role := self.cleaned_data.get(f"column-{number}"))
        }

    @property
    def dialog(self) -> forms.BoundField | None:
        return self["dialog"] if "dialog" in self.fields else None

    @property
    def update(self) -> forms.BoundField | None:
        return self["update"] if "update" in self.fields else None

    @property
    def rows(self) -> list[dict[str, Any]]:
        """Each column with its field, or with what its format makes of it."""
        return [
            {
                **column,
                "field": self[name] if (name := f"column-{number}") in self.fields else None,
                "role": self.roles.get(role, role.title()),
                "is_unused": name in self.fields
                and column["is_long"]
                and role in {METADATA, IGNORED},
            }
            for number, column in enumerate(self.upload.columns)
            if (role := self.upload.mapping[column["name"]])
        ]


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
