"""A campaign can be archived; the list of campaigns finds its order in an index."""

from django.db import migrations, models
from django.db.models.functions import Lower


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0002_browser_of_a_participant"),
        ("pipeline", "0005_archived_and_listed"),
    ]

    operations = [
        migrations.AddField(
            model_name="campaign",
            name="archived_at",
            field=models.DateTimeField(null=True),
        ),
        migrations.AddIndex(
            model_name="campaign",
            index=models.Index(Lower("name"), models.F("id"), name="annotation_campaign_by_name"),
        ),
        migrations.AddIndex(
            model_name="campaign",
            index=models.Index(fields=["created_at", "id"], name="annotation_campaign_by_date"),
        ),
    ]
