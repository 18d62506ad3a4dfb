"""Right answers: which items train raters or check them, and what is right about each.

An item in use stands beside the campaign's others: raters who judge it for training or as a gold
item take none of its places, so it counts in no result. What was said about it before it came
into use, and what is said after it went out again, counts as ever.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from django.db import transaction
from django.db.models import QuerySet
from django.db.models.functions import Greatest
from django.utils import timezone

from annotation.adjudicating import open_case, settled_items
from annotation.counters import count_again
from annotation.counting import decisive
from annotation.models import Campaign, CheckSettings, Item, RightAnswer
from annotation.questionnaires import questionnaire_of
from annotation.questionnaires.types import Criterion
from rarrweb.accounts.models import User

WHY_LIMIT = 2_000

Target = tuple[str, int]
"""A criterion's name and the index of what is judged."""


class NoRightAnswer(ValueError):
    """An item cannot train or check anybody without a right answer."""

    def __init__(self) -> None:
        super().__init__("Give the right answer to at least one question of the item.")


class TakesNoRightAnswer(ValueError):
    """The questionnaire asks nothing of that name to which one answer could be right."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Right:
    """What is right about one target, and why."""

    value: int
    """A level of the criterion."""
    why: str = ""


def checkable(campaign: Campaign) -> list[Criterion]:
    """The questions that can have a right answer; none where raters only write."""
    return decisive(questionnaire_of(campaign))


def settings_of(campaign: Campaign) -> CheckSettings:
    """The campaign's settings, as they are or as they would begin."""
    return getattr(campaign, "checks", None) or CheckSettings(campaign_id=campaign.pk)


def copy_settings(campaign: Campaign, *, into: Campaign) -> None:
    """Train and check in `into` as strictly as in `campaign`; the right answers are not copied."""
    held = CheckSettings.objects.filter(campaign=campaign).first()
    if held is not None:
        held.pk = None
        held.campaign = into
        held.save(force_insert=True)


def in_use(campaign: Campaign) -> QuerySet[Item]:
    """The training items and gold items, in the campaign's order."""
    return campaign.items.exclude(use="").order_by("position")


def check_answers(item: Item, answers: Mapping[Target, Right]) -> None:
    """Raises `NoRightAnswer`, `TakesNoRightAnswer`, or what `Questionnaire.check` raises."""
    if not answers:
        raise NoRightAnswer
    questionnaire = questionnaire_of(item.campaign)
    names = [criterion.name for criterion in checkable(item.campaign)]
    for (criterion, target), right in answers.items():
        questionnaire.check(item, criterion=criterion, target=target, value=right.value)
        if criterion not in names:
            known = f"choose one of {', '.join(names)}" if names else "this campaign has none"
            raise TakesNoRightAnswer(f"{criterion!r} has no right answer: {known}.")


def use_item(item: Item, *, use: str, answers: Mapping[Target, Right], by: User | None) -> None:
    """Make `answers` the item's right ones, all of them, and use it as `use` says.

    Absolute and idempotent. Raises as `check_answers` does.
    """
    check_answers(item, answers)
    now = timezone.now()
    with transaction.atomic():
        CheckSettings.objects.get_or_create(campaign_id=item.campaign_id)
        Item.objects.select_for_update(of=("self",), no_key=True).get(pk=item.pk)
        held = {(row.criterion, row.target): row for row in item.right_answers.all()}
        for target in held.keys() - answers.keys():
            held[target].delete()
        for (criterion, target), right in answers.items():
            row = held.get((criterion, target))
            if row is not None and (row.value, row.why) == (right.value, right.why):
                continue
            RightAnswer.objects.update_or_create(
                item=item,
                criterion=criterion,
                target=target,
                defaults={
                    "value": right.value,
                    "why": right.why,
                    "given_by": by,
                    "updated_at": now,
                },
            )
        _set_use(item, use)


def withdraw(item: Item) -> None:
    """Take the item out of use: it waits for raters again. Its right answers are kept."""
    _set_use(item, "")


def use_again(item: Item, *, use: str) -> None:
    """Undo `withdraw`, or change what the item is for. Raises `NoRightAnswer`."""
    if not item.right_answers.exists():
        raise NoRightAnswer
    _set_use(item, use)


def answers_of(item: Item) -> dict[Target, Right]:
    """The right answers that the item has."""
    return {
        (row.criterion, row.target): Right(value=row.value, why=row.why)
        for row in item.right_answers.order_by("criterion", "target")
    }


def adjudicated(item: Item) -> dict[Target, Right]:
    """What adjudication says is right: settled answers, and those that two raters or more share."""
    case = open_case(item)
    found: dict[Target, Right] = {}
    for criterion in case.criteria:
        for target in range(criterion.target_count(item)):
            key = (criterion.name, target)
            settled = case.settled.get(key)
            said = [rater.answers[key] for rater in case.raters if key in rater.answers]
            if settled is not None:
                found[key] = Right(value=settled.value, why=settled.reason)
            elif len(said) > 1 and len(set(said)) == 1:
                found[key] = Right(value=said[0])
    return found


def adjudicated_items(campaign: Campaign) -> QuerySet[Item]:
    """Items with a settled answer that are not in use yet, in the campaign's order."""
    return settled_items(campaign).filter(use="")


def _set_use(item: Item, use: str) -> None:
    """An item in use waits for no rater; what it waited for comes back when it is out again."""
    with transaction.atomic():
        # Before it is counted again: an item out of use wants somebody, as the database asks.
        Item.objects.filter(pk=item.pk).update(use=use, wanted=Greatest("wanted", 1))
        counted = count_again(item.pk)
    item.use, item.wanted, item.done = use, counted.wanted, counted.done
