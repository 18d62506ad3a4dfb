"""The tables of the machine's work, as they were on 22 November 2026."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    replaces = [
        ("pipeline", "0001_initial"),
        ("pipeline", "0002_calls_budgets_and_kept_answers"),
        ("pipeline", "0003_runs_without_a_corpus"),
        ("pipeline", "0004_restrictive_attribution"),
    ]

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="KeptAnswer",
            fields=[
                ("key", models.CharField(max_length=64, primary_key=True, serialize=False)),
                ("value", models.TextField()),
                ("kept_at", models.DateTimeField(db_index=True)),
            ],
        ),
        migrations.CreateModel(
            name="Worker",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=200, unique=True)),
                ("started_at", models.DateTimeField()),
                ("last_seen", models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name="Corpus",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("slug", models.SlugField(max_length=100, unique=True)),
                ("name", models.CharField(max_length=200)),
                ("description", models.TextField(blank=True)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("empty", "empty"),
                            ("queued", "waiting to be indexed"),
                            ("indexing", "being indexed"),
                            ("ready", "ready"),
                            ("failed", "failed"),
                        ],
                        default="empty",
                        max_length=20,
                    ),
                ),
                ("document_count", models.PositiveIntegerField(default=0)),
                ("indexed_count", models.PositiveIntegerField(default=0)),
                ("error", models.TextField(blank=True)),
                ("claim", models.CharField(blank=True, max_length=40)),
                ("lease_until", models.DateTimeField(null=True)),
                (
                    "created_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "corpora",
                "ordering": ["-created_at", "-pk"],
            },
        ),
        migrations.CreateModel(
            name="Dataset",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("slug", models.SlugField(max_length=100, unique=True)),
                ("name", models.CharField(max_length=200)),
                ("description", models.TextField(blank=True)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("passage_count", models.PositiveIntegerField(default=0)),
                ("is_complete", models.BooleanField(default=True)),
                (
                    "created_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["-created_at", "-pk"],
            },
        ),
        migrations.CreateModel(
            name="Passage",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("external_id", models.CharField(max_length=200)),
                ("text", models.TextField(blank=True)),
                ("context", models.TextField(blank=True)),
                (
                    "source",
                    models.JSONField(
                        blank=True,
                        default=dict,
                    ),
                ),
                ("content_hash", models.CharField(max_length=64)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "dataset",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="passages",
                        to="pipeline.dataset",
                    ),
                ),
            ],
            options={
                "ordering": ["pk"],
            },
        ),
        migrations.CreateModel(
            name="Run",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("system", models.CharField(max_length=50)),
                ("config", models.JSONField()),
                ("versions", models.JSONField(default=dict)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("started_at", models.DateTimeField(null=True)),
                ("finished_at", models.DateTimeField(null=True)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("running", "running"),
                            ("paused", "paused"),
                            ("cancelled", "cancelled"),
                            ("finished", "finished"),
                        ],
                        default="running",
                        max_length=20,
                    ),
                ),
                ("passage_count", models.PositiveIntegerField(default=0)),
                ("pause_reason", models.TextField(blank=True)),
                ("is_refreshed", models.BooleanField(default=False)),
                ("calls_spent", models.PositiveIntegerField(default=0)),
                ("tokens_spent", models.PositiveBigIntegerField(default=0)),
                ("cost_spent", models.FloatField(default=0.0)),
                (
                    "corpus",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="runs",
                        to="pipeline.corpus",
                    ),
                ),
                (
                    "created_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "dataset",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="runs",
                        to="pipeline.dataset",
                    ),
                ),
            ],
            options={
                "ordering": ["-pk"],
            },
        ),
        migrations.CreateModel(
            name="Revision",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("queued", "waiting"),
                            ("running", "being revised"),
                            ("done", "revised"),
                            ("failed", "failed"),
                        ],
                        default="queued",
                        max_length=20,
                    ),
                ),
                ("original_text", models.TextField(blank=True)),
                ("context", models.TextField(blank=True)),
                ("text", models.TextField(blank=True)),
                ("result", models.JSONField(blank=True, default=dict)),
                ("sentences", models.JSONField(blank=True, default=dict)),
                ("usage", models.JSONField(blank=True, default=dict)),
                ("calls", models.JSONField(blank=True, default=list)),
                ("is_changed", models.BooleanField(default=False)),
                ("edits_kept", models.PositiveIntegerField(default=0)),
                ("edits_rejected", models.PositiveIntegerField(default=0)),
                ("error_count", models.PositiveIntegerField(default=0)),
                ("attribution_before", models.FloatField(null=True)),
                ("attribution_after", models.FloatField(null=True)),
                ("attribution_restrictive", models.FloatField(null=True)),
                ("preservation", models.FloatField(null=True)),
                ("f1_ap", models.FloatField(null=True)),
                ("claim", models.CharField(blank=True, max_length=40)),
                ("lease_until", models.DateTimeField(null=True)),
                ("attempts", models.PositiveIntegerField(default=0)),
                ("not_before", models.DateTimeField(null=True)),
                ("sent_at", models.DateTimeField(null=True)),
                ("started_at", models.DateTimeField(null=True)),
                ("finished_at", models.DateTimeField(null=True)),
                ("failure", models.CharField(blank=True, max_length=100)),
                ("failure_message", models.TextField(blank=True)),
                (
                    "passage",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="revisions",
                        to="pipeline.passage",
                    ),
                ),
                (
                    "run",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="revisions",
                        to="pipeline.run",
                    ),
                ),
            ],
            options={
                "ordering": ["pk"],
            },
        ),
        migrations.CreateModel(
            name="Upload",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[("passages", "passages"), ("documents", "documents")],
                        max_length=20,
                    ),
                ),
                ("name", models.CharField(blank=True, max_length=200)),
                ("description", models.TextField(blank=True)),
                ("format", models.CharField(default="auto", max_length=20)),
                ("file_name", models.CharField(max_length=255)),
                ("stored_name", models.CharField(max_length=100, unique=True)),
                ("size", models.BigIntegerField(default=0)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("checking", "being checked"),
                            ("checked", "checked"),
                            ("importing", "being imported"),
                            ("done", "imported"),
                            ("failed", "failed"),
                        ],
                        default="checking",
                        max_length=20,
                    ),
                ),
                ("rows_done", models.PositiveIntegerField(default=0)),
                ("new_count", models.PositiveIntegerField(default=0)),
                ("same_count", models.PositiveIntegerField(default=0)),
                ("changed_count", models.PositiveIntegerField(default=0)),
                ("error_count", models.PositiveIntegerField(default=0)),
                ("errors", models.JSONField(blank=True, default=list)),
                ("failure", models.TextField(blank=True)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("finished_at", models.DateTimeField(null=True)),
                ("claim", models.CharField(blank=True, max_length=40)),
                ("lease_until", models.DateTimeField(null=True)),
                (
                    "corpus",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="uploads",
                        to="pipeline.corpus",
                    ),
                ),
                (
                    "created_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "dataset",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="uploads",
                        to="pipeline.dataset",
                    ),
                ),
            ],
            options={
                "ordering": ["-pk"],
            },
        ),
        migrations.CreateModel(
            name="Document",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("external_id", models.CharField(max_length=500)),
                ("title", models.CharField(blank=True, max_length=1000)),
                ("url", models.CharField(blank=True, max_length=2000)),
                ("text", models.TextField()),
                ("content_hash", models.CharField(max_length=64)),
                ("is_indexed", models.BooleanField(default=False)),
                (
                    "corpus",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="documents",
                        to="pipeline.corpus",
                    ),
                ),
            ],
            options={
                "ordering": ["pk"],
                "indexes": [
                    models.Index(
                        condition=models.Q(("is_indexed", False)),
                        fields=["corpus", "id"],
                        name="pipeline_doc_to_index",
                    )
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("corpus", "external_id"), name="pipeline_document_once_a_corpus"
                    )
                ],
            },
        ),
        migrations.AddConstraint(
            model_name="passage",
            constraint=models.UniqueConstraint(
                fields=("dataset", "external_id"), name="pipeline_passage_once_a_dataset"
            ),
        ),
        migrations.AddIndex(
            model_name="revision",
            index=models.Index(fields=["run", "state", "id"], name="pipeline_rev_by_state"),
        ),
        migrations.AddIndex(
            model_name="revision",
            index=models.Index(fields=["run", "finished_at"], name="pipeline_rev_by_end"),
        ),
        migrations.AddConstraint(
            model_name="revision",
            constraint=models.UniqueConstraint(
                fields=("run", "passage"), name="pipeline_revision_once_a_passage"
            ),
        ),
    ]
