"""What the judging pages show of a questionnaire."""

from collections.abc import Sequence

from django import template

from annotation.figures import campaign_figures
from annotation.markdown import CleanHtml
from annotation.models import Campaign
from annotation.questionnaires import guidelines_of
from annotation.questionnaires.types import Questionnaire

register = template.Library()


@register.simple_tag
def guidelines(questionnaire: Questionnaire) -> CleanHtml:
    """The instructions, from Markdown."""
    return guidelines_of(questionnaire)


@register.inclusion_tag("annotation/_figures.html")
def figures_of(campaign: Campaign) -> dict[str, object]:
    """The figures of a campaign that does not ask about attribution; nothing for one that does."""
    return {"figures": campaign_figures(campaign)}


@register.filter
def split_keys(keys: str) -> Sequence[str]:
    """The keys of one line of the keyboard map, each to be shown as a key of its own."""
    return keys.split(" ")
