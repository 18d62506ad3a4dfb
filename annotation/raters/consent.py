"""Consent: what a campaign's raters are asked to agree to, version by version.

Without an "I agree" to the newest version nobody gets an item to judge. Versions and answers are
only ever added, so that it can always be told who agreed to which words, and when.
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
from rarrweb.web.subqueries import count_of

TEXT_LIMIT = 20_000
DRAFT = Path(__file__).with_name("consent_draft.md")
"""A first text to change: what such pages tell, in our words."""

Answer = ConsentAnswer.Answer


class TextChanged(Exception):
    """The text is no longer the one that the rater has read; nothing is recorded."""

    def __init__(self) -> None:
        super().__init__(
            "The text has changed since you opened the page. Read it as it is now, and answer then."
        )


class NothingToWithdraw(Exception):
    """The rater has not agreed to anything in this campaign."""


def current_text(campaign: Campaign) -> ConsentText | None:
    """What raters are asked to agree to; None where nothing is asked."""
    newest = campaign.consent_texts.order_by("-version").first()
    return newest if newest is not None and newest.text else None


def publish(campaign: Campaign, *, text: str, withdrawal: str, by: User) -> ConsentText | None:
    """A new version, which every rater is asked from now on; an empty `text` asks nothing.

    Where neither the words nor what a withdrawal does have changed there is no new version: None.
    """
    text = text.strip()
    with transaction.atomic():
        Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
        newest = campaign.consent_texts.order_by("-version").first()
        if newest is None and not text:
            return None
        if (
            newest is not None
            and newest.text == text
            and (newest.withdrawal == withdrawal or not text)
        ):
            return None
        made = ConsentText.objects.create(
            campaign=campaign,
            version=1 if newest is None else newest.version + 1,
            text=text,
            withdrawal=withdrawal,
            created_by=by,
        )
        audit.record("consent-changed", campaign, by=by, version=made.version)
        return made


def copy_text(campaign: Campaign, *, into: Campaign, by: User) -> None:
    """Let a copy of a campaign ask for the same; nobody has agreed to it there yet."""
    text = current_text(campaign)
    if text is not None:
        publish(into, text=text.text, withdrawal=text.withdrawal, by=by)


def unanswered(user: User, campaigns: Iterable[Campaign]) -> set[int]:
    """The ids of those of `campaigns` that wait for the user's "I agree". One query where none of
    them asks for consent, else two."""
    texts = ConsentText.objects.filter(campaign__in=[each.pk for each in campaigns])
    newest = {text.campaign_id: text for text in texts.order_by("version")}
    asked = {text.pk: campaign for campaign, text in newest.items() if text.text}
    if not asked:
        return set()
    answers = ConsentAnswer.objects.filter(text__in=asked, rater=user).order_by("pk")
    last = dict(answers.values_list("text", "answer"))
    return {campaign for text, campaign in asked.items() if last.get(text) != Answer.AGREED}


def is_missing(user: User, campaign: Campaign) -> bool:
    """Whether the user may not see an item of the campaign yet."""
    return bool(unanswered(user, [campaign]))


def answered_by(user: User) -> QuerySet[Campaign]:
    """The campaigns that the user was asked in and answered, also those they have left."""
    own = ConsentAnswer.objects.filter(text__campaign=OuterRef("pk"), rater_id=user.pk)
    return Campaign.objects.filter(Exists(own))


def last_answer(user: User, campaign: Campaign) -> ConsentAnswer | None:
    """What the user answered last, to whichever version."""
    return (
        ConsentAnswer.objects.filter(rater_id=user.pk, text__campaign=campaign)
        .select_related("text")
        .last()
    )


def agreement(user: User, campaign: Campaign) -> ConsentAnswer | None:
    """The user's last "I agree", which they can withdraw; None where they have, or never agreed.

    Declining a newer text does not end it: what its text promised still holds.
    """
    last = (
        ConsentAnswer.objects.filter(rater_id=user.pk, text__campaign=campaign)
        .exclude(answer=Answer.DECLINED)
        .select_related("text")
        .last()
    )
    return last if last is not None and last.answer == Answer.AGREED else None


def is_refused(user: User, campaign: Campaign) -> bool:
    """Whether the user declined or withdrew and has not agreed since, so that no work of theirs
    may be accepted. Users who have not answered a new text yet may finish the item in hand."""
    last = last_answer(user, campaign)
    if last is None or last.answer == Answer.AGREED:
        return False
    return current_text(campaign) is not None


def answer(text: ConsentText, *, user: User, answer: str) -> ConsentAnswer:
    """Record the answer to `text`; the same answer twice is recorded once.

    Declining frees the slots of the user's unsubmitted items. Raises `TextChanged` where
    a newer version is asked by now.
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
            # Locked: what is submitted at this moment is submitted before the answer or refused.
            lock_work(user, text.campaign)
            free_slots(campaign=text.campaign_id, rater=user.pk)
        return ConsentAnswer.objects.create(text=text, rater=user, answer=answer, at=timezone.now())


def withdraw(user: User, campaign: Campaign) -> ConsentText:
    """Take the user's consent back, and do with their work what the text had promised.

    They are no rater of the campaign any more. Raises `NothingToWithdraw`.
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
    """Every version, newest first, with how many raters' last answer to it was which."""
    later = ConsentAnswer.objects.filter(
        text=OuterRef("text"), rater=OuterRef("rater"), pk__gt=OuterRef("pk")
    )
    held = ConsentAnswer.objects.filter(~Exists(later))
    counted = {value: count_of(held.filter(answer=value), "text") for value in Answer.values}
    return campaign.consent_texts.order_by("-version").annotate(**counted)


def erase_work(user: User, campaign: Campaign) -> None:
    """Delete what the user judged, also in training, and what they asked.

    Other raters can have the slots. The results of the training and the pauses stay, so that
    nobody gets rid of them by joining again. Call it inside a transaction.
    """
    own = lock_work(user, campaign)
    submitted = [each for each in own if each.submitted_at]
    Assignment.objects.filter(pk__in=[each.pk for each in own]).delete()
    attempts = TrainingAttempt.objects.filter(rater_id=user.pk, campaign=campaign)
    attempts.update(answers=[])
    if any(each.purpose == Item.Use.TRAINING for each in submitted):
        # They have seen right answers, so they do not begin the same try again.
        attempts.filter(finished_at=None).update(finished_at=timezone.now())
    campaign.rater_questions.filter(rater_id=user.pk).delete()
    for item in sorted(each.item_id for each in submitted):
        count_again(item)
