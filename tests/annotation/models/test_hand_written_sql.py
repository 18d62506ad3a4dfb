"""Each hand-written query beside the same question asked by Django's querysets."""

from datetime import timedelta

import pytest
from django.db.models import Count, Exists, F, Max, Min, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils import timezone

from annotation.models import Assignment, Campaign, Item, Membership, hand_written_sql
from rarrweb.accounts.models import User
from tests.load.filling import add_progress, make_people
from tests.load.filling import make_campaign as make_full_campaign
from tests.support.campaigns import make_campaign
from tests.support.factories import make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def full() -> tuple[Campaign, list[User]]:
    """Nine tenths done, with expired leases, late work, training and gold."""
    researcher, raters = make_people(7)
    campaign = make_full_campaign(
        "full", items=60, per_item=2, researcher=researcher, raters=raters
    )
    add_progress(campaign, raters)
    some = Assignment.objects.filter(campaign=campaign, slot=None).order_by("pk")
    for purpose, row in zip(["training", "gold"], some, strict=False):
        Assignment.objects.filter(pk=row.pk).update(purpose=purpose)
    held = Assignment.objects.filter(campaign=campaign, submitted_at=None).order_by("-pk")[:1]
    Assignment.objects.filter(pk__in=list(held.values_list("pk", flat=True))).update(
        lease_until=timezone.now() + timedelta(minutes=5)
    )
    return campaign, raters


def free(campaign: Campaign, user: User, *, passages_apart: bool) -> QuerySet[Item]:
    slots = Assignment.objects.filter(item=OuterRef("pk"), slot__isnull=False)
    holding = slots.filter(Q(submitted_at__isnull=False) | Q(lease_until__gt=timezone.now()))
    counted = holding.order_by().values("item").annotate(n=Count("pk")).values("n")
    had = Assignment.objects.filter(item=OuterRef("pk"), rater=user)
    items = Item.objects.filter(campaign=campaign, phase=campaign.state).exclude(Exists(had))
    items = items.exclude(openings__user=user)
    if passages_apart:
        same = Item.objects.filter(
            Exists(had), campaign=OuterRef("campaign"), passage=OuterRef("passage")
        )
        items = items.exclude(Exists(same))
    held = Coalesce(Subquery(counted), 0)
    return items.filter(done__lt=F("wanted")).filter(wanted__gt=held).order_by("position")


def free_by_hand(campaign: Campaign, user: User, *, passages_apart: bool) -> list[tuple[int, int]]:
    return hand_written_sql.free_items(
        campaign=campaign.pk,
        phase=campaign.state,
        user=user.pk,
        passages_apart=passages_apart,
        start=3,
        most=100,
    )


def test_what_is_own(full: tuple[Campaign, list[User]]) -> None:
    _, raters = full
    Membership.objects.filter(user=raters[0]).delete()
    Membership.objects.filter(user=raters[1]).update(role=Membership.Role.ADJUDICATOR)
    for user in raters:
        own = set(Assignment.objects.visible_to(user).values_list("pk", flat=True))
        keys = [*Assignment.objects.values_list("pk", flat=True), 0, 2**64]
        assert own == {key for key in keys if hand_written_sql.is_own(user=user.pk, assignment=key)}


def test_free_items(full: tuple[Campaign, list[User]]) -> None:
    campaign, raters = full
    for item in campaign.items.order_by("-position")[:20:2]:
        item.openings.create(user=raters[0], at=timezone.now())
    found = []
    for user in [*raters, make_user()]:
        rows = free(campaign, user, passages_apart=False).filter(position__gte=3)
        found.append(free_by_hand(campaign, user, passages_apart=False))
        assert found[-1] == list(rows.values_list("position", "pk"))
    assert len({tuple(rows) for rows in found}) > 1


@pytest.mark.parametrize("passages_apart", [True, False])
def test_free_items_of_passages_with_two(passages_apart: bool) -> None:
    rater, other = make_user(), make_user()
    campaign = make_campaign(passages=4, sides="both", raters=(rater, other), raters_per_item=2)
    for item in campaign.items.order_by("position")[:3]:
        Assignment.objects.create(
            item=item, rater=rater, slot=1, claimed_at=timezone.now(), lease_until=timezone.now()
        )
    for user in (rater, other):
        rows = free(campaign, user, passages_apart=passages_apart).filter(position__gte=3)
        by_hand = free_by_hand(campaign, user, passages_apart=passages_apart)
        assert by_hand == list(rows.values_list("position", "pk"))


def test_the_last_position(full: tuple[Campaign, list[User]]) -> None:
    campaign, raters = full
    for user in [*raters, make_user()]:
        own = Assignment.objects.filter(
            campaign=campaign, rater=user, purpose="", item__phase=campaign.state
        )
        last = own.order_by("-pk").values_list("item__position", flat=True).first()
        by_hand = hand_written_sql.last_position(
            campaign=campaign.pk, phase=campaign.state, user=user.pk
        )
        assert by_hand == last


@pytest.mark.parametrize("is_training", [True, False])
def test_the_place(full: tuple[Campaign, list[User]], is_training: bool) -> None:
    campaign, _ = full
    kind = Q(purpose="training") if is_training else ~Q(purpose="training")
    since = timezone.now() - timedelta(days=60) + timedelta(minutes=20)
    for row in Assignment.objects.filter(kind, campaign=campaign):
        counted = Assignment.objects.filter(kind, campaign=campaign, rater=row.rater).aggregate(
            submitted=Count("pk", filter=Q(submitted_at__isnull=False)),
            number=Count("pk", filter=Q(pk__lte=row.pk)),
            today=Count("pk", filter=Q(submitted_at__gte=since)),
            previous=Max("pk", filter=Q(pk__lt=row.pk)),
            following=Min("pk", filter=Q(pk__gt=row.pk)),
        )
        by_hand = hand_written_sql.place(
            user=row.rater_id,
            campaign=campaign.pk,
            assignment=row.pk,
            is_training=is_training,
            midnight=since,
        )
        assert by_hand == tuple(counted.values())
