import django.db.models.functions
from django.db import migrations, models

import pipeline.importing.passage
import pipeline.models.data


class Migration(migrations.Migration):
    dependencies = [
        ("pipeline", "0022_trials_are_runs"),
    ]

    operations = [
        migrations.AddField(
            model_name="passage",
            name="format",
            field=models.CharField(default="jsonl", max_length=20),
            preserve_default=False,
        ),
        migrations.AlterField(
            model_name="passage",
            name="source",
            field=pipeline.models.data.PassageSourceField(
                default=pipeline.importing.passage.PassageSource
            ),
        ),
        migrations.RunSQL(
            """UPDATE pipeline_passage SET source = '{"extra":' || source || '}'""",
            migrations.RunSQL.noop,
        ),
        migrations.AlterField(
            model_name="passage",
            name="created_at",
            field=models.DateTimeField(db_default=django.db.models.functions.Now()),
        ),
    ]
