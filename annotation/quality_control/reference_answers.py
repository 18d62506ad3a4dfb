"""Reference answers of the items that train or check raters.

An item in use gives no slots, so answers about it count in no result.
"""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import asdict, dataclass

from django.db import transaction
from django.db.models import OuterRef, QuerySet, Subquery
from django.db.models.functions import Greatest
from django.utils import timezone

from annotation.adjudication.cases import open_case
from annotation.items.rater_demand import count_again
from annotation.models import Campaign, CheckSettings, Item, Judgment, ReferenceAnswer
from annotation.questionnaires import questionnaire_of
from annotation.questionnaires.types import Criterion, InvalidAnswer
from annotation.results.labels import AnswerKey
from rarrweb.accounts.models import User


class NoReferenceAnswer(ValueError):
    """An item in use needs a right answer."""

    def __init__(self) -> None:
        super().__init__("Give the right answer to at least one question of the item.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Right:
    value: int
    """A level of the criterion."""
    why: str = ""


def checkable(campaign: Campaign) -> list[Criterion]:
    """The questions that can have a right answer."""
    return questionnaire_of(campaign).decisive_criteria()


def settings_of(campaign: Campaign) -> CheckSettings:
    """Get the settings, or unsaved defaults."""
    return getattr(campaign, "checks", None) or CheckSettings(campaign_id=campaign.pk)


def copy_settings(campaign: Campaign, *, into: Campaign) -> None:
    """Copy the settings, without right answers."""
    settings = CheckSettings.objects.filter(campaign=campaign).first()
    if settings is not None:
        settings.pk, settings.campaign = None, into
        settings.save(force_insert=True)


def in_use(campaign: Campaign) -> QuerySet[Item]:
    return campaign.items.exclude(use="").order_by("position")


def with_reference_answers(campaign: Campaign) -> QuerySet[Judgment]:
    """Select submitted answers about training and gold targets, with the `right` value."""
    right = ReferenceAnswer.objects.filter(
        item=OuterRef("assignment__item"),
        criterion=OuterRef("criterion"),
        target=OuterRef("target"),
    )
    return (
        Judgment.objects.filter(
            assignment__item__campaign=campaign,
            assignment__submitted_at__isnull=False,
            value__isnull=False,
        )
        .exclude(assignment__purpose="")
        .annotate(right=Subquery(right.values("value")[:1]))
        .filter(right__isnull=False)
    )


def use_item(item: Item, *, use: str, answers: Mapping[AnswerKey, Right], by: User | None) -> None:
    """Replace the item's right answers by `answers`, and use it for `use`.

    Idempotent. Raises `NoReferenceAnswer` and `InvalidAnswer`.
    """
    if not answers:
        raise NoReferenceAnswer
    questionnaire = questionnaire_of(item.campaign)
    names = [criterion.name for criterion in checkable(item.campaign)]
    for (criterion, target), right in answers.items():
        questionnaire.check(item, criterion=criterion, target=target, value=right.value)
        if criterion not in names:
            known = f"choose one of {', '.join(names)}" if names else "this campaign has none"
            raise InvalidAnswer(f"{criterion!r} has no right answer: {known}.")
    with transaction.atomic():
        CheckSettings.objects.get_or_create(campaign_id=item.campaign_id)
        Item.objects.select_for_update(of=("self",), no_key=True).get(pk=item.pk)
        stored = answers_of(item)
        for criterion, target in stored.keys() - answers.keys():
            item.reference_answers.filter(criterion=criterion, target=target).delete()
        for (criterion, target), right in answers.items():
            if right != stored.get((criterion, target)):
                item.reference_answers.update_or_create(
                    criterion=criterion,
                    target=target,
                    defaults={**asdict(right), "given_by": by, "updated_at": timezone.now()},
                )
        _set_use(item, use)


def withdraw(item: Item) -> None:
    """Return the item to raters; its right answers remain."""
    _set_use(item, "")


def use_again(item: Item, *, use: str) -> None:
    """Undo `withdraw`, or change what the item is for. Raises `NoReferenceAnswer`."""
    if not item.reference_answers.exists():
        raise NoReferenceAnswer
    _set_use(item, use)


def answers_of(item: Item) -> dict[AnswerKey, Right]:
    return {
        (row.criterion, row.target): Right(value=row.value, why=row.why)
        for row in item.reference_answers.order_by("criterion", "target")
    }


def adjudicated(item: Item) -> dict[AnswerKey, Right]:
    """Adjudicated answers, and those of several unanimous raters."""
    case = open_case(item)
    given: dict[AnswerKey, list[int]] = defaultdict(list)
    for rater in case.raters:
        for target, value in rater.answers.items():
            given[target].append(value)
    unanimous = {
        target: Right(value=values[0])
        for target, values in given.items()
        if len(values) > 1 and len({*values}) == 1
    }
    return unanimous | {
        target: Right(value=row.value, why=row.reason) for target, row in case.adjudicated.items()
    }


def _set_use(item: Item, use: str) -> None:
    with transaction.atomic():
        # First: a constraint requires an item that is not in use to want a rater.
        Item.objects.filter(pk=item.pk).update(use=use, wanted=Greatest("wanted", 1))
        counted = count_again(item.pk)
    item.use, item.wanted, item.done = use, counted.wanted, counted.done
