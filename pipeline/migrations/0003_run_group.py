"""Runs that were started together know each other."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("pipeline", "0002_lost_leases")]

    operations = [
        migrations.AddField(
            model_name="run",
            name="group",
            field=models.UUIDField(db_index=True, null=True),
        )
    ]
