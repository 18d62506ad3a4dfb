"""The site's language: which catalogues of translations there are for it."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import django.conf
from django.core import checks
from django.utils.translation import to_locale

OF_DJANGO = Path(django.conf.__file__).parent / "locale"


def catalogues(language: str, folders: Sequence[Path], *, domain: str = "django") -> list[Path]:
    """The compiled catalogues in `folders` of a language, or of the one that it is a kind of."""
    names = dict.fromkeys([to_locale(language), to_locale(language.partition("-")[0])])
    files = [folder / name / "LC_MESSAGES" / f"{domain}.mo" for folder in folders for name in names]
    return [file for file in files if file.is_file()]


def is_known(language: str, folders: Sequence[Path]) -> bool:
    """Whether Django can start in a language: it does not where nobody has translated anything."""
    return bool(catalogues(language, [*folders, OF_DJANGO]))


def check(**_values: Any) -> list[checks.CheckMessage]:
    """Whether there are texts in the site's language; English needs no translation."""
    language = django.conf.settings.LANGUAGE_CODE
    if language.partition("-")[0] == "en" or catalogues(
        language, django.conf.settings.LOCALE_PATHS
    ):
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
