"""A campaign's one run becomes its runs, and back where it has no more than one."""

from typing import Any

import pytest
from django.utils import timezone

from tests.annotation.test_migrations import migrated, newest_afterwards
from tests.factories import make_passage, make_revision, make_run, make_user

__all__ = ["newest_afterwards"]  # a fixture that pytest finds here

pytestmark = pytest.mark.django_db(transaction=True)

BEFORE = [("annotation", "0014_index_a_rater_s_own")]
AFTER = [("annotation", "0017_runs_instead_of_one_run")]


def make_old(apps: Any, slug: str, **values: Any) -> Any:
    """A campaign of that time, over two passages, each before and after."""
    run = make_run()
    campaign = apps.get_model("annotation", "Campaign").objects.create(
        slug=slug, name=slug, run_id=run.pk, sides="both", item_count=4, **values
    )
    for place in range(2):
        revision = make_revision(run, passage=make_passage(run.dataset, text="One."))
        for side in ("before", "after"):
            apps.get_model("annotation", "Item").objects.create(
                campaign=campaign, revision_id=revision.pk, side=side, text="One.",
                position=2 * place + (side == "after"), evidence=[], phase="production",
                sentences=[{"start": 0, "end": 4}],
            )  # fmt: skip
    return campaign


def test_campaigns_keep_their_run_there_and_back_and_say_what_they_took_of_it() -> None:
    old = migrated(BEFORE)
    open_one = make_old(old, "open", state="production")
    pilot = make_old(old, "pilot", state="closed", pilot_size=1, sampling="random", sample_size=2)
    begun = make_old(old, "begun", state="closed", pilot_size=1)
    now, item = timezone.now(), begun.items.first()
    old.get_model("annotation", "Assignment").objects.create(
        item=item, campaign=begun, rater_id=make_user().pk, claimed_at=now, lease_until=now
    )
    runs = {each.slug: each.run_id for each in (open_one, pilot, begun)}
    new = migrated(AFTER)
    campaigns = {each.slug: each for each in new.get_model("annotation", "Campaign").objects.all()}
    for slug, campaign in campaigns.items():
        [link] = campaign.run_links.all()
        assert (link.run_id, link.item_count, link.passage_count) == (runs[slug], 4, 2)
        # Of a sample nobody had written down what it was drawn from.
        assert link.judgeable_count == (None if slug == "pilot" else 2)
        assert (campaign.passage_count, campaign.items_per_passage) == (2, 2)
        for item in campaign.items.select_related("revision"):
            assert item.passage_id == item.revision.passage_id
    closed_in = {slug: campaign.closed_in for slug, campaign in campaigns.items()}
    assert closed_in == {"open": "", "pilot": "pilot", "begun": "production"}
    back = migrated(BEFORE).get_model("annotation", "Campaign").objects
    assert dict(back.values_list("slug", "run_id")) == runs


def test_going_back_stops_where_a_run_would_be_lost() -> None:
    make_old(migrated(BEFORE), "rivers")
    new = migrated(AFTER)
    campaign = new.get_model("annotation", "Campaign").objects.get()
    new.get_model("annotation", "CampaignRun").objects.create(
        campaign=campaign, run_id=make_run().pk
    )
    with pytest.raises(RuntimeError, match="1 campaigns are over several runs"):
        migrated(BEFORE)
    assert campaign.run_links.count() == 2
