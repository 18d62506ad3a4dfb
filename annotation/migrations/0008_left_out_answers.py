"""Answers that a campaign leaves out because of their form, and how many those were."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotation", "0007_export_jobs")]

    operations = [
        migrations.AddField(
            model_name="campaign",
            name="leaves_out_problems",
            field=models.JSONField(blank=True, default=list),
        ),
        migrations.AddField(
            model_name="campaign",
            name="left_out",
            field=models.JSONField(blank=True, default=dict),
        ),
    ]
