"""What the judging pages show of a questionnaire."""

from collections.abc import Sequence

from django import template

from annotation.markdown import CleanHtml
from annotation.questionnaires import guidelines_of
from annotation.questionnaires.types import Questionnaire

register = template.Library()


@register.simple_tag
def guidelines(questionnaire: Questionnaire) -> CleanHtml:
    """The instructions, from Markdown."""
    return guidelines_of(questionnaire)


@register.filter
def split_keys(keys: str) -> Sequence[str]:
    """The keys of one line of the keyboard map, each to be shown as a key of its own."""
    return keys.split(" ")
