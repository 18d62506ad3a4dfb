"""Campaigns: making one from a run, closing it, who takes part, how far they are."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from itertools import islice
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Count, F, Max, Q, QuerySet

from annotation.models import Assignment, Campaign, Item, Membership
from annotation.questionnaires import load_questionnaire
from annotation.questionnaires.making import AFTER, BEFORE, PAIR, Material
from annotation.questionnaires.types import Questionnaire
from pipeline.backends.sentences import SpacySplitter
from pipeline.models import Revision, Run
from pipeline.naming import create_named
from pipeline.rarr.ports import SentenceSplitter
from rarrweb.accounts.models import User

# Words that the addresses under /campaigns/ use for themselves.
RESERVED_SLUGS = {"new", "join"}
BATCH = 200


class NothingToJudge(ValueError):
    """A campaign would have no items."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outlook:
    """What a campaign over a run would hold."""

    items: int
    revisions: int
    """Finished revisions of the run."""
    unfinished: int
    """Revisions that wait, run or failed, and so are left out."""
    without_text: int
    """Sides left out because there is no text to judge."""


def outlook(run: Run, sides: str) -> Outlook:
    done = Q(state=Revision.State.DONE)
    before, after = ~Q(original_text__regex=r"^\s*$"), ~Q(text__regex=r"^\s*$")
    counts = run.revisions.aggregate(
        done=Count("pk", filter=done),
        unfinished=Count("pk", filter=~done),
        before=Count("pk", filter=done & before),
        after=Count("pk", filter=done & after),
        pair=Count("pk", filter=done & before & after),
    )
    wanted = _sides(sides)
    items = sum(counts[side] for side in wanted)
    return Outlook(
        items=items,
        revisions=counts["done"],
        unfinished=counts["unfinished"],
        without_text=len(wanted) * counts["done"] - items,
    )


@transaction.atomic
def start_campaign(
    *,
    name: str,
    run: Run,
    sides: str,
    raters_per_item: int,
    created_by: User,
    questionnaire: str = "attribution",
    options: Sequence[str] = (),
    splitter: SentenceSplitter | None = None,
) -> Campaign:
    """A campaign over the run's finished revisions, everything that raters see frozen in it.

    `sides` is one of the questionnaire's; where it has no such side, its first is taken. The
    order is the same for the same slug and run, looks random, and keeps the two sides of
    a passage apart (`order_of`). Raises `NothingToJudge`, `UnknownQuestionnaire`,
    `UnknownOption`.
    """
    kind = load_questionnaire(questionnaire).with_options(options)
    sides = sides if sides in kind.sides else kind.sides[0]
    campaign = create_named(
        Campaign,
        name=name,
        fallback="campaign",
        reserved=RESERVED_SLUGS,
        run=run,
        questionnaire=kind.name,
        options=list(options),
        sides=sides,
        raters_per_item=raters_per_item,
        state=Campaign.State.PRODUCTION,
        may_repeat_passages=True,
        created_by=created_by,
    )
    done = run.revisions.filter(state=Revision.State.DONE)
    order = order_of(
        list(done.values_list("pk", flat=True)), sides=_sides(sides), seed=campaign.slug
    )
    position = {key: place for place, key in enumerate(order, start=1)}
    splitter = splitter or SpacySplitter(settings.RARR_SPACY_MODEL)
    items = _items(done, position, splitter, kind, seed=campaign.slug)
    while batch := list(islice(items, BATCH)):
        for item in batch:
            item.campaign = campaign
            item.wanted = raters_per_item
        Item.objects.bulk_create(batch)
        campaign.item_count += len(batch)
    if not campaign.item_count:
        raise NothingToJudge(
            f"Run {run.pk} has no finished revision with a sentence to judge. "
            "Wait until it has one, or choose another run."
        )
    campaign.save(update_fields=["item_count"])
    return campaign


def order_of(revisions: Sequence[int], *, sides: Sequence[str], seed: str) -> list[tuple[int, str]]:
    """The order in which (revision, side) pairs are shown: seeded, a passage's sides apart.

    With two sides, the first half of the order has one side of every passage and the second
    half the other; for a random half of the passages it is `sides[0]` that comes first. The
    second half keeps to the first one's order by quarters, so at least three quarters of the
    passages lie between the two sides of one (less what rounding takes when there are few).
    """
    shuffled = sorted(revisions, key=lambda pk: _chance(seed, pk))
    if len(sides) == 1:
        return [(pk, sides[0]) for pk in shuffled]
    quarter = max(1, len(shuffled) // 4)
    place = {pk: index for index, pk in enumerate(shuffled)}
    again = sorted(shuffled, key=lambda pk: (place[pk] // quarter, _chance(seed, "again", pk)))
    # Half of the passages begin with one side: balanced, so that a rater who judges only the
    # first items sees as much of both.
    drawn = sorted(shuffled, key=lambda pk: _chance(seed, "first", pk))
    first = {pk: sides[index % 2] for index, pk in enumerate(drawn)}
    other = {sides[0]: sides[1], sides[1]: sides[0]}
    return [(pk, first[pk]) for pk in shuffled] + [(pk, other[first[pk]]) for pk in again]


def close_campaign(campaign: Campaign) -> None:
    """Take no more answers; what is saved stays."""
    campaign.state = Campaign.State.CLOSED
    campaign.save(update_fields=["state"])


def reopen_campaign(campaign: Campaign) -> None:
    campaign.state = Campaign.State.PRODUCTION
    campaign.save(update_fields=["state"])


def add_member(campaign: Campaign, *, user: User, role: str = Membership.Role.ANNOTATOR) -> bool:
    """Let the user take part; False when they did already."""
    _, is_new = Membership.objects.get_or_create(campaign=campaign, user=user, role=role)
    return is_new


def remove_member(membership: Membership) -> None:
    """The person sees the campaign no more; what they judged stays and counts."""
    membership.delete()


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterProgress:
    """How far one rater is, for the researcher."""

    user: User
    membership: Membership | None
    """None for somebody who was removed, and whose work still counts."""
    submitted: int = 0
    started: int = 0
    counted: int = 0
    """Submissions that hold a slot."""
    late: int = 0
    last_submitted: datetime | None = None


def members(campaign: Campaign) -> list[Membership]:
    """Everybody who takes part, in whatever role, by name."""
    return list(campaign.memberships.select_related("user").order_by("user__username"))


def rater_progress(
    campaign: Campaign, memberships: Sequence[Membership] | None = None
) -> list[RaterProgress]:
    """Everybody who judges or has judged, by name; `memberships` where they are known already."""
    done = Q(submitted_at__isnull=False)
    rows = (
        Assignment.objects.filter(item__campaign=campaign)
        .order_by()
        .values("rater")
        .annotate(
            submitted=Count("pk", filter=done),
            started=Count("pk", filter=~done),
            counted=Count("pk", filter=done & Q(slot__isnull=False)),
            late=Count("pk", filter=Q(is_late=True)),
            last_submitted=Max("submitted_at"),
        )
    )
    counts = {row.pop("rater"): row for row in rows}
    judging = {
        membership.user_id: membership
        for membership in (members(campaign) if memberships is None else memberships)
        if membership.role == Membership.Role.ANNOTATOR
    }
    people = [membership.user for membership in judging.values()]
    if removed := counts.keys() - judging.keys():
        people += User.objects.filter(pk__in=removed)
    return [
        RaterProgress(user=person, membership=judging.get(person.pk), **counts.get(person.pk, {}))
        for person in sorted(people, key=lambda person: person.username)
    ]


def _items(
    revisions: QuerySet[Revision],
    position: Mapping[tuple[int, str], int],
    splitter: SentenceSplitter,
    questionnaire: Questionnaire,
    *,
    seed: str,
) -> Iterator[Item]:
    # Only the report of the result: the trace can be long, and raters must not see it anyway.
    rows = revisions.order_by("pk").annotate(
        found=F("result__report__evidence"), quoted=F("passage__source__quotes")
    )
    wanted = rows.only("pk", "original_text", "text", "context", "sentences")
    for revision in wanted.iterator(chunk_size=BATCH):
        texts = {BEFORE: revision.original_text, AFTER: revision.text}
        sentences = {
            side: _sentences(revision.sentences.get(side), text, splitter)
            for side, text in texts.items()
            if {(revision.pk, side), (revision.pk, PAIR)} & position.keys()
        }
        for side in (BEFORE, AFTER, PAIR):
            place = position.get((revision.pk, side))
            if place is None:
                continue
            draft = questionnaire.make(
                Material(
                    side=side,
                    texts=texts,
                    sentences=sentences,
                    evidence=[_snippet(each) for each in revision.found or []],
                    quotes=_quotes(revision.quoted),
                    swapped=int(_chance(seed, "swap", revision.pk), 16) % 2 == 1,
                )
            )
            if draft is not None:
                yield Item(
                    revision=revision,
                    side=side,
                    position=place,
                    context=revision.context,
                    **{field.name: getattr(draft, field.name) for field in fields(draft)},
                )


def _sentences(scored: Any, text: str, splitter: SentenceSplitter) -> list[dict[str, int]]:
    """The sentences that the run scored, or, where those do not fit the text, fresh ones."""
    return _offsets(scored, text) or [
        {"start": span.start, "end": span.end} for span in splitter.split(text)
    ]


def _snippet(source: Mapping[str, Any]) -> dict[str, str]:
    return {key: str(source.get(key) or "") for key in ("title", "url", "text")}


def _quotes(quoted: Any) -> dict[int, dict[str, Any]]:
    """The sources of an imported HAGRID answer, by the number that it cites them by."""
    if not isinstance(quoted, list):
        return {}
    numbered = {}
    for place, quote in enumerate(quoted, start=1):
        if isinstance(quote, dict):
            idx = quote.get("idx")
            number = idx if isinstance(idx, int) and not isinstance(idx, bool) else place
            numbered[number] = {
                **_snippet({"title": quote.get("docid"), **quote}),
                "number": number,
            }
    return numbered


def _offsets(scored: Any, text: str) -> list[dict[str, int]]:
    """The offsets that the run scored; none where they do not fit the text."""
    offsets = []
    end = 0
    for sentence in scored or []:
        start, stop = sentence.get("start"), sentence.get("end")
        if not (isinstance(start, int) and isinstance(stop, int)):
            return []
        if not end <= start < stop <= len(text):
            return []
        offsets.append({"start": start, "end": stop})
        end = stop
    return offsets


def _sides(sides: str) -> tuple[str, ...]:
    if sides == Campaign.Side.BOTH:
        return (Item.Side.BEFORE.value, Item.Side.AFTER.value)
    return (sides,)


def _chance(*parts: object) -> str:
    return hashlib.sha256(":".join(map(str, parts)).encode()).hexdigest()
