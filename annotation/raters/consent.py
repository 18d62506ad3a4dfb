"""Raters' consent, by versions of the campaign's text.

Nobody gets an item without consent to the newest version. Versions and answers are append-only.
"""

from collections.abc import Iterable
from pathlib import Path

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone

from annotation.items.rater_demand import count_again
from annotation.models import (
    Assignment,
    Campaign,
    ConsentAnswer,
    ConsentText,
    Item,
    TrainingAttempt,
)
from annotation.raters.memberships import free_slots, leave, lock_work
from rarrweb.accounts import audit
from rarrweb.accounts.models import User
from rarrweb.web.listing import count_of

TEXT_LIMIT = 20_000
DRAFT = Path(__file__).with_name("consent_draft.md")
"""A template for researchers."""

Answer = ConsentAnswer.Answer


class TextChanged(Exception):
    """The rater has read an older version; nothing is recorded."""

    def __init__(self) -> None:
        super().__init__(
            "The text has changed since you opened the page. Read it as it is now, and answer then."
        )


class NothingToWithdraw(Exception):
    """The rater has not agreed to anything in this campaign."""


def current_text(campaign: Campaign) -> ConsentText | None:
    newest = campaign.consent_texts.order_by("-version").first()
    return newest if newest is not None and newest.text else None


def publish(campaign: Campaign, *, text: str, withdrawal: str, by: User) -> ConsentText | None:
    """Add a version, which raters are asked from now on; empty `text` asks for nothing.

    Returns None if nothing has changed.
    """
    text = text.strip()
    with transaction.atomic():
        Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
        newest = campaign.consent_texts.order_by("-version").first() or ConsentText(version=0)
        if newest.text == text and (newest.withdrawal == withdrawal or not text):
            return None
        made = ConsentText.objects.create(
            campaign=campaign,
            version=newest.version + 1,
            text=text,
            withdrawal=withdrawal,
            created_by=by,
        )
        audit.record("consent-changed", campaign, by=by, version=made.version)
        return made


def copy_text(campaign: Campaign, *, into: Campaign, by: User) -> None:
    text = current_text(campaign)
    if text is not None:
        publish(into, text=text.text, withdrawal=text.withdrawal, by=by)


def missing_in(user: User, campaigns: Iterable[Campaign]) -> set[int]:
    """Return the ids of the campaigns that lack the user's consent. Two queries at most."""
    texts = ConsentText.objects.filter(campaign__in=[each.pk for each in campaigns])
    newest = {text.campaign_id: text for text in texts.order_by("version")}
    required = {text.pk: campaign for campaign, text in newest.items() if text.text}
    if not required:
        return set()
    answers = ConsentAnswer.objects.filter(text__in=required, rater=user).order_by("pk")
    last = dict(answers.values_list("text", "answer"))
    return {campaign for text, campaign in required.items() if last.get(text) != Answer.AGREED}


def is_missing(user: User, campaign: Campaign) -> bool:
    return bool(missing_in(user, [campaign]))


def answered_by(user: User) -> QuerySet[Campaign]:
    """Campaigns in which the user has answered, also former ones."""
    answers = ConsentAnswer.objects.filter(text__campaign=OuterRef("pk"), rater_id=user.pk)
    return Campaign.objects.filter(Exists(answers))


def last_answer(user: User, campaign: Campaign) -> ConsentAnswer | None:
    """Return the user's last answer to any version."""
    return _answers(user, campaign).last()


def _answers(user: User, campaign: Campaign) -> QuerySet[ConsentAnswer]:
    answers = ConsentAnswer.objects.filter(rater_id=user.pk, text__campaign=campaign)
    return answers.select_related("text")


def agreement(user: User, campaign: Campaign) -> ConsentAnswer | None:
    """Return the user's consent unless it is withdrawn.

    Declining a newer text does not end it.
    """
    last = _answers(user, campaign).exclude(answer=Answer.DECLINED).last()
    return last if last is not None and last.answer == Answer.AGREED else None


def is_refused(user: User, campaign: Campaign) -> bool:
    """Return whether the user declined or withdrew, and has not agreed since.

    Without an answer to a new text, users may finish the item in progress.
    """
    last = last_answer(user, campaign)
    if last is None or last.answer == Answer.AGREED:
        return False
    return current_text(campaign) is not None


def answer(text: ConsentText, *, user: User, answer: str) -> ConsentAnswer:
    """Record the answer to `text`; the same answer twice is recorded once.

    Declining frees the user's slots. Raises `TextChanged` if there is a newer version.
    """
    with transaction.atomic():
        Campaign.objects.select_for_update(no_key=True).get(pk=text.campaign_id)
        newest = ConsentText.objects.filter(campaign=text.campaign_id).latest("version")
        if newest.pk != text.pk:
            raise TextChanged
        last = ConsentAnswer.objects.filter(text=text, rater_id=user.pk).last()
        if last is not None and last.answer == answer:
            return last
        if answer == Answer.DECLINED:
            # Locked, so that a submission is before the answer or refused.
            lock_work(user, text.campaign)
            free_slots(campaign=text.campaign_id, rater=user.pk)
        return ConsentAnswer.objects.create(text=text, rater=user, answer=answer, at=timezone.now())


def withdraw(user: User, campaign: Campaign) -> ConsentText:
    """Withdraw consent, treat the work as the text promised, and end the membership.

    Raises `NothingToWithdraw`.
    """
    with transaction.atomic():
        Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
        last = agreement(user, campaign)
        if last is None:
            raise NothingToWithdraw
        lock_work(user, campaign)
        if last.text.withdrawal == ConsentText.Withdrawal.DELETE:
            erase_work(user, campaign)
        ConsentAnswer.objects.create(
            text=last.text, rater=user, answer=Answer.WITHDRAWN, at=timezone.now()
        )
        leave(user, campaign)
    return last.text


def versions(campaign: Campaign) -> QuerySet[ConsentText]:
    """Return all versions, newest first, with counts of raters' last answers."""
    later = ConsentAnswer.objects.filter(
        text=OuterRef("text"), rater=OuterRef("rater"), pk__gt=OuterRef("pk")
    )
    last = ConsentAnswer.objects.filter(~Exists(later))
    counted = {value: count_of(last.filter(answer=value), "text") for value in Answer.values}
    return campaign.consent_texts.order_by("-version").annotate(**counted)


def erase_work(user: User, campaign: Campaign) -> None:
    """Delete the user's judgments, training answers and questions; free the slots.

    Results of training and pauses stay, so that joining again does not reset them. Needs a
    transaction.
    """
    assignments = lock_work(user, campaign)
    submitted = [each for each in assignments if each.submitted_at]
    Assignment.objects.filter(pk__in=[each.pk for each in assignments]).delete()
    attempts = TrainingAttempt.objects.filter(rater_id=user.pk, campaign=campaign)
    attempts.update(answers=[])
    if any(each.purpose == Item.Use.TRAINING for each in submitted):
        # They have seen reference answers, so this attempt cannot go on.
        attempts.filter(finished_at=None).update(finished_at=timezone.now())
    campaign.rater_questions.filter(rater_id=user.pk).delete()
    for item in sorted(each.item_id for each in submitted):
        count_again(item)
