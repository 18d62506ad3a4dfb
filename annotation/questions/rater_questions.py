"""Questions about items: a rater asks, researchers answer."""

import math
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet
from django.template.defaultfilters import pluralize
from django.utils import timezone

from annotation.models import Assignment, Campaign, RaterAnswer, RaterQuestion
from rarrweb.accounts.models import User
from rarrweb.web.rate_limit import seconds_to_wait

TEXT_LIMIT = 5_000

LIMIT = 8
"""Questions of a rater within `WINDOW`."""
WINDOW = timedelta(minutes=10)

SAME_TEXT = timedelta(minutes=5)
"""The same text within this time is one message, sent twice."""


class CannotAsk(ValueError):
    """A question or answer is refused."""


def ask(assignment: Assignment, *, text: str, sentence: int | None = None) -> RaterQuestion:
    """Ask about the assignment's item. Raises `CannotAsk`."""
    item, rater = assignment.item, assignment.rater
    text = _checked(text)
    if not item.campaign.is_open:
        raise CannotAsk("This campaign is closed, so no new question can be asked.")
    if sentence is not None and not 0 <= sentence < len(item.sentences):
        raise CannotAsk(
            f"There is no sentence {sentence + 1} in this item: choose one of the list."
        )
    with transaction.atomic():
        # Simultaneous questions must not pass the limit.
        User.objects.select_for_update(no_key=True).get(pk=rater.pk)
        now = timezone.now()
        again = RaterQuestion.objects.filter(
            item=item, rater=rater, sentence=sentence, text=text, created_at__gt=now - SAME_TEXT
        ).first()
        if again is not None:
            return again
        earlier = RaterQuestion.objects.filter(rater=rater)
        if wait := seconds_to_wait(earlier, LIMIT, window=WINDOW, field="created_at"):
            minutes = math.ceil(wait / 60)
            raise CannotAsk(
                f"You have asked {LIMIT} questions within {WINDOW.seconds // 60} minutes. Wait "
                f"{minutes} minute{pluralize(minutes)}, then send this one: it is still here."
            )
        return RaterQuestion.objects.create(
            campaign=item.campaign,
            item=item,
            sentence=sentence,
            rater=rater,
            created_at=now,
            text=text,
        )


def answer(question: RaterQuestion, *, by: User, text: str) -> RaterAnswer:
    """Add an answer. Raises `CannotAsk`."""
    text = _checked(text)
    with transaction.atomic():
        RaterQuestion.objects.select_for_update(of=("self",), no_key=True).get(pk=question.pk)
        now = timezone.now()
        again = question.answers.filter(author=by, text=text, written_at__gt=now - SAME_TEXT)
        return again.first() or question.answers.create(author=by, text=text, written_at=now)


def mark_read(user: User, questions: Sequence[RaterQuestion]) -> None:
    """Record that the rater has seen the fetched answers."""
    for question in questions:
        last = max((each.pk for each in question.answers.all()), default=0)
        if question.rater_id == user.pk and last > question.read_through:
            question.read_through = last
            question.save(update_fields=["read_through"])


def news(user: User) -> list[Any]:
    """Return slug and name of campaigns, with the user's `new` and `waiting` questions.

    New ones have an unread answer, waiting ones none; these are for researchers.
    """
    is_news = Q(rater_id=user.pk, is_new=True)
    waits = Q(is_answered=False) if user.is_researcher else Q(pk__in=[])
    answers = RaterAnswer.objects.filter(question=OuterRef("pk"))
    rows = (
        RaterQuestion.objects.visible_to(user)
        .with_news()
        .annotate(is_answered=Exists(answers))
        .filter(is_news | waits)
        .order_by("campaign__name", "campaign_id")
        .values(slug=F("campaign__slug"), name=F("campaign__name"))
        .annotate(new=Count("pk", filter=is_news), waiting=Count("pk", filter=waits))
    )
    return list(rows)


def comments(campaign: Campaign) -> QuerySet[Assignment]:
    """Return the assignments with comments, newest first."""
    written = Assignment.objects.filter(item__campaign=campaign).exclude(comment="")
    return written.select_related("item", "rater").order_by("-claimed_at", "-pk")


def _checked(text: str) -> str:
    text = text.replace("\x00", "").replace("\r\n", "\n").strip()
    if not text:
        raise CannotAsk("The message is empty: write what you want to know or say.")
    if len(text) > TEXT_LIMIT:
        raise CannotAsk(f"The message has {len(text):,} characters: shorten it to {TEXT_LIMIT:,}.")
    return text
