"""Items on which all raters but one agree, adjudicated together."""

from collections.abc import Sequence
from datetime import datetime

from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone

from annotation.adjudication.cases import criteria_of, waiting
from annotation.models import Adjudication, Campaign, Judgment
from annotation.results.labels import AnswerKey, most_frequent
from rarrweb.accounts.models import User


def single_dissents(campaign: Campaign) -> dict[int, dict[AnswerKey, int]]:
    """Map waiting items to majorities' answers, where all but one agree on each open target.

    Only items with three raters or more and without adjudicated answers.
    """
    touched = Adjudication.objects.filter(item=OuterRef("pk"))
    rows = (
        Judgment.objects.valid()
        .filter(
            assignment__item__in=waiting(campaign).exclude(Exists(touched)).order_by(),
            criterion__in=[each.name for each in criteria_of(campaign)],
        )
        .values_list("assignment__item", "criterion", "target", "value")
        .order_by("assignment__item", "criterion", "target")
    )
    given: dict[int, dict[AnswerKey, list[int]]] = {}
    for item, criterion, target, value in rows.iterator():
        levels = given.setdefault(item, {}).setdefault((criterion, target), [])
        levels.append(value)  # type: ignore[arg-type]  # valid leaves no None
    leading = {
        item: {
            target: _all_but_one(levels)
            for target, levels in targets.items()
            if len(set(levels)) > 1
        }
        for item, targets in given.items()
    }
    return {item: levels for item, levels in leading.items() if None not in levels.values()}  # type: ignore[misc]  # no None


def _all_but_one(levels: Sequence[int]) -> int | None:
    """The level of all raters but one, if any.

    >>> _all_but_one([2, 0, 2]), _all_but_one([2, 0]), _all_but_one([2, 0, 1])
    (2, None, None)
    """
    level = most_frequent(levels)
    return level if level is not None and levels.count(level) == len(levels) - 1 else None


def count_single_dissents(campaign: Campaign) -> int:
    return len(single_dissents(campaign))


def accept_majority(campaign: Campaign, *, by: User) -> datetime:
    """Adjudicate all `single_dissents` by majority; return the time for `accepted_at`."""
    now = timezone.now()
    reason = "All raters but one gave this answer."
    Adjudication.objects.bulk_create(
        [
            Adjudication(
                item_id=item,
                criterion=criterion,
                target=target,
                value=value,
                reason=reason,
                adjudicator=by,
                updated_at=now,
            )
            for item, answers in single_dissents(campaign).items()
            for (criterion, target), value in answers.items()
        ],
        ignore_conflicts=True,  # adjudicated meanwhile
    )
    return now


def accepted_at(campaign: Campaign, *, by: User, when: datetime) -> QuerySet[Adjudication]:
    """The answers of that `accept_majority` that were not changed since."""
    return Adjudication.objects.filter(item__campaign=campaign, adjudicator=by, updated_at=when)
