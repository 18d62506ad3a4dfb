"""Save and submit a rater's answers, in whichever order requests arrive.

Answers of a rater who lost the slot are saved too, but late (`Assignment.is_late`), and not
counted.
"""

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
"""Characters."""


class ChangeRefused(Exception):
    """The assignment takes no changes now; `why` tells the rater."""

    why: str

    def __init__(self) -> None:
        super().__init__(self.why)


class CampaignClosed(ChangeRefused):
    """The campaign takes no more answers."""

    why = "This campaign is closed, so nothing can be changed now. Everything saved before is kept."


class TrainingSubmitted(ChangeRefused):
    """The rater of a submitted training item has seen the right answers."""

    why = (
        "This training item is submitted and its rater has seen the right answers, "
        "so it stays as it is. It can be judged again in another try."
    )


class NotAgreed(ChangeRefused):
    """The rater declined the consent text or withdrew."""

    why = (
        "You have not agreed to take part in this campaign, so nothing more is saved. "
        "To go on, agree on its consent page."
    )


class ItemSkipped(Exception):
    """A skipped item cannot be submitted."""

    def __init__(self) -> None:
        super().__init__("You skipped this item. Undo the skip first, then submit it.")


class WouldBeIncomplete(Exception):
    """The change would take a required answer from a submitted item, so nothing is saved."""

    def __init__(self, gap: Gap) -> None:
        super().__init__(f"This item is submitted, so it needs every required answer. {gap.text}")


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerUpdate:
    """The new answer to one criterion about one target."""

    criterion: str
    target: int
    value: int | None
    """One of the criterion's levels; None takes an earlier answer back."""
    sequence: int
    """A number that the page raises with each change; the greatest wins."""
    text: str = ""
    """For criteria that are answered by a text."""
    guidelines_version: int | None = None
    """Of the instructions on the rater's page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Comment:
    """The new state of the comment."""

    text: str
    sequence: int


def judgments_of(assignment: Assignment) -> dict[tuple[str, int], Judgment]:
    """The judgments by (criterion, target), in that order. One query."""
    rows = Judgment.objects.filter(assignment=assignment).order_by("criterion", "target")
    return {(row.criterion, row.target): row for row in rows}


def answers_of(assignment: Assignment) -> dict[tuple[str, int], int | None]:
    """The values by (criterion, target); None for an answer that was taken back."""
    return {key: row.value for key, row in judgments_of(assignment).items()}


def save_judgments(
    assignment: Assignment,
    answers: Iterable[AnswerUpdate],
    *,
    comment: Comment | None = None,
    visit: Visit | None = None,
) -> list[Judgment]:
    """Save all or nothing, renew the lease, and return every judgment of the assignment.

    Each answer, and the comment, keep the state with the greatest sequence, so requests may be
    repeated and reordered. An answer that also answers another question (`Criterion.follows`) is
    saved for both. Raises `InvalidAnswer`, `WouldBeIncomplete` and `ChangeRefused`.
    """
    now = timezone.now()
    is_edited = False
    with transaction.atomic():
        questionnaire = lock_for_change(assignment)
        item = assignment.item
        newest_version = item.campaign.guidelines_version
        judgments = judgments_of(assignment)
        for answer in _with_implied(questionnaire, item, answers):
            key = (answer.criterion, answer.target)
            row = judgments.get(key) or Judgment(
                assignment=assignment, criterion=answer.criterion, target=answer.target
            )
            if row.sequence >= answer.sequence:
                continue
            is_edited |= (row.value, row.text) != (answer.value, answer.text)
            row.value, row.text = answer.value, answer.text
            row.sequence, row.updated_at = answer.sequence, now
            # No later version than exists, whatever the page sent.
            row.guidelines_version = min(answer.guidelines_version or 0, newest_version) or None
            row.save()
            judgments[key] = row
        if comment is not None and comment.sequence > assignment.comment_sequence:
            is_edited |= comment.text != assignment.comment
            assignment.comment, assignment.comment_sequence = comment.text, comment.sequence
        if assignment.submitted_at is not None:
            values = {key: row.value for key, row in judgments.items()}
            gaps = questionnaire.gaps(item, values)
            if gaps:
                raise WouldBeIncomplete(gaps[0])
            if is_edited:
                assignment.edited_at = now
        _store(assignment, visit)
    return sorted(judgments.values(), key=lambda row: (row.criterion, row.target))


def submit(assignment: Assignment, *, now: datetime | None = None) -> list[Gap]:
    """Submit the item unless required answers are missing, and return those.

    An item submitted before keeps its time of submission. Raises `ChangeRefused`, `ItemSkipped`.
    """
    with transaction.atomic():
        questionnaire = lock_for_change(assignment)
        if assignment.skipped_at is not None:
            raise ItemSkipped
        gaps = questionnaire.gaps(assignment.item, answers_of(assignment))
        if not gaps and assignment.submitted_at is None:
            assignment.submitted_at = now or timezone.now()
        _store(assignment)
    return gaps


def lock_for_change(assignment: Assignment, *, by_rater: bool = True) -> Questionnaire:
    """Lock and reload the assignment if it may be changed, and return its questionnaire.

    `by_rater`: the rater makes the change, and so must still be one and not have refused consent.
    Raises `ChangeRefused` and `Http404`.
    """
    lock(assignment, by_rater=by_rater)
    campaign = assignment.item.campaign
    if assignment.purpose == Item.Use.TRAINING and assignment.submitted_at is not None:
        raise TrainingSubmitted
    if campaign.state not in Campaign.OPEN:
        raise CampaignClosed
    if by_rater and consent.is_refused(assignment.rater, campaign):
        raise NotAgreed
    return questionnaire_of(campaign)


def _with_implied(
    questionnaire: Questionnaire, item: Item, answers: Iterable[AnswerUpdate]
) -> Iterable[AnswerUpdate]:
    """Check each answer, and yield it and the one that it implies, if any."""
    for answer in answers:
        questionnaire.check(
            item,
            criterion=answer.criterion,
            target=answer.target,
            value=answer.value,
            text=answer.text,
        )
        yield answer
        implied = questionnaire.implied_answer(
            item, criterion=answer.criterion, target=answer.target, value=answer.value
        )
        if implied is not None:
            criterion, target, value = implied
            yield replace(answer, criterion=criterion, target=target, value=value, text="")


def _store(assignment: Assignment, visit: Visit | None = None) -> None:
    """Renew the lease and save. Work that lost its slot becomes late (`renew`)."""
    is_held = renew(assignment)
    if assignment.skipped_at is None:
        assignment.is_late = not is_held
    if visit is not None:
        activity.apply_visit(assignment, visit)
    # `renew` has saved `slot`.
    fields = ["lease_until", "submitted_at", "is_late", "comment", "comment_sequence", "edited_at"]
    assignment.save(update_fields=[*fields, *activity.FIELDS])
    if assignment.submitted_at is not None:
        count_again(assignment.item_id)
