"""Training: new raters judge items with right answers and get feedback on each.

They get ordinary items once their share of right answers reaches the pass mark. Each attempt has
other items than the one before, whose answers were explained.
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
from annotation.questionnaires.types import Level
from rarrweb.accounts.models import User

MIN_ITEMS = 3
"""Training items of an attempt, if there are as many."""


class TrainingStatus(enum.StrEnum):
    """A rater's progress in training."""

    NONE = "none"
    GOING = "going"
    PASSED = "passed"
    FAILED = "failed"
    """Not passed; may try again."""
    STOPPED = "stopped"
    """Not passed, without attempts left: a researcher must act."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Training:
    status: TrainingStatus
    attempts: Sequence[TrainingAttempt]
    """Oldest first."""
    items: int
    done: int
    """Items submitted in the current attempt."""
    attempts_left: int

    @property
    def last(self) -> TrainingAttempt | None:
        return self.attempts[-1] if self.attempts else None

    @property
    def number(self) -> int:
        """That of the current attempt, from 1."""
        return self.last.number if self.last else 1


class NoAttemptLeft(Exception):
    """All attempts are used, or the last one is not finished."""

    def __init__(self) -> None:
        super().__init__(
            "No attempt is left, or no training item that was not just explained: the researcher "
            "can add training items, allow one more attempt, or let the rater continue."
        )


def training_of(campaign: Campaign, rater: User) -> Training:
    attempts = list(_attempts(campaign, rater))
    has_items = _items_for(campaign, rater).exists()
    items = _attempt_items(campaign, rater, attempts)
    assignments = _training_assignments(campaign, rater).filter(item__in=items)
    last = attempts[-1] if attempts else None
    left = max(0, settings_of(campaign).attempts - len(attempts))
    if last is not None and is_through(last):
        status = TrainingStatus.PASSED
    elif not has_items or (last is None and not _is_new(campaign, rater)):
        status = TrainingStatus.NONE
    elif last is None or last.finished_at is None:
        status = TrainingStatus.GOING
    else:
        status = TrainingStatus.FAILED if left and items else TrainingStatus.STOPPED
    return Training(
        status=status,
        attempts=attempts,
        items=len(items),
        done=assignments.count() - assignments.in_progress().count(),
        attempts_left=left,
    )


def is_through(last: TrainingAttempt) -> bool:
    """Return whether ordinary items follow this attempt."""
    return last.has_passed or last.waived_at is not None


def is_training(assignment: Assignment) -> bool:
    return assignment.purpose == Item.Use.TRAINING.value


def has_feedback(assignment: Assignment) -> bool:
    """Return whether the rater may see what is right: a submitted training item."""
    return is_training(assignment) and assignment.submitted_at is not None


def attempt_of(assignment: Assignment) -> dict[str, int] | None:
    """Count the attempt, from 1, and the training items of it and of those before.

    None, without a query, if it is no training.
    """
    if not is_training(assignment):
        return None
    campaign, rater = assignment.item.campaign, assignment.rater
    attempts = list(_attempts(campaign, rater))
    seen = _training_assignments(campaign, rater).values_list("item", flat=True)
    items = {*seen, *(each.pk for each in _attempt_items(campaign, rater, attempts))}
    return {"number": len(attempts) or 1, "item_count": len(items)}


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetFeedback:
    title: str
    text: str
    answer: Level | None
    """The rater's, if any."""
    right: Level
    why: str

    @property
    def is_right(self) -> bool:
        return self.answer is not None and self.answer.value == self.right.value


def feedback_of(assignment: Assignment) -> list[TargetFeedback]:
    """Feedback on every target with a right answer, in the page's order. Two queries."""
    item = assignment.item
    criteria = questionnaire_of(item.campaign).criteria
    answers = {(row.criterion, row.target): row.value for row in assignment.judgments.all()}
    rights = {(row.criterion, row.target): row for row in item.reference_answers.all()}
    several = len({name for name, _ in rights}) > 1
    feedback = []
    for criterion in criteria:
        for target in criterion.displayed_targets(item):
            key = (criterion.name, target)
            if key not in rights:
                continue
            value = answers.get(key)
            feedback.append(
                TargetFeedback(
                    title=criterion.target_title(target, named=several),
                    text=criterion.target_text(item, target),
                    answer=None if value is None else criterion.level(value),
                    right=criterion.level(rights[key].value),
                    why=rights[key].why,
                )
            )
    return feedback


def item_due(campaign: Campaign, rater: User) -> Item | None:
    """The next training item; None if ordinary items follow.

    Call this in the claim's transaction, with nothing in progress. The first item begins the first
    attempt.
    """
    attempts = list(_attempts(campaign, rater))
    if attempts and attempts[-1].finished_at is not None:
        return None
    items = _attempt_items(campaign, rater, attempts)
    if not items:
        return None
    seen = set(_training_assignments(campaign, rater).values_list("item", flat=True))
    waiting = next((each for each in items if each.pk not in seen), None)
    if not attempts:
        if waiting is None or not _is_new(campaign, rater):
            return None
        TrainingAttempt.objects.create(
            campaign=campaign, rater=rater, number=1, started_at=timezone.now()
        )
    return waiting


def finish_if_complete(campaign: Campaign, rater: User) -> TrainingAttempt | None:
    """Finish and score a completed attempt; skipped and released items are unanswered."""
    going = _attempts(campaign, rater).filter(finished_at=None)
    if not going.exists():  # mostly so, and needs no lock
        return None
    with transaction.atomic():
        last = going.select_for_update(no_key=True).last()
        items = _attempt_items(campaign, rater, list(_attempts(campaign, rater)))
        assignments = _training_assignments(campaign, rater).filter(item__in=items)
        is_going = assignments.in_progress().exists() or assignments.count() < len(items)
        if last is None or is_going or not assignments:
            return None
        last.answers = _compare(campaign, assignments)
        last.right = sum(each["answer"] == each["right"] for each in last.answers)
        last.judged = len(last.answers)
        last.has_passed = 100 * last.right >= settings_of(campaign).pass_percent * last.judged
        last.finished_at = timezone.now()
        last.save()
    return last


def try_again(campaign: Campaign, rater: User, *, by: User | None = None) -> TrainingAttempt:
    """Begin another attempt, an additional one if `by` a researcher; raises `NoAttemptLeft`."""
    with transaction.atomic():
        # As a claim does: two fast clicks begin one attempt.
        members = Membership.objects.filter(campaign=campaign, user=rater)
        list(members.select_for_update(no_key=True))
        now = training_of(campaign, rater)
        if now.status != TrainingStatus.FAILED and not (
            by and now.status == TrainingStatus.STOPPED
        ):
            raise NoAttemptLeft
        items = _attempt_items(campaign, rater, now.attempts)
        if not items:
            raise NoAttemptLeft
        assignments = _training_assignments(campaign, rater).filter(item__in=items)
        # Not deleted: an open page must not restore an old answer.
        Judgment.objects.filter(assignment__in=assignments).update(
            value=None, text="", sequence=F("sequence") + 1, updated_at=timezone.now()
        )
        assignments.update(submitted_at=None, skipped_at=None, released_at=None, is_late=False)
        return TrainingAttempt.objects.create(
            campaign=campaign, rater=rater, number=now.number + 1, started_at=timezone.now()
        )


def waive_training(campaign: Campaign, rater: User, *, by: User) -> bool:
    """Waive the pass; False if that changes nothing."""
    last = _attempts(campaign, rater).last()
    if last is None or last.finished_at is None or is_through(last):
        return False
    last.waived_at, last.waived_by = timezone.now(), by
    last.save(update_fields=["waived_at", "waived_by"])
    return True


def stopped(rater: User, campaigns: Sequence[Campaign]) -> dict[int, TrainingStatus]:
    """Map campaign ids to status, where the rater needs a pass or a waiver."""
    attempts = TrainingAttempt.objects.filter(rater=rater, campaign__in=campaigns)
    last = {row.campaign_id: row for row in attempts.order_by("number")}
    statuses = {
        each.pk: training_of(each, rater).status
        for each in campaigns
        if each.pk in last and last[each.pk].finished_at and not is_through(last[each.pk])
    }
    blocking = {TrainingStatus.FAILED, TrainingStatus.STOPPED}
    return {campaign: status for campaign, status in statuses.items() if status in blocking}


def out_of_attempts(campaign: Campaign) -> QuerySet[TrainingAttempt]:
    """Get last attempts of raters who failed all."""
    later = TrainingAttempt.objects.filter(
        campaign=campaign, rater=OuterRef("rater"), number__gt=OuterRef("number")
    )
    attempts = settings_of(campaign).attempts
    count = campaign.items.filter(use=Item.Use.TRAINING).count()
    if items_per_attempt(count, attempts) == count:  # all were just explained
        attempts = 1
    return campaign.training_attempts.filter(
        ~Exists(later),
        finished_at__isnull=False,
        has_passed=False,
        waived_at=None,
        number__gte=attempts,
    )


def _attempts(campaign: Campaign, rater: User) -> QuerySet[TrainingAttempt]:
    return TrainingAttempt.objects.filter(campaign=campaign, rater=rater).order_by("number")


def _training_assignments(campaign: Campaign, rater: User) -> AssignmentQuerySet:
    return Assignment.objects.filter(
        item__campaign=campaign, rater=rater, purpose=Item.Use.TRAINING
    )


def _attempt_items(
    campaign: Campaign, rater: User, attempts: Sequence[TrainingAttempt]
) -> list[Item]:
    """The items of the current attempt, or of the next if the last one is finished.

    `items_per_attempt`, without those of the attempt before; first those never explained.
    """
    finished = [each for each in attempts if each.finished_at]
    explained = {answer["item"]: each.number for each in finished for answer in each.answers}
    just = finished[-1].number if finished else None
    items = list(_items_for(campaign, rater))
    share = items_per_attempt(len(items), settings_of(campaign).attempts)
    fresh = [each for each in items if just is None or explained.get(each.pk) != just]
    return sorted(fresh, key=lambda each: explained.get(each.pk, 0))[:share]


def items_per_attempt(items: int, attempts: int) -> int:
    """An equal share, of no fewer than `MIN_ITEMS`.

    >>> items_per_attempt(12, 3), items_per_attempt(5, 3), items_per_attempt(2, 3)
    (4, 3, 2)
    """
    return min(items, max(MIN_ITEMS, -(-items // attempts)))


def _items_for(campaign: Campaign, rater: User) -> QuerySet[Item]:
    """Training items that the rater did not get as ordinary ones."""
    otherwise = Assignment.objects.filter(rater=rater).exclude(purpose=Item.Use.TRAINING)
    return (
        campaign.items.filter(use=Item.Use.TRAINING)
        .exclude(pk__in=otherwise.filter(item__campaign=campaign).values("item"))
        .order_by("position")
    )


def _is_new(campaign: Campaign, rater: User) -> bool:
    others = Assignment.objects.filter(item__campaign=campaign, rater=rater)
    return not others.filter(~Q(purpose=Item.Use.TRAINING)).exists()


def _compare(campaign: Campaign, assignments: QuerySet[Assignment]) -> list[dict[str, object]]:
    """List the rater's and the right answer to every target with one, in order."""
    judgments = Judgment.objects.filter(
        assignment__in=assignments, assignment__submitted_at__isnull=False
    )
    columns = ("assignment__item", "criterion", "target", "value")
    answers = {tuple(key): value for *key, value in judgments.values_list(*columns)}
    items = Item.objects.filter(campaign=campaign, assignments__in=assignments).order_by("position")
    questionnaire = questionnaire_of(campaign)
    return [
        {
            "item": item.pk,
            "criterion": right.criterion,
            "target": right.target,
            "answer": answers.get((item.pk, right.criterion, right.target)),
            "right": right.value,
        }
        for item in items.prefetch_related("reference_answers")
        for right in item.reference_answers.all()
        if right.target in questionnaire.criterion(right.criterion).displayed_targets(item)
    ]
