"""Restrictive attribution beside the permissive one; unknown for revisions made before."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("pipeline", "0003_runs_without_a_corpus")]

    operations = [
        migrations.AddField(
            model_name="revision",
            name="attribution_restrictive",
            field=models.FloatField(null=True),
        ),
    ]
