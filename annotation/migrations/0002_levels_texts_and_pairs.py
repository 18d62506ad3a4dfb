"""Answers become levels or texts, items may be pairs and know who cites what.

A yes was stored as true and is 1 from now on, a no is 0; nothing else of what raters said
changes. Going back is possible as long as every answer is still a yes or a no.
"""

from django.db import migrations, models


def check_that_nothing_is_lost(apps, schema_editor):
    """Before going back: an answer that a boolean cannot hold, or a pair, stops it."""
    database = schema_editor.connection.alias
    judgments = apps.get_model("annotation", "Judgment").objects.using(database)
    richer = judgments.exclude(value__in=[0, 1]).exclude(value=None) | judgments.exclude(text="")
    items = apps.get_model("annotation", "Item").objects.using(database)
    pairs = items.filter(side="pair") | items.exclude(second_text="")
    if count := richer.count():
        raise RuntimeError(
            f"{count:,} answers are more than a yes or a no, and annotation 0001 has no room for "
            "them: export their campaigns and delete these, then migrate back."
        )
    if count := pairs.count():
        raise RuntimeError(
            f"{count:,} items are pairs of passages, and annotation 0001 has no room for them: "
            "export their campaigns and delete these, then migrate back."
        )


class Migration(migrations.Migration):
    dependencies = [("annotation", "0001_initial")]

    operations = [
        migrations.AlterField(
            model_name="campaign",
            name="sides",
            field=models.CharField(
                choices=[
                    ("both", "before and after"),
                    ("before", "before: the original passages"),
                    ("after", "after: the revisions"),
                    ("pair", "both together, side by side"),
                ],
                default="after",
                max_length=10,
            ),
        ),
        migrations.AlterField(
            model_name="item",
            name="side",
            field=models.CharField(
                choices=[("before", "before"), ("after", "after"), ("pair", "pair")], max_length=10
            ),
        ),
        migrations.AddField(
            model_name="item",
            name="citations",
            field=models.JSONField(default=list),
        ),
        migrations.AddField(
            model_name="item",
            name="second_text",
            field=models.TextField(blank=True, default=""),
            preserve_default=False,
        ),
        migrations.AddField(
            model_name="item",
            name="second_sentences",
            field=models.JSONField(default=list),
        ),
        migrations.AddField(
            model_name="item",
            name="first_side",
            field=models.CharField(blank=True, default="", max_length=10),
            preserve_default=False,
        ),
        migrations.AlterField(
            model_name="judgment",
            name="value",
            field=models.IntegerField(null=True),
        ),
        migrations.AddField(
            model_name="judgment",
            name="text",
            field=models.TextField(blank=True, default=""),
            preserve_default=False,
        ),
        # Last, and so the first to run on the way back.
        migrations.RunPython(migrations.RunPython.noop, check_that_nothing_is_lost),
    ]
