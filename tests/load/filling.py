"""Fills a database with users, passages and progress, in bulk."""

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import cache
from itertools import islice
from typing import Any

from django.contrib.auth.hashers import make_password
from django.db import connection
from django.utils import timezone

from annotation.campaigns.lifecycle import start_campaign
from annotation.models import Assignment, Campaign, Item, Judgment, Membership
from pipeline.models import Corpus, Dataset, Passage, Revision, Run
from rarrweb.accounts.models import User

PASSWORD = "sixteen quiet hedgehogs"
BATCH = 1_000

DONE_SHARE = 0.9
"""Of a campaign with progress: the items that have all of their raters."""
EXPIRED_SHARE = 0.005
"""Items after those that somebody began and left: their leases have run out."""
LATE_EVERY = 200
"""One item in so many also has an answer that came in after its place had gone."""


def make_people(raters: int, *others: str) -> tuple[User, list[User]]:
    secret = make_password(PASSWORD)
    researcher = User(username="researcher", role=User.Role.RESEARCHER, password=secret)
    researcher.username_key = researcher.username
    names = [*(f"rater-{number:03}" for number in range(1, raters + 1)), *others]
    people = [User(username=name, username_key=name, password=secret) for name in names]
    User.objects.bulk_create([researcher, *people])
    made = User.objects.filter(username__in=names).order_by("pk")
    return User.objects.get(username="researcher"), list(made)


def make_campaign(
    name: str, *, items: int, per_item: int, researcher: User, raters: Sequence[User]
) -> Campaign:
    """Each passage has five sentences and five snippets."""
    dataset = Dataset.objects.create(slug=name, name=name, passage_count=items)
    run = Run.objects.create(
        system="rarr",
        dataset=dataset,
        corpus=Corpus.objects.get_or_create(
            slug="made", defaults={"name": "Made", "state": Corpus.State.READY}
        )[0],
        config={},
        state=Run.State.FINISHED,
        passage_count=items,
        created_by=researcher,
    )
    rows = _passages(dataset, items)
    while batch := list(islice(rows, BATCH)):
        Passage.objects.bulk_create(batch)
    # In the same order, and with ids read back: SQLite and PostgreSQL number them alike.
    keys = dataset.passages.order_by("pk").values_list("pk", "external_id")
    revisions = (_revision(run, pk, int(number)) for pk, number in keys.iterator())
    while batch := list(islice(revisions, BATCH)):
        Revision.objects.bulk_create(batch)
    campaign = start_campaign(
        name=name, runs=[run], sides="after", raters_per_item=per_item, created_by=researcher
    )
    Membership.objects.bulk_create(Membership(campaign=campaign, user=rater) for rater in raters)
    return campaign


def add_progress(campaign: Campaign, raters: Sequence[User]) -> None:
    """Finish most items at the front; some leases expire, some are late."""
    items = list(campaign.items.order_by("position").values_list("pk", flat=True))
    n = campaign.raters_per_item
    done = int(len(items) * DONE_SHARE)
    now = timezone.now()
    rows = _assignments(
        campaign, items, done=done, n=n, raters=[rater.pk for rater in raters], now=now
    )
    while batch := list(islice(rows, BATCH)):
        Assignment.objects.bulk_create(batch)
    campaign.items.filter(position__lte=done).update(done=n)
    _judge_all(campaign, {"attributable": 5, "useful": 5})
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")


def _assignments(
    campaign: Campaign, items: Sequence[int], *, done: int, n: int, raters: Sequence[int], now: Any
) -> Iterator[Assignment]:
    start = now - timedelta(days=60)
    begun = max(1, int(len(items) * EXPIRED_SHARE))
    for position, item in enumerate(items[: done + begun]):
        at = start + timedelta(seconds=position * 40)
        mine = [raters[(position * n + k) % len(raters)] for k in range(n + 1)]
        if position >= done:
            yield _assignment(campaign, item, mine[0], 1, at, submitted=False)
            continue
        for slot in range(1, n + 1):
            yield _assignment(campaign, item, mine[slot - 1], slot, at, submitted=True)
        if position % LATE_EVERY == 0:
            yield _assignment(campaign, item, mine[n], None, at, submitted=True)


def _assignment(
    campaign: Campaign, item: int, rater: int, slot: int | None, at: Any, *, submitted: bool
) -> Assignment:
    return Assignment(
        item_id=item,
        campaign_id=campaign.pk,
        rater_id=rater,
        slot=slot,
        claimed_at=at,
        lease_until=at + timedelta(minutes=32),
        submitted_at=at + timedelta(minutes=2) if submitted else None,
        is_late=slot is None,
    )


def _judge_all(campaign: Campaign, questions: Mapping[str, int]) -> None:
    """`questions` maps a criterion to the number of its targets."""
    for criterion, targets in questions.items():
        places = ", ".join(f"({target})" for target in range(targets))
        # A draw that is the same on every database: no random() in the middle of a statement.
        draw = "(a.item_id * 7919 + t.column1 * 104729 + a.rater_id * 31) %% 10"
        given = {
            "assignment": "a.id",
            "criterion": f"'{criterion}'",
            "target": "t.column1",
            "value": f"CASE WHEN {draw} < 8 THEN 1 ELSE 0 END",
            "sequence": "1",
            "updated_at": "a.submitted_at",
        }
        fields = [each for each in Judgment._meta.concrete_fields if not each.primary_key]
        columns = ", ".join(field.column for field in fields)
        values = ", ".join(given.get(field.name, "%s") for field in fields)
        constants = [
            field.get_db_prep_save(field.get_default(), connection)
            for field in fields
            if field.name not in given
        ]
        with connection.cursor() as cursor:
            cursor.execute(
                f"INSERT INTO {Judgment._meta.db_table} ({columns}) SELECT {values}"
                f" FROM {Assignment._meta.db_table} a"
                f" JOIN {Item._meta.db_table} i ON i.id = a.item_id"
                f" CROSS JOIN (VALUES {places}) AS t"
                f" WHERE a.submitted_at IS NOT NULL AND i.campaign_id = {campaign.pk}",
                constants,
            )


def _passages(dataset: Dataset, count: int) -> Iterator[Passage]:
    for number in range(count):
        made = passage(number)
        yield Passage(
            dataset=dataset,
            external_id=str(number),
            text=made.text,
            context=made.context,
            content_hash=f"{dataset.pk}-{number}",
        )


def _revision(run: Run, passage_id: int, number: int) -> Revision:
    made = passage(number)
    return Revision(
        run=run,
        passage_id=passage_id,
        state=Revision.State.DONE,
        original_text=made.text,
        text=made.text,
        context=made.context,
        sentences={"after": list(made.sentences)},
        result={"report": {"evidence": evidence(number)}},
        attribution_before=made.score,
        attribution_after=made.score,
    )


SENTENCES = 5
SNIPPETS = 5
SNIPPET_SENTENCES = 4
"""As in RARR: a window of four sentences."""
POOL = 3_000
"""Sentences that are drawn from; drawing words each time would take most of the filling."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    text: str
    context: str
    sentences: tuple[Mapping[str, int], ...]
    """As a run stores them: where each begins and ends."""
    score: float
    """What auto-AIS is supposed to have given."""


def passage(number: int) -> Made:
    chance = random.Random(number)
    chosen = chance.choices(_pool(), k=SENTENCES)
    offsets = []
    start = 0
    for sentence in chosen:
        offsets.append({"start": start, "end": start + len(sentence)})
        start += len(sentence) + 1
    return Made(
        text=" ".join(chosen),
        context=f"Question {number}: {chance.choice(_pool()).lower()}",
        sentences=tuple(offsets),
        score=round(chance.random(), 3),
    )


def evidence(number: int) -> list[dict[str, str]]:
    chance = random.Random(-1 - number)
    return [
        {
            "title": f"Source {number}.{position}",
            "url": f"https://source-{position}.example/{number}",
            "text": " ".join(chance.choices(_pool(), k=SNIPPET_SENTENCES)),
        }
        for position in range(1, SNIPPETS + 1)
    ]


@cache
def _pool() -> list[str]:
    chance = random.Random(7)
    words = ["".join(chance.choices("aeioulmnrst", k=chance.randint(2, 9))) for _ in range(4_000)]
    sentences = (chance.choices(words, k=chance.randint(12, 26)) for _ in range(POOL))
    return [" ".join(chosen).capitalize() + "." for chosen in sentences]
