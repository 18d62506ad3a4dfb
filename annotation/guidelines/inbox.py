"""Questions about items as one person may read them: which there are, what is new, who waits."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Case, Exists, F, OuterRef, Q, QuerySet, When

from annotation.models import Assignment, Campaign, Item, Message, Thread, ThreadReading
from rarrweb.accounts.models import User


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


def of_rater(user: User, campaign: int) -> list[tuple[int, int | None, bool]]:
    """The threads that one of its raters may read: item, author, whether something is new."""
    readable = Q(asked_by_id=user.pk) | Q(published_through__isnull=False)
    is_new = Exists(_new_to(user, may_read_all=False))
    return list(
        Thread.objects.filter(readable, campaign_id=campaign)
        .annotate(is_new=is_new)
        .values_list("item", "asked_by", "is_new")
    )


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
