"""The kinds of task: one file a kind, found by name in one table."""

from typing import TYPE_CHECKING

from django.utils.module_loading import import_string

if TYPE_CHECKING:
    from annotation.questionnaires.types import Questionnaire

QUESTIONNAIRES = {"attribution": "annotation.questionnaires.attribution.ATTRIBUTION"}


class UnknownQuestionnaire(ValueError):
    """A campaign names a questionnaire that this version does not have."""


def load_questionnaire(name: str) -> "Questionnaire":
    """Raises `UnknownQuestionnaire`."""
    if name not in QUESTIONNAIRES:
        raise UnknownQuestionnaire(f"{name!r} is none of {sorted(QUESTIONNAIRES)}.")
    found: Questionnaire = import_string(QUESTIONNAIRES[name])
    return found
