"""Adjudication of items on which raters differ."""

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from functools import reduce
from operator import or_
from typing import Any

from django.db import transaction
from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet
from django.utils import timezone
from django.utils.crypto import salted_hmac

from annotation.models import (
    Adjudication,
    AdjudicationOpening,
    Assignment,
    Campaign,
    Item,
    Judgment,
    Membership,
)
from annotation.models.campaigns import CampaignQuerySet
from annotation.questionnaires import questionnaire_of
from annotation.questionnaires.types import Criterion
from annotation.results.cached_figures import FigureCache, is_large
from annotation.results.labels import AnswerKey, most_frequent
from rarrweb.accounts.models import User

REASON_LIMIT = 2_000


class ConcurrentAdjudication(Exception):
    """Another adjudicator changed the item after the page was made; nothing is saved."""

    def __init__(self) -> None:
        super().__init__(
            "Somebody else has adjudicated this item since you opened it. The page now has their "
            "answers; yours were not saved. Change what you still disagree with and save again."
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class AdjudicatedAnswer:
    value: int
    """A level of the criterion."""
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Rater:
    """One rater's anonymous work on an item."""

    number: int
    """From 1, drawn for each item."""
    answers: Mapping[AnswerKey, int]
    comment: str
    guidelines: tuple[int, ...] = ()
    """The versions that the rater had."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AdjudicationItem:
    """An item for an adjudicator."""

    raters: tuple[Rater, ...]
    criteria: tuple[Criterion, ...]
    adjudicated: Mapping[AnswerKey, Adjudication]
    include_unanimous: bool = False

    def differs(self, target: AnswerKey) -> bool:
        return len({each.answers[target] for each in self.raters if target in each.answers}) > 1

    def is_open(self, target: AnswerKey) -> bool:
        """Return whether the target can be adjudicated, or again."""
        return (
            target in self.adjudicated
            or self.differs(target)
            or (self.include_unanimous and any(target in each.answers for each in self.raters))
        )

    def displayed_targets(self, item: Item) -> Iterator[tuple[Criterion, int]]:
        """The targets that are asked about or open, in the page's order.

        Excluded are those whose answer follows from an open one.
        """
        for criterion in self.criteria:
            required = criterion.required_targets(item)
            following = {*required} - {*criterion.displayed_targets(item)}
            following &= {
                citation["sentence"]
                for position, citation in enumerate(item.citations)
                if self.is_open((criterion.follows, position))
            }
            for target in range(criterion.target_count(item)):
                is_needed = target in required or self.is_open((criterion.name, target))
                if is_needed and target not in following:
                    yield criterion, target

    @property
    def seen(self) -> str:
        """A fingerprint of the adjudicated answers, for `ConcurrentAdjudication`."""
        return _fingerprint(self.adjudicated)


def adjudicated_by(user: User) -> CampaignQuerySet:
    """Select the campaigns that the user may adjudicate: if they rate one, once it is closed."""
    if user.is_researcher:
        return Campaign.objects.exclude(state=Campaign.State.DRAFT)
    mine = Membership.objects.filter(campaign=OuterRef("pk"), user_id=user.pk)
    return Campaign.objects.filter(
        ~Q(state=Campaign.State.DRAFT),
        Exists(mine.filter(role=Membership.Role.ADJUDICATOR)),
        Q(state=Campaign.State.CLOSED) | ~Exists(mine.filter(role=Membership.Role.ANNOTATOR)),
    )


def admit(item: Item, user: User) -> bool:
    """Return whether an adjudicator may see the item's answers, and record the opening.

    Researchers may open any item, others waiting and adjudicated ones. They cannot rate it then,
    and their work on it is released.
    """
    may_open = (
        user.is_researcher
        or waiting(item.campaign).filter(pk=item.pk).exists()
        or adjudicated_items(item.campaign).filter(pk=item.pk).exists()
    )
    if not may_open:
        return False
    now = timezone.now()
    opening = AdjudicationOpening(item=item, user=user, at=now)
    with transaction.atomic():
        # The lock of a claim, too.
        members = Membership.objects.filter(campaign=item.campaign_id, user=user)
        list(members.select_for_update(no_key=True))
        AdjudicationOpening.objects.bulk_create([opening], ignore_conflicts=True)  # of another tab
        begun = item.assignments.filter(rater=user, submitted_at=None, released_at=None)
        begun.exclude(purpose=Item.Use.TRAINING).update(
            slot=None, released_at=now, released_by=user, lease_until=now
        )
    return True


def waiting(campaign: Campaign) -> QuerySet[Item]:
    """Select items with an open target on which raters differ, in order."""
    return _waiting([campaign]).order_by("position")


def waiting_counts(campaigns: Sequence[Campaign], cache: FigureCache) -> dict[int, int | None]:
    """Count waiting items by campaign, where any; None if missing.

    One query for all small campaigns, four for each large one.
    """
    compared = [each for each in campaigns if criteria_of(each)]
    counts = {each.pk: cache.get(count_waiting, each) for each in compared if is_large(each)}
    if small := [each for each in compared if not is_large(each)]:
        rows = _waiting(small).values_list("campaign").annotate(Count("pk")).order_by()
        counts |= dict(rows)
    return counts


def _waiting(campaigns: Sequence[Campaign]) -> QuerySet[Item]:
    of_criteria: dict[tuple[str, ...], list[Campaign]] = defaultdict(list)
    for each in campaigns:
        of_criteria[tuple(criterion.name for criterion in criteria_of(each))].append(each)
    adjudicated = Adjudication.objects.filter(
        item=OuterRef("assignment__item"),
        criterion=OuterRef("criterion"),
        target=OuterRef("target"),
    )
    differing = (
        Judgment.objects.valid()
        .filter(~Exists(adjudicated), assignment__item=OuterRef("pk"))
        # One of two different values is lower.
        .paired_with_other_raters(judgments__value__gt=F("value"))
    )
    conditions = (
        Q(Exists(differing.filter(criterion__in=names)), campaign__in=those)
        for names, those in of_criteria.items()
    )
    return Item.objects.filter(reduce(or_, conditions))


def adjudicated_items(campaign: Campaign) -> QuerySet[Item]:
    adjudicated = Adjudication.objects.filter(item=OuterRef("pk"))
    return Item.objects.filter(Exists(adjudicated), campaign=campaign).order_by("position")


def _untouched(campaign: Campaign) -> QuerySet[Item]:
    touched = Adjudication.objects.filter(item=OuterRef("pk"))
    return waiting(campaign).exclude(Exists(touched))


def count_waiting(campaign: Campaign) -> int:
    return waiting(campaign).count()


def next_waiting(item: Item) -> Item | None:
    """The next waiting item after `item`; at the end, the first one."""
    others = waiting(item.campaign).exclude(pk=item.pk).only("pk", "position")
    return others.filter(position__gt=item.position).first() or others.first()


def criteria_of(campaign: Campaign) -> list[Criterion]:
    return questionnaire_of(campaign).decisive_criteria()


def open_case(item: Item, *, include_unanimous: bool = False) -> AdjudicationItem:
    """Read the item's adjudicated answers and those of submitted work that holds a slot.

    With `include_unanimous`, unanimous answers are open, too.
    """
    criteria = criteria_of(item.campaign)
    rows = (
        Judgment.objects.valid()
        .filter(assignment__item=item, criterion__in=[each.name for each in criteria])
        .values_list("assignment_id", "criterion", "target", "value", "guidelines_version")
    )
    answers: dict[int, dict[AnswerKey, int]] = defaultdict(dict)
    versions: dict[int, set[int]] = defaultdict(set)
    for assignment, criterion, target, value, version in rows:
        answers[assignment][criterion, target] = value  # type: ignore[assignment]  # valid leaves no None
        versions[assignment].update([version] if version else [])
    assignments = Assignment.objects.filter(pk__in=answers).order_by()
    comments = dict(assignments.values_list("pk", "comment"))
    # A fixed order for each item, so that numbers do not identify raters.
    salt = f"annotation.adjudicating.{item.pk}"
    shuffled = sorted(
        answers, key=lambda pk: salted_hmac(salt, str(pk), algorithm="sha256").hexdigest()
    )
    return AdjudicationItem(
        raters=tuple(
            Rater(
                number=number,
                answers=answers[assignment],
                comment=comments[assignment],
                guidelines=tuple(sorted(versions[assignment])),
            )
            for number, assignment in enumerate(shuffled, start=1)
        ),
        criteria=tuple(criteria),
        adjudicated=_adjudicated(item),
        include_unanimous=include_unanimous,
    )


def save_adjudication(
    item: Item,
    *,
    by: User | None,
    answers: Mapping[AnswerKey, AdjudicatedAnswer | None],
    seen: str,
) -> list[Adjudication]:
    """Save adjudicated answers, and those that follow from them; None withdraws one.

    Equal answers keep their adjudicator and time. `seen` is the page's `AdjudicationItem.seen`.
    Raises `ConcurrentAdjudication` and `InvalidAnswer`.
    """
    questionnaire = questionnaire_of(item.campaign)
    for (criterion, target), answer in answers.items():
        value = answer.value if answer else None
        questionnaire.check(item, criterion=criterion, target=target, value=value)
    with transaction.atomic():
        Item.objects.select_for_update(of=("self",), no_key=True).get(pk=item.pk)
        stored = _adjudicated(item)
        before = {
            target: AdjudicatedAnswer(value=row.value, reason=row.reason)
            for target, row in stored.items()
        }
        changed = {
            target: answer for target, answer in answers.items() if answer != before.get(target)
        }
        if not changed:
            return list(stored.values())
        if _fingerprint(stored) != seen:
            raise ConcurrentAdjudication
        implied: dict[AnswerKey, AdjudicatedAnswer | None] = {}
        for (criterion, target), answer in changed.items():
            implied_answer = questionnaire.implied_answer(
                item, criterion=criterion, target=target, value=answer.value if answer else None
            )
            if implied_answer:
                name, of, level = implied_answer
                implied[name, of] = None
                if answer and level is not None:
                    implied[name, of] = replace(answer, value=level)
        for (criterion, target), answer in {**implied, **changed}.items():
            where: dict[str, Any] = {"item": item, "criterion": criterion, "target": target}
            if answer is None:
                Adjudication.objects.filter(**where).delete()
                continue
            values = {**asdict(answer), "adjudicator": by, "updated_at": timezone.now()}
            Adjudication.objects.update_or_create(**where, defaults=values)
        return list(_adjudicated(item).values())


def _adjudicated(item: Item) -> dict[AnswerKey, Adjudication]:
    return Adjudication.objects.filter(item=item).by_target().get(item.pk, {})


def _fingerprint(adjudicated: Mapping[AnswerKey, Adjudication]) -> str:
    plain = sorted([*target, each.value, each.reason] for target, each in adjudicated.items())
    return hashlib.sha256(json.dumps(plain).encode()).hexdigest()[:32]


def single_dissents(campaign: Campaign) -> dict[int, dict[AnswerKey, int]]:
    """Map waiting items to majorities' answers, where all but one agree on each open target.

    Only items with three raters or more and without adjudicated answers.
    """
    rows = (
        Judgment.objects.valid()
        .filter(
            assignment__item__in=_untouched(campaign).order_by(),
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
