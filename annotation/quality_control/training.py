"""Training: a new rater judges items with known right answers, and gets feedback on each.

Real items come once the rater has passed: once the share of right answers over all training
items reaches the campaign's pass mark. Somebody who has already judged in the campaign is not
new, and does not go back to training when training items are added later.
"""

import enum
from collections.abc import Sequence
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.utils import timezone

from annotation.models import Assignment, Campaign, Item, Judgment, Membership, TrainingAttempt
from annotation.models.assignments import AssignmentQuerySet
from annotation.quality_control.reference_answers import settings_of
from annotation.questionnaires import questionnaire_of
from rarrweb.accounts.models import User


class Stage(enum.StrEnum):
    """How far a rater is with the training."""

    NONE = "none"
    """The campaign does not train this rater."""
    GOING = "going"
    PASSED = "passed"
    FAILED = "failed"
    """Not passed, and may try again."""
    STOPPED = "stopped"
    """Not passed, and no try is left: only a researcher can let the rater go on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """One rater's training in one campaign."""

    stage: Stage
    attempts: Sequence[TrainingAttempt]
    """The first one first."""
    items: int
    """How many training items this rater gets."""
    done: int
    """How many of them are handed in, of the try that is going on."""
    attempts_left: int

    @property
    def last(self) -> TrainingAttempt | None:
        return self.attempts[-1] if self.attempts else None

    @property
    def number(self) -> int:
        """The try that is going on, from 1."""
        return self.last.number if self.last else 1


class NoAttemptLeft(Exception):
    """The rater has used every try, or the last one still goes on."""

    def __init__(self) -> None:
        super().__init__("There is no other try now. The researcher can give you one more.")


def standing(campaign: Campaign, rater: User) -> Standing:
    """Where the rater is with the campaign's training."""
    attempts = list(_attempts(campaign, rater))
    items = _items_for(campaign, rater)
    own = _own(campaign, rater).filter(item__in=items)
    total = items.count()
    last = attempts[-1] if attempts else None
    left = max(0, settings_of(campaign).attempts - len(attempts))
    if last is None:
        stage = Stage.GOING if total and _is_new(campaign, rater) else Stage.NONE
    elif is_through(last):
        stage = Stage.PASSED
    elif last.finished_at is None:
        stage = Stage.GOING if total else Stage.NONE
    elif not total:
        stage = Stage.NONE
    else:
        stage = Stage.FAILED if left else Stage.STOPPED
    return Standing(
        stage=stage,
        attempts=attempts,
        items=total,
        done=own.count() - own.in_progress().count(),
        attempts_left=left,
    )


def is_through(last: TrainingAttempt) -> bool:
    """Whether real items come after this try."""
    return last.has_passed or last.waived_at is not None


def is_training(assignment: Assignment) -> bool:
    return assignment.purpose == Item.Use.TRAINING.value


def is_told(assignment: Assignment) -> bool:
    """Whether the rater has handed this training item in, and so may see what is right."""
    return is_training(assignment) and assignment.submitted_at is not None


def of_task(assignment: Assignment) -> dict[str, int] | None:
    """The number of the try, from 1, and that of the training items; None, without a query, where
    the assignment does not train."""
    if not is_training(assignment):
        return None
    campaign = assignment.item.campaign
    return {
        "number": _attempts(campaign, assignment.rater).count() or 1,
        "items": _items_for(campaign, assignment.rater).count(),
    }


def item_due(campaign: Campaign, rater: User) -> Item | None:
    """The training item that the rater gets next; None if real items come.

    Call this inside the claim's transaction, when the rater has nothing in hand. The first item
    begins the first try.
    """
    last = _attempts(campaign, rater).last()
    if last is not None and last.finished_at is not None:
        return None
    items = _items_for(campaign, rater)
    waiting = items.exclude(pk__in=_own(campaign, rater).values("item")).first()
    if last is None:
        if waiting is None or not _is_new(campaign, rater):
            return None
        TrainingAttempt.objects.create(
            campaign=campaign, rater=rater, number=1, started_at=timezone.now()
        )
    return waiting


def finish_if_complete(campaign: Campaign, rater: User) -> TrainingAttempt | None:
    """Finish and score the current try once none of its items is left; None while one is.

    A training item that was skipped or released counts as left without an answer.
    """
    going = _attempts(campaign, rater).filter(finished_at=None)
    if not going.exists():  # as at nearly every claim, which so waits for no lock
        return None
    with transaction.atomic():
        last = going.select_for_update(no_key=True).last()
        if last is None:
            return None
        items = _items_for(campaign, rater)
        own = _own(campaign, rater).filter(item__in=items)
        if not own or own.in_progress().exists() or own.count() < items.count():
            return None
        last.answers = _said(campaign, own)
        last.right = sum(each["said"] == each["right"] for each in last.answers)
        last.judged = len(last.answers)
        last.has_passed = 100 * last.right >= settings_of(campaign).pass_percent * last.judged
        last.finished_at = timezone.now()
        last.save()
    return last


def try_again(campaign: Campaign, rater: User, *, by: User | None = None) -> TrainingAttempt:
    """Begin another try with empty pages; the try before keeps what was said in it.

    `by` is the researcher who allows one beyond the campaign's number. Raises `NoAttemptLeft`.
    """
    with transaction.atomic():
        # One at a time for one person, as a claim: two fast clicks begin one try.
        members = Membership.objects.filter(campaign=campaign, user=rater)
        list(members.select_for_update(no_key=True))
        now = standing(campaign, rater)
        if now.stage != Stage.FAILED and not (by and now.stage == Stage.STOPPED):
            raise NoAttemptLeft
        own = _own(campaign, rater)
        # Taken back, not deleted: a page that is still open must not bring back an old answer.
        Judgment.objects.filter(assignment__in=own).update(
            value=None, text="", sequence=F("sequence") + 1, updated_at=timezone.now()
        )
        own.update(submitted_at=None, skipped_at=None, released_at=None, is_late=False)
        return TrainingAttempt.objects.create(
            campaign=campaign, rater=rater, number=now.number + 1, started_at=timezone.now()
        )


def let_through(campaign: Campaign, rater: User, *, by: User) -> bool:
    """Give the rater real items without a pass; False if that changes nothing."""
    last = _attempts(campaign, rater).last()
    if last is None or last.finished_at is None or is_through(last):
        return False
    last.waived_at, last.waived_by = timezone.now(), by
    last.save(update_fields=["waived_at", "waived_by"])
    return True


def stopped(rater: User, campaigns: Sequence[Campaign]) -> dict[int, Stage]:
    """Campaigns, by id, that give the rater no items until they pass or are let through."""
    lasts = {
        row.campaign_id: row
        for row in TrainingAttempt.objects.filter(rater=rater, campaign__in=campaigns).order_by(
            "number"
        )
    }
    found: dict[int, Stage] = {}
    for campaign in campaigns:
        last = lasts.get(campaign.pk)
        if last is not None and last.finished_at is not None and not is_through(last):
            stage = standing(campaign, rater).stage
            if stage in {Stage.FAILED, Stage.STOPPED}:
                found[campaign.pk] = stage
    return found


def out_of_attempts(campaign: Campaign) -> QuerySet[TrainingAttempt]:
    """The last attempts of raters who have not passed and have used every try."""
    later = TrainingAttempt.objects.filter(
        campaign=campaign, rater=OuterRef("rater"), number__gt=OuterRef("number")
    )
    return campaign.training_attempts.filter(
        ~Exists(later),
        finished_at__isnull=False,
        has_passed=False,
        waived_at=None,
        number__gte=settings_of(campaign).attempts,
    )


def _attempts(campaign: Campaign, rater: User) -> QuerySet[TrainingAttempt]:
    return TrainingAttempt.objects.filter(campaign=campaign, rater=rater).order_by("number")


def _own(campaign: Campaign, rater: User) -> AssignmentQuerySet:
    return Assignment.objects.filter(
        item__campaign=campaign, rater=rater, purpose=Item.Use.TRAINING
    )


def _items_for(campaign: Campaign, rater: User) -> QuerySet[Item]:
    """The training items, without those that the rater got as ordinary items."""
    otherwise = Assignment.objects.filter(rater=rater).exclude(purpose=Item.Use.TRAINING)
    return (
        campaign.items.filter(use=Item.Use.TRAINING)
        .exclude(pk__in=otherwise.filter(item__campaign=campaign).values("item"))
        .order_by("position")
    )


def _is_new(campaign: Campaign, rater: User) -> bool:
    others = Assignment.objects.filter(item__campaign=campaign, rater=rater)
    return not others.filter(~Q(purpose=Item.Use.TRAINING)).exists()


def _said(campaign: Campaign, own: QuerySet[Assignment]) -> list[dict[str, object]]:
    """The rater's and the right answer to every target that has one, in the items' order."""
    said = {
        (item, criterion, target): value
        for item, criterion, target, value in Judgment.objects.filter(
            assignment__in=own, assignment__submitted_at__isnull=False
        ).values_list("assignment__item", "criterion", "target", "value")
    }
    items = Item.objects.filter(campaign=campaign, assignments__in=own).order_by("position")
    questionnaire = questionnaire_of(campaign)
    return [
        {
            "item": item.pk,
            "criterion": right.criterion,
            "target": right.target,
            "said": said.get((item.pk, right.criterion, right.target)),
            "right": right.value,
        }
        for item in items.prefetch_related("reference_answers")
        for right in item.reference_answers.all()
        if right.target in questionnaire.criterion(right.criterion).shown(item)
    ]
