"""Levels, texts and pairs: what raters said survives the way there and back."""

from typing import Any

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone

from tests.factories import make_passage, make_revision, make_run, make_user

pytestmark = pytest.mark.django_db(transaction=True)

BEFORE = [("annotation", "0001_initial")]
AFTER = [("annotation", "0002_levels_texts_and_pairs")]


def migrated(targets: list[tuple[str, str]]) -> Any:
    executor = MigrationExecutor(connection)
    executor.migrate(targets)
    return MigrationExecutor(connection).loader.project_state(targets).apps


@pytest.fixture(autouse=True)
def newest_afterwards() -> Any:
    yield
    executor = MigrationExecutor(connection)
    executor.migrate([key for key in executor.loader.graph.leaf_nodes() if key[0] == "annotation"])


def judgments(apps: Any, *values: Any) -> Any:
    """One judgment a value, in a campaign written with the tables of that time."""
    run, rater, now = make_run(), make_user(), timezone.now()
    revision = make_revision(run, passage=make_passage(run.dataset, text="One."))
    campaign = apps.get_model("annotation", "Campaign").objects.create(
        slug="rivers", name="Rivers", run_id=run.pk, sides="after"
    )
    item = apps.get_model("annotation", "Item").objects.create(
        campaign=campaign, revision_id=revision.pk, side="after", position=1, text="One.",
        sentences=[{"start": 0, "end": 4}], evidence=[],
    )  # fmt: skip
    assignment = apps.get_model("annotation", "Assignment").objects.create(
        item=item, rater_id=rater.pk, slot=1, claimed_at=now, lease_until=now
    )
    table = apps.get_model("annotation", "Judgment")
    for target, value in enumerate(values):
        table.objects.create(
            assignment=assignment, criterion="attributable", target=target, value=value,
            sequence=target + 1, updated_at=now,
        )  # fmt: skip
    return table


def stored(apps: Any) -> list[Any]:
    rows = apps.get_model("annotation", "Judgment").objects.order_by("target")
    return list(rows.values_list("value", flat=True))


def test_yes_no_and_taken_back_become_levels_and_come_back() -> None:
    judgments(migrated(BEFORE), True, False, None)
    assert stored(migrated(AFTER)) == [1, 0, None]
    values = stored(migrated(BEFORE))
    assert values == [True, False, None]
    assert [type(value) for value in values[:2]] == [bool, bool]


def test_going_back_stops_where_a_level_would_be_lost() -> None:
    table = judgments(migrated(AFTER), 1, 2)
    with pytest.raises(RuntimeError, match="1 answers are more than a yes or a no"):
        migrated(BEFORE)
    assert list(table.objects.order_by("target").values_list("value", flat=True)) == [1, 2]


def test_going_back_stops_where_a_text_would_be_lost() -> None:
    table = judgments(migrated(AFTER), 1)
    table.objects.update(text="One, revised.")
    with pytest.raises(RuntimeError, match="more than a yes or a no"):
        migrated(BEFORE)
    table.objects.all().delete()


def test_campaigns_that_are_there_go_on_and_items_are_counted() -> None:
    before = [("annotation", "0006_consent_crowds_and_shared_links")]
    after = [("annotation", "0008_fill_campaign_life")]
    apps = migrated(before)
    judgments(apps, 1)
    campaigns = apps.get_model("annotation", "Campaign").objects
    campaigns.update(state="open", raters_per_item=2)
    apps.get_model("annotation", "Assignment").objects.update(submitted_at=timezone.now())
    apps = migrated(after)
    campaign = apps.get_model("annotation", "Campaign").objects.get()
    assert (campaign.state, campaign.seed, campaign.may_repeat_passages) == (
        "production",
        "rivers",
        True,
    )
    item = apps.get_model("annotation", "Item").objects.get()
    assert (item.wanted, item.done, item.phase, item.inclusion) == (2, 1, "production", 1.0)
    campaign.state = "draft"
    campaign.save()
    assert migrated(before).get_model("annotation", "Campaign").objects.get().state == "closed"
