"""Questionnaires, checks, participation and reliability on pages."""

from collections.abc import Sequence
from dataclasses import dataclass

from django import template

from annotation.judging.item_page import Sentence, Snippet
from annotation.models import Campaign, Participant
from annotation.quality_control import claim_rules, training
from annotation.questionnaires import load_questionnaire
from annotation.questionnaires.types import Level, Questionnaire
from annotation.raters import consent
from rarrweb.accounts.models import User

register = template.Library()


@register.filter
def what_raters_do(campaign: Campaign) -> str:
    return str(load_questionnaire(campaign.questionnaire).does)


@register.filter
def number_of(noun: str, number: int) -> str:
    """Count targets by the noun of their criterion.

    >>> number_of("sentence", 1), number_of("evidence", 1800)
    ('1 sentence', '1,800 pieces of evidence')
    """
    one, many = noun, f"{noun}s"
    if noun == "evidence":
        one, many = "piece of evidence", "pieces of evidence"
    return f"{number:,} {one if number == 1 else many}"


@register.filter
def sentence_noun(campaign: Campaign) -> str:
    return load_questionnaire(campaign.questionnaire).sentence_noun


@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceAnswer:
    """A button of the attribution page."""

    set: str
    """A level of `attributable`, or "unclear"."""
    words: str
    mark: str
    tone: str
    key: str


UNCLEAR = "unclear"
KEYS = {"1": "1", "0": "2", "2": "3", UNCLEAR: "4"}
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
    return tuple(answers)


def _answer(state: str, level: Level) -> SentenceAnswer:
    return SentenceAnswer(
        set=state, words=level.label, mark=level.mark, tone=level.tone, key=KEYS[state]
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
def rated_snippets(snippets: Sequence[Snippet]) -> int:
    return sum(each.question is not None and each.question.value is not None for each in snippets)


@register.filter
def has_level(questionnaire: Questionnaire, value: str) -> bool:
    levels = questionnaire.criterion("attributable").levels
    return value in {str(level.value) for level in levels}


@register.filter
def split_keys(keys: str) -> Sequence[str]:
    return keys.split(" ")


WIDTH, HEIGHT, EDGE = 160, 40, 4


@register.filter
def line_points(shares: Sequence[float]) -> str:
    """Return the points of a line through the shares, for an SVG of `WIDTH` by `HEIGHT`.

    >>> line_points([0.0, 0.5, 1.0])
    '4,36 80,20 156,4'
    >>> line_points([1.0])
    '4,4 156,4'
    """
    points = list(shares) * 2 if len(shares) == 1 else list(shares)
    step = (WIDTH - 2 * EDGE) / (len(points) - 1)
    return " ".join(
        f"{_plain(EDGE + index * step)},{_plain(line_height(share))}"
        for index, share in enumerate(points)
    )


def line_height(share: float) -> float:
    """Return the distance from the top, where the share is 1.

    >>> line_height(1.0), line_height(0.25)
    (4.0, 28.0)
    """
    return round(HEIGHT - EDGE - share * (HEIGHT - 2 * EDGE), 2)


@register.filter
def percent_height(percent: int) -> float:
    return line_height(percent / 100)


def _plain(number: float) -> str:
    return f"{number:.1f}".removesuffix(".0")


@register.inclusion_tag("annotation/training/_card.html")
def training_of(campaign: Campaign, user: User) -> dict[str, object]:
    """Return the rater's progress in training; nothing if the campaign has none."""
    standing = training.training_of(campaign, user) if claim_rules.has_checks(campaign) else None
    return {"campaign": campaign, "standing": standing}


STOPPED = {
    state: label
    for state, label in Participant.State.choices
    if state not in {Participant.State.ACTIVE, Participant.State.COMPLETED}
}


@register.filter
def rater_state(rater: User) -> str:
    """Return "imported", or why a participant stopped; empty for others.

    No query if `rater` was selected with `participation`.
    """
    participant: Participant | None = getattr(rater, "participation", None)
    if participant is None:
        return "imported" if rater.is_imported else ""
    return STOPPED.get(participant.state, "")


@register.inclusion_tag("annotation/_agreement.html")
def consent_of(campaign: Campaign, user: User) -> dict[str, object]:
    """Return the user's consent, if any."""
    return {"campaign": campaign, "agreement": consent.agreement(user, campaign)}
