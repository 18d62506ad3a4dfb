"""The kinds of task: one file a kind, found by name in one table."""

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from django.utils.module_loading import import_string

from annotation.markdown import CleanHtml, render

if TYPE_CHECKING:
    from annotation.questionnaires.types import Questionnaire

QUESTIONNAIRES = {
    "attribution": "annotation.questionnaires.attribution.ATTRIBUTION",
    "intent": "annotation.questionnaires.intent.INTENT",
    "answer_quality": "annotation.questionnaires.answer_quality.ANSWER_QUALITY",
    "citation": "annotation.questionnaires.citation.CITATION",
    "manual_revision": "annotation.questionnaires.manual_revision.MANUAL_REVISION",
}

GUIDELINES = Path(__file__).parent / "guidelines"


class UnknownQuestionnaire(ValueError):
    """A campaign names a questionnaire that this version does not have."""


def load_questionnaire(name: str) -> "Questionnaire":
    """Raises `UnknownQuestionnaire`."""
    if name not in QUESTIONNAIRES:
        raise UnknownQuestionnaire(f"{name!r} is none of {sorted(QUESTIONNAIRES)}.")
    found: Questionnaire = import_string(QUESTIONNAIRES[name])
    return found


def guidelines_of(questionnaire: "Questionnaire") -> CleanHtml:
    """The questionnaire's instructions as HTML."""
    return _rendered(questionnaire.guidelines)


@cache
def _rendered(name: str) -> CleanHtml:
    return render((GUIDELINES / name).read_text(encoding="utf-8"))
