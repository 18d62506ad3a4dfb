"""Questions about items: a rater asks, researchers answer, and what may be read by whom."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import NamedTuple

from django.db import transaction
from django.db.models import Case, Exists, F, OuterRef, Q, QuerySet, When
from django.utils import timezone

from annotation.models import Assignment, Campaign, Item, Message, Thread, ThreadReading
from rarrweb.accounts.models import User
from rarrweb.prepared import Prepared

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
            f"You have sent {LIMIT} messages within {WINDOW.seconds // 60} minutes. Wait "
            f"{minutes} minute{'' if minutes == 1 else 's'}, then send this one: it is still here."
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Talk:
    """A thread as one person may read it."""

    thread: Thread
    messages: tuple[Message, ...]
    is_own: bool
    """Whether this person asked it."""
    leads: bool
    """Whether this person may answer it, close it and publish it."""
    unread: int
    """Messages of others that this person has not seen."""
    sentence: str
    """The text of the sentence it is about; empty where it is about the whole item."""
    unpublished: int = 0
    """Of a published thread: messages that came later, which other raters do not see."""
    own_last: int | None = None
    """The id of the newest message where it is this person's own and not published: it can be
    taken back as long as nobody has read it."""

    @property
    def number(self) -> int | None:
        """The sentence it is about, from 1."""
        return None if self.thread.sentence is None else self.thread.sentence + 1

    @property
    def last(self) -> Message | None:
        return self.messages[-1] if self.messages else None

    @property
    def may_write(self) -> bool:
        return (self.is_own or self.leads) and self.thread.closed_at is None


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
                "This question is closed, so nothing was added. "
                + ("Ask a new one from the item." if is_askers else "Open it again first.")
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


def unread_by(user: User, threads: QuerySet[Thread]) -> QuerySet[Thread]:
    """Those of `threads` in which somebody else wrote something that the user has not read."""
    return threads.filter(Exists(_new_to(user, may_read_all=user.is_researcher)))


def _new_to(user: User, *, may_read_all: bool) -> QuerySet[Message]:
    """The messages of an outer thread that are new to the user, who may read them."""
    read = ThreadReading.objects.filter(
        user_id=user.pk, thread=OuterRef("thread"), read_through__gte=OuterRef("pk")
    )
    new = Message.objects.filter(~Exists(read), thread=OuterRef("pk")).exclude(author_id=user.pk)
    if may_read_all:
        return new
    return new.filter(Q(thread__asked_by_id=user.pk) | Q(pk__lte=F("thread__published_through")))


@dataclass(frozen=True, slots=True, kw_only=True)
class News:
    """What there is for a person to read or to answer in one campaign."""

    slug: str
    name: str
    new: int
    """Threads with something they have not read."""
    waiting: int
    """Threads that wait for an answer, for who may give one."""


def news(user: User) -> list[News]:
    """The campaigns whose questions have something for the user, by name."""
    threads = Thread.objects.visible_to(user).order_by("campaign__name", "campaign_id")
    is_new = Exists(_new_to(user, may_read_all=user.is_researcher))
    waits = Q(waits=True, closed_at=None) if user.is_researcher else Q(pk__in=[])
    rows = (
        threads.annotate(is_new=is_new, is_waiting=Case(When(waits, then=True), default=False))
        .filter(Q(is_new=True) | Q(is_waiting=True))
        .values_list("campaign__slug", "campaign__name", "is_new", "is_waiting")
    )
    found: dict[tuple[str, str], list[tuple[bool, bool]]] = {}
    for slug, name, new, waiting_too in rows:
        found.setdefault((slug, name), []).append((bool(new), bool(waiting_too)))
    return [
        News(
            slug=slug,
            name=name,
            new=sum(new for new, _ in marks),
            waiting=sum(waiting_too for _, waiting_too in marks),
        )
        for (slug, name), marks in found.items()
    ]


def waiting(threads: QuerySet[Thread]) -> QuerySet[Thread]:
    """Those that wait for a researcher's answer."""
    return threads.filter(waits=True, closed_at=None)


def talks(user: User, threads: Sequence[Thread], *, as_rater: bool = False) -> list[Talk]:
    """The threads as the user may read them, in the order given; `item` must be selected.

    `as_rater` is for the page of a task: a researcher who judges is as blind there as any rater.
    """
    leads = user.is_researcher and not as_rater
    said: dict[int, list[Message]] = {thread.pk: [] for thread in threads}
    for message in Message.objects.filter(thread__in=list(said)).select_related("author"):
        said[message.thread_id].append(message)
    readings = ThreadReading.objects.filter(user_id=user.pk, thread__in=list(said))
    read = dict(readings.values_list("thread", "read_through"))
    return [
        _talk(user, thread, said[thread.pk], leads=leads, read_through=read.get(thread.pk, 0))
        for thread in threads
    ]


def mark_read(user: User, shown: Sequence[Talk]) -> None:
    """Record that everything in `shown` was on the user's page."""
    for talk in shown:
        if talk.unread:
            ThreadReading.objects.update_or_create(
                user=user,
                thread=talk.thread,
                defaults={"read_through": talk.messages[-1].pk},
            )


def beside_item(user: User, item: Item) -> QuerySet[Thread]:
    """What a rater finds beside an item: what is asked about it, and what is new elsewhere.

    `is_new` says that there is something the rater has not read.
    """
    visible = Thread.objects.visible_to(user).filter(campaign=item.campaign_id)
    if user.is_researcher:  # one who judges is a rater here, and as blind as any
        visible = visible.filter(Q(asked_by_id=user.pk) | Q(published_through__isnull=False))
    is_new = Exists(_new_to(user, may_read_all=False))
    return (
        visible.annotate(is_new=is_new)
        .filter(Q(item=item) | Q(is_new=True))
        .select_related("item", "campaign")
    )


class Mark(NamedTuple):
    """What a task's page shows of a thread before it is opened."""

    item_id: int
    is_new: bool
    asked_by_id: int


def marks_beside(user: User, item: Item) -> list[Mark]:
    """The threads of `beside_item`, without their texts and in no order."""
    rows = _MARKS[user.is_researcher](user.pk, item.pk, item.campaign_id)
    return [Mark(*row) for row in rows]


def _marks(role: User.Role) -> Prepared:
    return Prepared(
        lambda user, item, campaign: (
            beside_item(User(pk=user, role=role), Item(pk=item, campaign_id=campaign))
            .order_by()
            .values_list("item_id", "is_new", "asked_by_id")
        )
    )


_MARKS = {True: _marks(User.Role.RESEARCHER), False: _marks(User.Role.NONE)}


def comments(campaign: Campaign) -> QuerySet[Assignment]:
    """What raters wrote about items as a whole, newest item first."""
    written = Assignment.objects.filter(item__campaign=campaign).exclude(comment="")
    return written.select_related("item", "rater").order_by("-claimed_at", "-pk")


def _talk(
    user: User, thread: Thread, messages: Sequence[Message], *, leads: bool, read_through: int
) -> Talk:
    is_own = thread.asked_by_id == user.pk
    through = thread.published_through
    shown = [
        message
        for message in messages
        if is_own or leads or (through is not None and message.pk <= through)
    ]
    return Talk(
        thread=thread,
        messages=tuple(shown),
        is_own=is_own,
        leads=leads,
        unread=sum(each.pk > read_through and each.author_id != user.pk for each in shown),
        sentence=sentence_of(thread),
        unpublished=0 if through is None else sum(each.pk > through for each in messages),
        own_last=_own_last(user, messages, through or 0),
    )


def _own_last(user: User, messages: Sequence[Message], through: int) -> int | None:
    last = messages[-1] if messages else None
    if last is None or last.author_id != user.pk or last.pk <= through:
        return None
    return int(last.pk)


def sentence_of(thread: Thread) -> str:
    """The sentence that the thread is about; empty where it is about the whole item."""
    item = thread.item
    if thread.sentence is None or thread.sentence >= len(item.sentences):
        return ""
    offsets = item.sentences[thread.sentence]
    return str(item.text[offsets["start"] : offsets["end"]])


def _checked(text: str) -> str:
    text = text.replace("\x00", "").replace("\r\n", "\n").strip()
    if not text:
        raise CannotAsk("The message is empty: write what you want to know or say.")
    if len(text) > TEXT_LIMIT:
        raise CannotAsk(f"The message has {len(text):,} characters: shorten it to {TEXT_LIMIT:,}.")
    return text


def _one_at_a_time(user: User) -> None:
    """Many messages at the same moment must not slip past the limit."""
    User.objects.select_for_update(no_key=True).get(pk=user.pk)


def _check_pace(user: User) -> None:
    now = timezone.now()
    lately = Message.objects.filter(author=user, is_askers=True, written_at__gt=now - WINDOW)
    times = lately.order_by("-written_at").values_list("written_at", flat=True)
    blocking = times[LIMIT - 1 : LIMIT].first()
    if blocking is not None:
        wait = (blocking + WINDOW - now).total_seconds()
        raise TooManyQuestions(seconds=max(1, math.ceil(wait)))


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
