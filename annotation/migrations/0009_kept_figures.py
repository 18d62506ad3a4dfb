"""Figures that a worker counts, and the job that counts each."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0008_left_out_answers"),
    ]

    operations = [
        migrations.CreateModel(
            name="KeptFigure",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("claim", models.CharField(blank=True, max_length=40)),
                ("lease_until", models.DateTimeField(null=True)),
                ("lost_leases", models.PositiveSmallIntegerField(default=0)),
                ("key", models.CharField(max_length=64, unique=True)),
                ("name", models.CharField(max_length=60)),
                ("arguments", models.JSONField(default=dict)),
                ("language", models.CharField(blank=True, max_length=16)),
                ("code", models.CharField(max_length=16)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("queued", "waiting for a worker"),
                            ("counting", "being counted"),
                            ("done", "counted"),
                            ("failed", "failed"),
                        ],
                        default="queued",
                        max_length=20,
                    ),
                ),
                ("asked_at", models.DateTimeField()),
                ("failure", models.TextField(blank=True)),
                ("finished_at", models.DateTimeField(null=True)),
                ("value", models.JSONField(null=True)),
                ("work", models.CharField(blank=True, max_length=64)),
                ("counted_at", models.DateTimeField(null=True)),
                ("seconds", models.FloatField(default=0.0)),
                (
                    "campaign",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="kept_figures",
                        to="annotation.campaign",
                    ),
                ),
            ],
            options={
                "abstract": False,
            },
        ),
    ]
