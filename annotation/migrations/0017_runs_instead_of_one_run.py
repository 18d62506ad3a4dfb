"""A campaign's runs are the only truth about where its items come from; every item has a passage."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotation", "0016_fill_runs_of_a_campaign")]

    operations = [
        migrations.RemoveField(model_name="campaign", name="run"),
        migrations.AlterField(
            model_name="item",
            name="passage",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="items",
                to="pipeline.passage",
            ),
        ),
        migrations.AddIndex(
            model_name="item",
            index=models.Index(fields=["passage", "campaign"], name="annotation_item_of_passage"),
        ),
    ]
