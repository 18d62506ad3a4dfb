"""The kinds of task."""

from pathlib import Path
from typing import TYPE_CHECKING

from django.utils.module_loading import import_string

if TYPE_CHECKING:
    from annotation.models import Campaign
    from annotation.questionnaires.types import Questionnaire

QUESTIONNAIRES = {
    "attribution": "annotation.questionnaires.attribution.ATTRIBUTION",
    "intent": "annotation.questionnaires.intent.INTENT",
    "answer_quality": "annotation.questionnaires.answer_quality.ANSWER_QUALITY",
    "citation": "annotation.questionnaires.citation.CITATION",
    "manual_revision": "annotation.questionnaires.manual_revision.MANUAL_REVISION",
}

GUIDELINES = Path(__file__).parent / "guidelines"


def load_questionnaire(name: str) -> "Questionnaire":
    """Raises `ValueError` for an unknown name."""
    if name not in QUESTIONNAIRES:
        raise ValueError(f"{name!r} is none of {sorted(QUESTIONNAIRES)}.")
    questionnaire: Questionnaire = import_string(QUESTIONNAIRES[name])
    return questionnaire


def questionnaire_of(campaign: "Campaign") -> "Questionnaire":
    """Return the questionnaire with the campaign's options."""
    return load_questionnaire(campaign.questionnaire).with_options(campaign.options)


def written_guidelines(questionnaire: "Questionnaire") -> str:
    """Return the instructions in Markdown, with those of options."""
    names = (f"{questionnaire.name}.md", *questionnaire.more_guidelines)
    return "\n\n".join((GUIDELINES / name).read_text(encoding="utf-8") for name in names)
