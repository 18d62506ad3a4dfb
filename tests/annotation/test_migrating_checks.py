"""Training and gold come and go without touching what is there."""

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from tests.annotation.test_migrations import migrated, newest_afterwards
from tests.factories import make_passage, make_revision, make_run, make_user

__all__ = ["newest_afterwards"]  # a fixture that pytest finds here

pytestmark = pytest.mark.django_db(transaction=True)

BEFORE = [("annotation", "0008_fill_campaign_life")]
AFTER = [("annotation", "0009_training_and_gold")]


def test_items_in_use_come_back_as_items_that_wait() -> None:
    apps = migrated(AFTER)
    run, rater, now = make_run(), make_user(), timezone.now()
    revision = make_revision(run, passage=make_passage(run.dataset, text="One."))
    campaign = apps.get_model("annotation", "Campaign").objects.create(
        slug="rivers", name="Rivers", run_id=run.pk, sides="after"
    )
    items = apps.get_model("annotation", "Item").objects
    item = items.create(
        campaign=campaign, revision_id=revision.pk, side="after", position=1, text="One.",
        sentences=[{"start": 0, "end": 4}], evidence=[], use="gold", wanted=0,
    )  # fmt: skip
    apps.get_model("annotation", "RightAnswer").objects.create(
        item=item, criterion="attributable", target=0, value=1, updated_at=now
    )
    assignments = apps.get_model("annotation", "Assignment").objects
    assignments.create(
        item=item, rater_id=rater.pk, purpose="gold", claimed_at=now, lease_until=now
    )
    with pytest.raises(IntegrityError), transaction.atomic():
        assignments.update(slot=1)  # what checks a rater holds no slot
    with pytest.raises(IntegrityError), transaction.atomic():
        items.update(use="")  # out of use, an item wants somebody
    old = migrated(BEFORE)
    assert list(old.get_model("annotation", "Item").objects.values_list("wanted", flat=True)) == [1]
    kept = old.get_model("annotation", "Assignment").objects.get()
    assert kept.slot is None
    again = migrated(AFTER).get_model("annotation", "Item").objects.get()
    assert (again.use, again.wanted) == ("", 1)
