"""The site's language: which catalogues of translations there are for it."""

import gettext
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import django.conf
from django.core import checks
from django.utils.translation import to_locale

OF_DJANGO = Path(django.conf.__file__).parent / "locale"


def has_texts(language: str, folders: Sequence[Path]) -> bool:
    """Whether a folder has a catalogue of a language, or of the language it is a variant of."""
    return any(gettext.find("django", str(folder), [to_locale(language)]) for folder in folders)


def is_known(language: str, folders: Sequence[Path]) -> bool:
    """Whether Django can start in a language: it does not where nobody has translated anything."""
    return has_texts(language, [*folders, OF_DJANGO])


def check(**_values: Any) -> list[checks.CheckMessage]:
    """Whether there are texts in the site's language; English needs no translation."""
    language = django.conf.settings.LANGUAGE_CODE
    if language.partition("-")[0] == "en" or has_texts(language, django.conf.settings.LOCALE_PATHS):
        return []
    return [
        checks.Warning(
            f"RARR_LANGUAGE={language}: there is no translation into it, so the pages stay in "
            "English.",
            hint=f"Make one with `manage.py makemessages -l {to_locale(language)}`, as "
            "docs/translating.md says.",
            id="rarrweb.W001",
        )
    ]
