from django.db import migrations, models


class Migration(migrations.Migration):
    """The index of the list of revisions also covers what comparisons read."""

    dependencies = [
        ("pipeline", "0016_sign_of_a_worker"),
    ]

    operations = [
        migrations.AddIndex(
            model_name="revision",
            index=models.Index(
                fields=[
                    "run",
                    "state",
                    "is_changed",
                    "edits_rejected",
                    "attribution_before",
                    "attribution_after",
                    "preservation",
                    "id",
                    "passage",
                    "attribution_restrictive",
                ],
                name="pipeline_rev_figures",
            ),
        ),
        migrations.RemoveIndex(
            model_name="revision",
            name="pipeline_rev_listed",
        ),
    ]
