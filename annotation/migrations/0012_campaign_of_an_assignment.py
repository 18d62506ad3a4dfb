"""An assignment names its campaign: here a column that may be empty, filled by the next one."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotation", "0011_first_guidelines")]

    operations = [
        migrations.AddField(
            model_name="assignment",
            name="campaign",
            field=models.ForeignKey(
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="annotation.campaign",
            ),
        ),
    ]
