"""Rows can be archived; lists find their order in an index."""

from django.db import migrations, models
from django.db.models.functions import Lower


class Migration(migrations.Migration):
    dependencies = [
        ("pipeline", "0004_upload_columns"),
    ]

    operations = [
        migrations.AddField(
            model_name="corpus",
            name="archived_at",
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name="dataset",
            name="archived_at",
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name="run",
            name="archived_at",
            field=models.DateTimeField(null=True),
        ),
        migrations.AddIndex(
            model_name="corpus",
            index=models.Index(Lower("name"), models.F("id"), name="pipeline_corpus_by_name"),
        ),
        migrations.AddIndex(
            model_name="corpus",
            index=models.Index(fields=["created_at", "id"], name="pipeline_corpus_by_date"),
        ),
        migrations.AddIndex(
            model_name="dataset",
            index=models.Index(Lower("name"), models.F("id"), name="pipeline_dataset_by_name"),
        ),
        migrations.AddIndex(
            model_name="dataset",
            index=models.Index(fields=["created_at", "id"], name="pipeline_dataset_by_date"),
        ),
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
                ],
                name="pipeline_rev_listed",
            ),
        ),
    ]
