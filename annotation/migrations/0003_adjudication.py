"""Settled answers, beside what raters said."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0002_levels_texts_and_pairs"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Adjudication",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("criterion", models.CharField(max_length=30)),
                ("target", models.PositiveIntegerField()),
                ("value", models.IntegerField()),
                ("reason", models.TextField()),
                ("updated_at", models.DateTimeField()),
                (
                    "adjudicator",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="adjudications",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "item",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="adjudications",
                        to="annotation.item",
                    ),
                ),
            ],
            options={"ordering": ["item", "criterion", "target"]},
        ),
        migrations.AddConstraint(
            model_name="adjudication",
            constraint=models.UniqueConstraint(
                fields=("item", "criterion", "target"), name="annotation_adjudication_once"
            ),
        ),
    ]
