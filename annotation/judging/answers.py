"""Recording what a rater says: absolute answers, kept by their sequence, never refused as late."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime

from django.db import transaction
from django.utils import timezone

from annotation.items.rater_demand import count_again
from annotation.items.slots import lock, renew
from annotation.judging import activity
from annotation.judging.activity import Visit
from annotation.models import Assignment, Campaign, Item, Judgment
from annotation.questionnaires import questionnaire_of
from annotation.questionnaires.types import Gap, Questionnaire
from annotation.raters import consent

COMMENT_LIMIT = 5_000


class CampaignClosed(Exception):
    """The campaign takes no more answers; those given before stay as they are."""

    why = "This campaign is closed, so nothing can be changed now. Everything saved before is kept."

    def __init__(self) -> None:
        super().__init__(self.why)


class AnswersShown(CampaignClosed):
    """A training item that was submitted: its rater has seen the right answers."""

    why = (
        "This training item is submitted and its rater has seen the right answers, "
        "so it stays as it is. It can be judged again in another try."
    )


class NotAgreed(CampaignClosed):
    """The rater declined the campaign's consent text or withdrew, so nothing of theirs is
    accepted."""

    why = (
        "You have not agreed to take part in this campaign, so nothing more is saved. "
        "To go on, agree on its consent page."
    )


class ItemSkipped(Exception):
    """An item that its rater skipped cannot be handed in."""

    def __init__(self) -> None:
        super().__init__("You skipped this item. Take the skip back first, then hand it in.")


class SubmissionIncomplete(Exception):
    """A save would leave a submitted item without a required answer; nothing is saved."""

    def __init__(self, gap: Gap) -> None:
        super().__init__(f"This item is submitted, so it needs every required answer. {gap.text}")


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
    guidelines: int | None = None
    """The version of the instructions on the rater's page."""


def judgments_of(assignment: Assignment) -> dict[tuple[str, int], Judgment]:
    """What the rater has said so far, by (criterion, target) and in that order. One query."""
    rows = Judgment.objects.filter(assignment=assignment).order_by("criterion", "target")
    return {(row.criterion, row.target): row for row in rows}


def answers_of(assignment: Assignment) -> dict[tuple[str, int], int | None]:
    """The same as levels: None where an answer was taken back."""
    return {key: row.value for key, row in judgments_of(assignment).items()}


def save_judgments(
    assignment: Assignment, answers: Iterable[Answer], *, visit: Visit | None = None
) -> list[Judgment]:
    """Record answers, all or none, and renew the lease; every answer of the assignment now.

    Each target keeps the answer with the greatest sequence, so an answer that is sent twice,
    or arrives after a later one, changes nothing. What follows from an answer
    (`Questionnaire.following`) is recorded with it. `visit` says from which page it comes and how
    long that was worked on. No save changes whether an item is submitted. Raises
    `UnknownCriterion`, `TargetOutOfRange`, `UnknownLevel`, `SubmissionIncomplete` or
    `CampaignClosed`.
    """
    answers = list(answers)
    with transaction.atomic():
        questionnaire = lock_open(assignment)
        for answer in answers:
            questionnaire.check(
                assignment.item,
                criterion=answer.criterion,
                target=answer.target,
                value=answer.value,
                text=answer.text,
            )
        answers += [
            replace(answer, criterion=follows[0], target=follows[1], value=follows[2], text="")
            for answer in answers
            if (
                follows := questionnaire.following(
                    assignment.item,
                    criterion=answer.criterion,
                    target=answer.target,
                    value=answer.value,
                )
            )
        ]
        held = judgments_of(assignment)
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
            _note_edit(assignment, (row.value, row.text), (answer.value, answer.text))
            row.value, row.sequence, row.updated_at = answer.value, answer.sequence, now
            row.text = answer.text
            row.guidelines_version = _version(assignment, answer.guidelines)
            row.save()
        _touch(assignment, visit)
        if assignment.submitted_at is not None:
            values = {key: row.value for key, row in held.items()}
            for gap in questionnaire.gaps(assignment.item, values):
                raise SubmissionIncomplete(gap)
        _store(assignment)
    return sorted(held.values(), key=lambda row: (row.criterion, row.target))


def save_comment(
    assignment: Assignment, *, text: str, sequence: int, visit: Visit | None = None
) -> None:
    """Record the comment under the same rules as an answer; raises as `save_judgments` does."""
    with transaction.atomic():
        lock_open(assignment)
        if sequence > assignment.comment_sequence:
            _note_edit(assignment, assignment.comment, text)
            assignment.comment = text
            assignment.comment_sequence = sequence
        _touch(assignment, visit)
        _store(assignment)


def submit(assignment: Assignment, *, now: datetime | None = None) -> list[Gap]:
    """Hand the item in; the required answers that are missing, and then it is not handed in.

    It is then submitted at `now`. Submitting twice changes nothing. Raises `CampaignClosed`, of
    which `AnswersShown` is one, and `ItemSkipped`.
    """
    with transaction.atomic():
        questionnaire = lock_open(assignment)
        if assignment.skipped_at is not None:
            raise ItemSkipped
        gaps = questionnaire.gaps(assignment.item, answers_of(assignment))
        _touch(assignment)
        if not gaps and assignment.submitted_at is None:
            assignment.submitted_at = now or timezone.now()
        _store(assignment)
    return gaps


def lock_open(assignment: Assignment) -> Questionnaire:
    """Lock the assignment for its rater's work, and read it afresh; its questionnaire.

    Raises `CampaignClosed`, of which `AnswersShown` and `NotAgreed` are two.
    """
    questionnaire = lock_for_researcher(assignment)
    if consent.is_refused(assignment.rater, assignment.item.campaign):
        raise NotAgreed
    return questionnaire


def lock_for_researcher(assignment: Assignment) -> Questionnaire:
    """As `lock_open`, whatever the rater answered to the consent text."""
    lock(assignment)
    campaign = assignment.item.campaign
    if assignment.purpose == Item.Use.TRAINING and assignment.submitted_at is not None:
        raise AnswersShown
    if campaign.state not in Campaign.OPEN:
        raise CampaignClosed
    return questionnaire_of(campaign)


def _version(assignment: Assignment, told: int | None) -> int | None:
    """The version of the instructions that a page says it had. A number is no reason to refuse
    an answer: one that there is not yet can only have been the newest."""
    newest = assignment.item.campaign.guidelines_version
    return None if told is None or not newest else min(told, newest)


def _note_edit(assignment: Assignment, before: object, after: object) -> None:
    """Record that what was handed in says something else now."""
    if assignment.submitted_at is not None and before != after:
        assignment.edited_at = timezone.now()


def _touch(assignment: Assignment, visit: Visit | None = None) -> None:
    """Renew the lease, and count the visit; work without a slot is kept and marked late.

    `_store` writes it. The assignment is locked, so its slot is its rater's as long as it is there.
    """
    holds = renew(assignment)
    if assignment.skipped_at is None:
        assignment.is_late = not holds
    if visit is not None:
        activity.note(assignment, visit)


def _store(assignment: Assignment) -> None:
    # Not the slot: `renew` has written it where it took one back.
    fields = ["lease_until", "submitted_at", "is_late", "comment", "comment_sequence", "edited_at"]
    assignment.save(update_fields=[*fields, *activity.FIELDS])
    if assignment.submitted_at is not None:
        count_again(assignment.item_id)
