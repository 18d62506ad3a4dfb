"""The time that raters take for an item."""

from collections import defaultdict
from statistics import median

from django.db.models.functions import Length

from annotation.models import Assignment
from annotation.questionnaires import QUESTIONNAIRES, load_questionnaire
from annotation.questionnaires.types import Questionnaire

MIN_PACE_ITEMS = 10
"""Submitted items that a pace needs."""
MAX_PACE_ITEMS = 500
"""Latest items that `measured_paces` uses, of all questionnaires together."""
SENTENCE_LENGTH = 100
"""Characters of a typical sentence."""
MINUTE = 60


def units_of(questionnaire: Questionnaire, characters: float) -> float:
    """Estimate the number of sentences to judge: 1 if the item is judged as a whole."""
    return 1 if questionnaire.judges_whole_item else max(characters / SENTENCE_LENGTH, 1)


def measured_paces() -> dict[str, float]:
    """Return questionnaire → median seconds per unit (`units_of`), in one query."""
    latest = (
        Assignment.objects.submitted()
        .filter(purpose="", active_ms__gt=0)  # neither training nor gold
        .order_by("-submitted_at")
        .values_list("campaign__questionnaire", "active_ms", Length("item__text"))[:MAX_PACE_ITEMS]
    )
    seconds: dict[str, list[float]] = defaultdict(list)
    for name, active_ms, characters in latest:
        if name in QUESTIONNAIRES:
            units = units_of(load_questionnaire(name), characters)
            seconds[name].append(active_ms / 1000 / units)
    return {name: median(each) for name, each in seconds.items() if len(each) >= MIN_PACE_ITEMS}


def in_words(seconds: float) -> str:
    """Round a time to words such as "25 min", as it is an estimate.

    >>> in_words(20), in_words(8 * 60), in_words(23 * 60), in_words(68 * 60), in_words(21_000)
    ('1 min', '8 min', '25 min', '1 h 10 min', '6 h')
    """
    minutes = max(round(seconds / MINUTE), 1)
    if minutes < 10:
        return f"{minutes} min"
    if minutes < 57:  # from there on it would be "60 min"
        return f"{5 * round(minutes / 5)} min"
    if minutes < 5 * MINUTE:
        hours, rest = divmod(10 * round(minutes / 10), MINUTE)
        if rest:
            return f"{hours} h {rest} min"
        return f"{hours} h"
    return f"{round(minutes / MINUTE)} h"
