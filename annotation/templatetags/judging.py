"""Questionnaires on judging pages."""

from collections.abc import Sequence
from dataclasses import dataclass

from django import template
from django.utils.text import capfirst

from annotation.judging.item_page import Sentence
from annotation.models import Campaign
from annotation.questionnaires import load_questionnaire
from annotation.questionnaires.types import Level, Questionnaire, Rule

register = template.Library()


@register.filter
def what_raters_do(campaign: Campaign) -> str:
    return str(load_questionnaire(campaign.questionnaire).does)


@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceAnswer:
    """A button of the attribution page."""

    set: str
    """A level of `attributable`, "unclear", or "" for not judged."""
    words: str
    first: str
    rest: str
    """Label without the first word; for screen readers alone where space is scarce."""
    mark: str
    tone: str
    key: str


UNCLEAR = "unclear"
KEYS = {"1": "1", "0": "2", "2": "3", UNCLEAR: "4", "": "0"}
"""State to key, the same in every campaign."""


@register.simple_tag
def sentence_answers(questionnaire: Questionnaire) -> tuple[SentenceAnswer, ...]:
    """Return the buttons: whether it is clear first, then by key."""
    criterion = questionnaire.criterion("attributable")
    answers = [_answer(str(level.value), level) for level in criterion.levels]
    answers.sort(key=lambda answer: answer.key)
    if criterion.unless is not None:
        name, value = criterion.unless
        answers.insert(0, _answer(UNCLEAR, questionnaire.criterion(name).level(value)))
    nothing = Level(value=0, label=criterion.unset, mark="○", tone="unset")
    return (*answers, _answer("", nothing))


def _answer(state: str, level: Level) -> SentenceAnswer:
    words = level.label
    word = words.partition(" ")[0].rstrip(",")
    first = word if state else words  # "not judged" must not be taken for "not"
    return SentenceAnswer(
        set=state,
        words=words,
        first=capfirst(first),
        rest=words.removeprefix(first),
        mark=level.mark,
        tone=level.tone,
        key=KEYS[state],
    )


@register.filter
def sentence_state(sentence: Sentence) -> str:
    """Return the `SentenceAnswer.set` of the saved answers."""
    values = {question.criterion.name: question.value for question in sentence.questions}
    if values.get("interpretable") == 0:
        return UNCLEAR
    value = values.get("attributable")
    if value is None or ("interpretable" in values and values["interpretable"] is None):
        return ""
    return str(value)


@register.filter
def answered_sentences(sentences: Sequence[Sentence]) -> int:
    return sum(sentence_state(sentence) != "" for sentence in sentences)


@register.filter
def has_level(questionnaire: Questionnaire, value: str) -> bool:
    levels = questionnaire.criterion("attributable").levels
    return value in {str(level.value) for level in levels}


@register.filter
def split_keys(keys: str) -> Sequence[str]:
    return keys.split(" ")


@register.simple_tag
def rule_part(questionnaire: Questionnaire, rule: Rule) -> str:
    """Return the noun for a rule's targets: "sentence"."""
    return str(questionnaire.criterion(rule.criterion).noun)
