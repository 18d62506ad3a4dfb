"""How often the lease on a row ran out: what two workers died over is set aside."""

from django.db import migrations, models

MODELS = ("corpus", "revision", "upload")


class Migration(migrations.Migration):
    dependencies = [("pipeline", "0001_squashed_0004_restrictive_attribution")]

    operations = [
        migrations.AddField(
            model_name=name,
            name="lost_leases",
            field=models.PositiveSmallIntegerField(default=0),
        )
        for name in MODELS
    ]
