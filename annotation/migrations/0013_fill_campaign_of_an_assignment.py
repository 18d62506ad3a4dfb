"""Assignments that are there get their item's campaign."""

from django.db import migrations
from django.db.models import OuterRef, Subquery


def fill(apps, schema_editor):
    items = apps.get_model("annotation", "Item").objects.order_by()
    assignments = apps.get_model("annotation", "Assignment").objects.order_by()
    of_item = items.filter(pk=OuterRef("item")).values("campaign")
    assignments.filter(campaign=None).update(campaign=Subquery(of_item))


class Migration(migrations.Migration):
    dependencies = [("annotation", "0012_campaign_of_an_assignment")]

    operations = [migrations.RunPython(fill, migrations.RunPython.noop)]
