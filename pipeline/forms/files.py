"""File inputs that take one file or several."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile


class SeveralFilesInput(forms.FileInput):
    allow_multiple_selected = True


class SeveralFilesField(forms.FileField):
    """Cleans into a list of files, at least one where it is required; none may be empty."""

    widget = SeveralFilesInput

    def clean(self, data: Any, initial: Any = None) -> list[UploadedFile]:
        files: Sequence[Any] = data if isinstance(data, list | tuple) else [data]
        clean = super().clean
        return [file for file in (clean(each, initial) for each in files or [None]) if file]
