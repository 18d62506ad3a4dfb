"""Campaigns that are there go on as they were; their items' counters are counted."""

from django.db import migrations
from django.db.models import Count, F, OuterRef, Subquery
from django.db.models.functions import Coalesce

RENAMED = {"open": "production"}
BACK = {"production": "open", "pilot": "open", "draft": "closed"}


def fill(apps, schema_editor):
    campaigns = apps.get_model("annotation", "Campaign").objects.all()
    items = apps.get_model("annotation", "Item").objects.all()
    assignments = apps.get_model("annotation", "Assignment").objects.all()
    for old, new in RENAMED.items():
        campaigns.filter(state=old).update(state=new)
    # A rater has had both sides of a passage until now, and the order came from the slug.
    campaigns.update(may_repeat_passages=True, seed=F("slug"))
    handed_in = assignments.filter(
        item=OuterRef("pk"), slot__isnull=False, submitted_at__isnull=False
    )
    counted = handed_in.order_by().values("item").annotate(n=Count("pk")).values("n")
    of_campaign = campaigns.filter(pk=OuterRef("campaign")).values("raters_per_item")
    items.update(wanted=Subquery(of_campaign), done=Coalesce(Subquery(counted), 0))


def take_back(apps, schema_editor):
    campaigns = apps.get_model("annotation", "Campaign").objects.all()
    for new, old in BACK.items():
        campaigns.filter(state=new).update(state=old)


class Migration(migrations.Migration):
    dependencies = [("annotation", "0007_campaign_life")]

    operations = [migrations.RunPython(fill, take_back)]
