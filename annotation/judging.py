"""Recording what a rater says: absolute answers, kept by their sequence, never refused as late."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.db import transaction
from django.utils import timezone

from annotation.assigning import hold
from annotation.models import Assignment, Campaign, Judgment
from annotation.questionnaires import load_questionnaire
from annotation.questionnaires.types import Gap, Questionnaire

COMMENT_LIMIT = 5_000


class CampaignClosed(Exception):
    """The campaign takes no more answers; those given before stay as they are."""

    def __init__(self) -> None:
        super().__init__(
            "This campaign is closed, so nothing can be changed now. "
            "Everything saved before is kept."
        )


class CommentTooLong(ValueError):
    """A comment is longer than `COMMENT_LIMIT` characters."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One answer as it came in: the whole new state of one target, with its place in time."""

    criterion: str
    target: int
    value: int | None
    """One of the criterion's levels; None takes an earlier answer back."""
    sequence: int
    text: str = ""
    """What the rater wrote, where the criterion asks for a text."""


def answers_of(assignment: Assignment) -> dict[tuple[str, int], int | None]:
    """What the rater has said so far: (criterion, target) to value."""
    return {(row.criterion, row.target): row.value for row in assignment.judgments.all()}


def save_judgments(assignment: Assignment, answers: Iterable[Answer]) -> list[Judgment]:
    """Record answers, all or none, and renew the lease; every answer of the assignment now.

    Each target keeps the answer with the greatest sequence, so an answer that is sent twice,
    or arrives after a later one, changes nothing. Raises `UnknownCriterion`,
    `TargetOutOfRange`, `UnknownLevel` or `CampaignClosed`.
    """
    answers = list(answers)
    with transaction.atomic():
        questionnaire = _open(assignment)
        for answer in answers:
            questionnaire.check(
                assignment.item,
                criterion=answer.criterion,
                target=answer.target,
                value=answer.value,
                text=answer.text,
            )
        held = {(row.criterion, row.target): row for row in assignment.judgments.all()}
        now = timezone.now()
        for answer in answers:
            row = held.get((answer.criterion, answer.target))
            if row is None:
                row = Judgment(
                    assignment=assignment, criterion=answer.criterion, target=answer.target
                )
                held[answer.criterion, answer.target] = row
            elif row.sequence >= answer.sequence:
                continue
            row.value, row.sequence, row.updated_at = answer.value, answer.sequence, now
            # NUL cannot be stored by PostgreSQL, and says nothing.
            row.text = answer.text.replace("\x00", "")
            row.save()
        _touch(assignment)
        if assignment.submitted_at is not None and questionnaire.gaps(
            assignment.item, {key: row.value for key, row in held.items()}
        ):
            # An item with a required answer taken back is a draft again.
            assignment.submitted_at = None
        _store(assignment)
    return sorted(held.values(), key=lambda row: (row.criterion, row.target))


def save_comment(assignment: Assignment, *, text: str, sequence: int) -> None:
    """Record the comment under the same rules as an answer; raises as `save_judgments` does.

    Raises `CommentTooLong` too.
    """
    if len(text) > COMMENT_LIMIT:
        raise CommentTooLong(
            f"The comment has {len(text):,} characters: shorten it to {COMMENT_LIMIT:,}."
        )
    with transaction.atomic():
        _open(assignment)
        if sequence > assignment.comment_sequence:
            assignment.comment = text.replace("\x00", "")
            assignment.comment_sequence = sequence
        _touch(assignment)
        _store(assignment)


def submit(assignment: Assignment) -> list[Gap]:
    """Hand the item in; the required answers that are missing, and then it is not handed in.

    Submitting twice changes nothing. Raises `CampaignClosed`.
    """
    with transaction.atomic():
        questionnaire = _open(assignment)
        gaps = questionnaire.gaps(assignment.item, answers_of(assignment))
        _touch(assignment)
        if not gaps and assignment.submitted_at is None:
            assignment.submitted_at = timezone.now()
        _store(assignment)
    return gaps


def _open(assignment: Assignment) -> Questionnaire:
    """Lock the assignment, read it afresh, and refuse a closed campaign."""
    locked = (
        Assignment.objects.select_for_update(of=("self",), no_key=True)
        .select_related("item__campaign")
        .get(pk=assignment.pk)
    )
    for field in ("slot", "lease_until", "submitted_at", "is_late", "comment", "comment_sequence"):
        setattr(assignment, field, getattr(locked, field))
    assignment.item = locked.item
    campaign = locked.item.campaign
    if campaign.state != Campaign.State.OPEN:
        raise CampaignClosed
    return load_questionnaire(campaign.questionnaire)


def _touch(assignment: Assignment) -> None:
    """Renew the lease; work without a slot is kept and marked late."""
    assignment.is_late = not hold(assignment)


def _store(assignment: Assignment) -> None:
    # Neither slot nor lease: `hold` has written them, under its own conditions.
    assignment.save(update_fields=["submitted_at", "is_late", "comment", "comment_sequence"])
