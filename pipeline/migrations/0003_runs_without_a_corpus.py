"""A run that searches the web needs no corpus. Backwards, such runs have to be deleted first."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("pipeline", "0002_calls_budgets_and_kept_answers")]

    operations = [
        migrations.AlterField(
            model_name="run",
            name="corpus",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="runs",
                to="pipeline.corpus",
            ),
        ),
    ]
