"""The forms of `/try/`."""

import re
from collections.abc import Callable
from typing import Any

from django import forms
from django.conf import settings

from pipeline.backends import is_language_model
from pipeline.backends.search_names import CORPUS, SOURCES, needs_corpus
from pipeline.backends.web.addresses import read_trusted, read_url
from pipeline.backends.web.errors import FetchError
from pipeline.engine.configuration import RunConfig
from pipeline.forms.runs import CorpusChoice, DatasetChoice
from pipeline.forms.uploads import SeveralFilesField, SeveralFilesInput
from pipeline.importing.corpus_files import SUFFIXES, read_file
from pipeline.importing.rows import RowError
from pipeline.models import Corpus, Dataset
from pipeline.rarr.errors import BadConfig
from pipeline.rarr.systems import NEEDS_LANGUAGE_MODEL, SYSTEMS
from rarrweb.accounts.models import User
from rarrweb.web.names import check_name

MOST_CHARACTERS = 20_000
"""Characters of a passage: limits the wait."""
MOST_SOURCE_CHARACTERS = 1_000_000
MOST_FILES = 20
MOST_ADDRESSES = 10
_BETWEEN_SOURCES = re.compile(r"^-{3,}[ \t]*$", re.MULTILINE)


class TrialForm(forms.Form):
    """Clean into the arguments of `lifecycle.start_trial`."""

    text = forms.CharField(
        label="Passage",
        max_length=MOST_CHARACTERS,
        widget=forms.Textarea(attrs={"rows": 6}),
        error_messages={"required": "Paste the text to revise."},
    )
    context = forms.CharField(
        label="Question or context",
        required=False,
        max_length=MOST_CHARACTERS,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text="What the passage answers, for example a question or the turns before it.",
    )
    where = forms.ChoiceField(label="Search in", choices=[], widget=forms.RadioSelect)
    corpus = CorpusChoice(
        Corpus.objects.none(), required=False, to_field_name="slug", empty_label="Choose a corpus"
    )
    sources = forms.CharField(
        label="Sources",
        required=False,
        max_length=MOST_SOURCE_CHARACTERS,
        widget=forms.Textarea(attrs={"rows": 8}),
        help_text="Put a line of three dashes (---) between two sources. A first line that starts "
        "with # is the title.",
    )
    files = SeveralFilesField(  # type: ignore[assignment]  # the form's `files` is an instance's
        label="Files",
        required=False,
        max_length=255,
        widget=SeveralFilesInput(attrs={"accept": ",".join(sorted(SUFFIXES))}),
        help_text=f".txt, .md or .html, at most {MOST_FILES} files of 2 MB together.",
    )
    addresses = forms.CharField(
        label="Web pages",
        required=False,
        max_length=20_000,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=f"One address a line, at most {MOST_ADDRESSES}. A worker reads the pages.",
    )
    system = forms.ChoiceField(choices=[], initial="rarr", required=False)

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        ready = Corpus.objects.visible_to(user).current().filter(state=Corpus.State.READY)
        corpus: Any = self.fields["corpus"]
        corpus.queryset = ready.order_by("name")
        searched = {}
        if needs_corpus(settings.RARR_SEARCH):
            newest = ready.order_by("-pk").values_list("slug", flat=True).first()
            if newest:
                is_alone = settings.RARR_SEARCH == CORPUS
                searched["corpus"] = "A corpus" if is_alone else "A corpus and the web"
                corpus.initial = newest
        elif settings.RARR_SEARCH != SOURCES:
            searched["web"] = "The web"
        if "corpus" not in searched:
            del self.fields["corpus"]
        searched["sources"] = "My own sources"
        self._choose("where", searched)
        self.fields["where"].initial = next(iter(searched))
        # This installation may not read the web.
        if settings.RARR_SEARCH in {CORPUS, SOURCES}:
            del self.fields["addresses"]
        writes = is_language_model(settings.RARR_LLM)
        self._choose(
            "system", {name: name for name in SYSTEMS if writes or name not in NEEDS_LANGUAGE_MODEL}
        )

    def _choose(self, name: str, choices: dict[str, str]) -> None:
        self.fields[name].choices = list(choices.items())  # type: ignore[attr-defined]  # a ChoiceField

    def clean_text(self) -> str:
        return _with_line_feeds(self.cleaned_data["text"])

    def clean_context(self) -> str:
        return _with_line_feeds(self.cleaned_data["context"])

    def clean_sources(self) -> list[dict[str, str]]:
        parts = _BETWEEN_SOURCES.split(_with_line_feeds(self.cleaned_data["sources"]))
        texts = filter(None, map(str.strip, parts))
        return [
            _document(f"source-{number}.txt", text.encode)
            for number, text in enumerate(texts, start=1)
        ]

    def clean_files(self) -> list[dict[str, str]]:
        files = self.cleaned_data["files"]
        if len(files) > MOST_FILES:
            raise forms.ValidationError(f"These are {len(files)} files: choose {MOST_FILES}.")
        for file in files:
            if not file.name.lower().endswith(tuple(SUFFIXES)):
                raise forms.ValidationError(f"{file.name} is no .txt, .md or .html file.")
        # Files of two folders may have the same name.
        return [
            _document(file.name, file.read) | {"id": f"{number}-{file.name}"}
            for number, file in enumerate(files, start=1)
        ]

    def clean_addresses(self) -> list[dict[str, str]]:
        lines = [line.strip() for line in self.cleaned_data["addresses"].splitlines()]
        addresses = list(dict.fromkeys(filter(None, lines)))
        if len(addresses) > MOST_ADDRESSES:
            raise forms.ValidationError(
                f"These are {len(addresses)} addresses: write at most {MOST_ADDRESSES}."
            )
        for address in addresses:
            try:
                read_url(address, trusted=read_trusted(settings.RARR_TRUSTED_HOSTS))
            except FetchError as error:
                raise forms.ValidationError(f"{address}: {error}") from None
        return [{"url": address} for address in addresses]

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        if self.errors:
            return cleaned
        sources = [*cleaned.pop("sources"), *cleaned.pop("files"), *cleaned.pop("addresses", [])]
        where = cleaned.pop("where")
        if where == "sources" and not sources:
            self.add_error("sources", "Paste a source, or choose a file to search in.")
        if where == "corpus" and not cleaned["corpus"]:
            self.add_error("corpus", "Choose a corpus to search in.")
        cleaned["sources"] = sources if where == "sources" else []
        cleaned["corpus"] = cleaned.get("corpus") if where == "corpus" else None
        try:
            cleaned["config"] = trial_config(
                cleaned.pop("system") or "rarr", has_sources=where == "sources"
            )
        except BadConfig as error:
            self.add_error(None, str(error))
        return cleaned


def trial_config(system: str = "rarr", *, has_sources: bool) -> RunConfig:
    overrides = {"search": SOURCES} if has_sources else {}
    return RunConfig.from_settings(system=system, overrides=overrides)


class KeepForm(forms.Form):
    """Clean into a dataset or the name of a new one."""

    dataset = DatasetChoice(
        Dataset.objects.none(), required=False, to_field_name="slug", empty_label="A new dataset"
    )
    name = forms.CharField(
        label="Name of the new dataset", max_length=200, required=False, validators=[check_name]
    )

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        datasets = Dataset.objects.visible_to(user).current().filter(is_complete=True)
        self.fields["dataset"].queryset = datasets.order_by("name")  # type: ignore[attr-defined]  # a ModelChoiceField

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        if not self.errors and not cleaned["dataset"] and not cleaned["name"]:
            self.add_error("name", "Write a name for the new dataset, or choose an existing one.")
        return cleaned


def _document(name: str, read: Callable[[], bytes]) -> dict[str, str]:
    row = read_file(name, read)
    if isinstance(row, RowError):
        raise forms.ValidationError(str(row))
    return {"id": row.external_id, **row.content}


def _with_line_feeds(text: str) -> str:
    """Replace the CRLF of browsers."""
    return text.replace("\r\n", "\n")
