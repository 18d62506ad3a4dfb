"""Every assignment names its campaign now; a rater's own are counted from one index."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotation", "0013_fill_campaign_of_an_assignment")]

    operations = [
        migrations.AlterField(
            model_name="assignment",
            name="campaign",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="annotation.campaign",
            ),
        ),
        migrations.AddIndex(
            model_name="assignment",
            index=models.Index(
                fields=["campaign", "rater", "id", "purpose", "submitted_at"],
                name="annotation_own_place",
            ),
        ),
    ]
