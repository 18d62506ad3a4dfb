"""Questions about items: a rater asks, researchers answer, close and publish."""

import math
from datetime import timedelta

from django.db import transaction
from django.utils import timezone
from django.utils.formats import number_format

from annotation.models import Assignment, Message, Thread, ThreadReading
from rarrweb.accounts.models import User
from rarrweb.rate_limit import seconds_to_wait

TEXT_LIMIT = 5_000

LIMIT = 8
"""Messages that one rater may write within `WINDOW`."""
WINDOW = timedelta(minutes=10)

SAME_MESSAGE = timedelta(minutes=5)
"""The same text again within this time is the same message, sent twice by a bad connection."""


class CannotAsk(ValueError):
    """A question or message is not taken; says why and what to do, in a sentence."""


class TooManyQuestions(CannotAsk):
    """A rater has written so much lately that the next one has to wait."""

    def __init__(self, *, seconds: int) -> None:
        minutes = math.ceil(seconds / 60)
        super().__init__(
            f"You have sent {LIMIT} messages within {WINDOW.seconds // 60} minutes. Wait {minutes} "
            f"{'minute' if minutes == 1 else 'minutes'}, then send this one: it is still here."
        )


def ask(assignment: Assignment, *, text: str, sentence: int | None = None) -> Thread:
    """A new thread about the assignment's item. Raises `CannotAsk`."""
    item = assignment.item
    text = _checked(text)
    if not item.campaign.is_open:
        raise CannotAsk("This campaign is closed, so no new question can be asked.")
    if sentence is not None and not 0 <= sentence < len(item.sentences):
        raise CannotAsk(
            f"There is no sentence {sentence + 1} in this item: choose one of the list."
        )
    rater = assignment.rater
    with transaction.atomic():
        _one_at_a_time(rater)
        again = Thread.objects.filter(
            item=item,
            asked_by=rater,
            sentence=sentence,
            asked_at__gt=timezone.now() - SAME_MESSAGE,
            messages__text=text,
        ).first()
        if again is not None:
            return again
        _check_pace(rater)
        now = timezone.now()
        thread = Thread.objects.create(
            campaign=item.campaign,
            item=item,
            sentence=sentence,
            asked_by=rater,
            asked_at=now,
            last_at=now,
        )
        _write(thread, author=rater, text=text)
    return thread


def reply(thread: Thread, *, by: User, text: str) -> Message:
    """A further message: the asker's, or a researcher's answer. Raises `CannotAsk`."""
    text = _checked(text)
    is_askers = thread.asked_by_id == by.pk
    with transaction.atomic():
        if is_askers:
            _one_at_a_time(by)
        locked = _locked(thread)
        last = locked.messages.last()
        if (
            last is not None
            and (last.author_id, last.text) == (by.pk, text)
            and last.written_at > timezone.now() - SAME_MESSAGE
        ):
            return last
        if locked.closed_at is not None:
            raise CannotAsk(
                "This question is closed, so nothing was added. Ask a new one from the item."
                if is_askers
                else "This question is closed, so nothing was added. Open it again first."
            )
        if is_askers:
            _check_pace(by)
        return _write(locked, author=by, text=text)


def take_back(thread: Thread, *, by: User, message_id: int) -> bool:
    """Remove one's own newest message; whether the whole thread went with it.

    Raises `CannotAsk` where somebody has answered or read it, or it is published.
    """
    with transaction.atomic():
        locked = _locked(thread)
        last = locked.messages.last()
        if last is None or last.pk != message_id or last.author_id != by.pk:
            raise CannotAsk("Only your own newest message can be taken back.")
        if locked.published_through is not None and locked.published_through >= last.pk:
            raise CannotAsk("This message is published: hide it from the raters first.")
        seen = locked.readings.filter(read_through__gte=last.pk).exclude(user=by)
        if seen.exists():
            raise CannotAsk("Somebody has read it already: write another message instead.")
        last.delete()
        before = locked.messages.last()
        if before is None:
            locked.delete()
            return True
        locked.last_at, locked.waits = before.written_at, before.is_askers
        locked.save(update_fields=["last_at", "waits"])
    return False


def close(thread: Thread) -> None:
    """Nothing more is due; neither side can write until it is opened again."""
    Thread.objects.filter(pk=thread.pk, closed_at=None).update(closed_at=timezone.now())


def reopen(thread: Thread) -> None:
    Thread.objects.filter(pk=thread.pk).update(closed_at=None)


def publish(thread: Thread) -> None:
    """Let every rater of the campaign read it as it stands now, without the asker's name."""
    with transaction.atomic():
        locked = _locked(thread)
        last = locked.messages.last()
        if last is not None:
            locked.published_through = last.pk
            locked.save(update_fields=["published_through"])


def hide(thread: Thread) -> None:
    """Only the asker and researchers read it again."""
    Thread.objects.filter(pk=thread.pk).update(published_through=None)


def _checked(text: str) -> str:
    text = text.replace("\x00", "").replace("\r\n", "\n").strip()
    if not text:
        raise CannotAsk("The message is empty: write what you want to know or say.")
    if len(text) > TEXT_LIMIT:
        raise CannotAsk(
            f"The message has {number_format(len(text), force_grouping=True)} "
            "characters: shorten it to "
            f"{number_format(TEXT_LIMIT, force_grouping=True)}."
        )
    return text


def _one_at_a_time(user: User) -> None:
    """Many messages at the same moment must not slip past the limit."""
    User.objects.select_for_update(no_key=True).get(pk=user.pk)


def _check_pace(user: User) -> None:
    own = Message.objects.filter(author=user, is_askers=True)
    wait = seconds_to_wait(own, LIMIT, window=WINDOW, field="written_at")
    if wait:
        raise TooManyQuestions(seconds=wait)


def _locked(thread: Thread) -> Thread:
    return Thread.objects.select_for_update(of=("self",), no_key=True).get(pk=thread.pk)


def _write(thread: Thread, *, author: User, text: str) -> Message:
    now = timezone.now()
    is_askers = thread.asked_by_id == author.pk
    message = Message.objects.create(
        thread=thread, author=author, is_askers=is_askers, text=text, written_at=now
    )
    thread.last_at, thread.waits = now, is_askers
    thread.save(update_fields=["last_at", "waits"])
    ThreadReading.objects.update_or_create(
        user=author, thread=thread, defaults={"read_through": message.pk}
    )
    return message
