"""A participant is bound to the browser in which they began; those who began before, to none yet."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotation", "0001_squashed_0017_runs_instead_of_one_run")]

    operations = [
        migrations.AddField(
            model_name="participant",
            name="browser_hash",
            field=models.CharField(blank=True, default="", max_length=64),
        )
    ]
