"""Campaigns that are there are over the one run that they had; items name their passage."""

from django.db import migrations
from django.db.models import Count, Exists, Max, OuterRef, Subquery


def fill(apps, schema_editor):
    campaigns = apps.get_model("annotation", "Campaign").objects.order_by()
    items = apps.get_model("annotation", "Item").objects.order_by()
    assignments = apps.get_model("annotation", "Assignment").objects.order_by()
    revisions = apps.get_model("pipeline", "Revision").objects.order_by()
    of_item = revisions.filter(pk=OuterRef("revision")).values("passage")
    items.filter(passage=None).update(passage=Subquery(of_item))
    campaigns.filter(sides="both").update(items_per_passage=2)
    for found in items.values("campaign").annotate(n=Count("passage", distinct=True)):
        campaigns.filter(pk=found["campaign"]).update(passage_count=found["n"])
    link = apps.get_model("annotation", "CampaignRun")
    link.objects.bulk_create(
        link(
            campaign=campaign,
            run_id=campaign.run_id,
            passage_count=campaign.passage_count,
            item_count=campaign.item_count,
            # Of a sample nobody wrote down what it was drawn from.
            judgeable_count=campaign.passage_count if campaign.sampling == "all" else None,
        )
        for campaign in campaigns.order_by("pk")
    )
    # In which phase a campaign was closed was guessed by what was handed out.
    handed_out = assignments.filter(
        item__campaign=OuterRef("pk"), item__phase="production", purpose=""
    )
    closed = campaigns.filter(state="closed")
    closed.update(closed_in="production")
    closed.filter(~Exists(handed_out), pilot_size__gt=0).update(closed_in="pilot")


def take_back(apps, schema_editor):
    campaigns = apps.get_model("annotation", "Campaign").objects.order_by()
    counted = campaigns.annotate(n=Count("run_links"), last=Max("run_links__run"))
    several = counted.filter(n__gt=1).count()
    if several:
        raise RuntimeError(
            f"{several} campaigns are over several runs, and before this migration a campaign has "
            "one. Export them and delete them first, or stay."
        )
    for campaign, run in counted.values_list("pk", "last"):
        campaigns.filter(pk=campaign).update(run=run)


class Migration(migrations.Migration):
    dependencies = [("annotation", "0015_runs_of_a_campaign")]

    operations = [migrations.RunPython(fill, take_back)]
