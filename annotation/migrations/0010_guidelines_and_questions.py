"""Instructions in versions, and questions with their answers."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0009_training_and_gold"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name="campaign",
            name="guidelines_version",
            field=models.PositiveIntegerField(default=0),
        ),
        migrations.AddField(
            model_name="judgment",
            name="guidelines_version",
            field=models.PositiveIntegerField(null=True),
        ),
        migrations.CreateModel(
            name="Thread",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("sentence", models.PositiveIntegerField(null=True)),
                ("asked_at", models.DateTimeField()),
                ("last_at", models.DateTimeField()),
                ("waits", models.BooleanField(default=True)),
                ("closed_at", models.DateTimeField(null=True)),
                ("published_through", models.BigIntegerField(null=True)),
                (
                    "asked_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="threads",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "campaign",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="threads",
                        to="annotation.campaign",
                    ),
                ),
                (
                    "item",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="threads",
                        to="annotation.item",
                    ),
                ),
            ],
            options={
                "ordering": ["-last_at", "-pk"],
            },
        ),
        migrations.CreateModel(
            name="Message",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("is_askers", models.BooleanField()),
                ("text", models.TextField()),
                ("written_at", models.DateTimeField()),
                (
                    "author",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "thread",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="messages",
                        to="annotation.thread",
                    ),
                ),
            ],
            options={
                "ordering": ["pk"],
            },
        ),
        migrations.CreateModel(
            name="GuidelinesVersion",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.PositiveIntegerField()),
                ("text", models.TextField()),
                ("note", models.CharField(blank=True, max_length=500)),
                ("created_at", models.DateTimeField()),
                (
                    "campaign",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="guidelines_versions",
                        to="annotation.campaign",
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
                    "thread",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="examples",
                        to="annotation.thread",
                    ),
                ),
            ],
            options={
                "ordering": ["campaign", "number"],
            },
        ),
        migrations.CreateModel(
            name="ThreadReading",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("read_through", models.BigIntegerField()),
                (
                    "thread",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="readings",
                        to="annotation.thread",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["thread", "user"],
            },
        ),
        migrations.CreateModel(
            name="GuidelinesReading",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("read_at", models.DateTimeField()),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "version",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="readings",
                        to="annotation.guidelinesversion",
                    ),
                ),
            ],
            options={
                "ordering": ["version", "read_at"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("user", "version"), name="annotation_guidelines_read_once"
                    )
                ],
            },
        ),
        migrations.AddIndex(
            model_name="thread",
            index=models.Index(fields=["campaign", "-last_at"], name="annotation_thread_newest"),
        ),
        migrations.AddIndex(
            model_name="message",
            index=models.Index(fields=["author", "written_at"], name="annotation_message_pace"),
        ),
        migrations.AddConstraint(
            model_name="guidelinesversion",
            constraint=models.UniqueConstraint(
                fields=("campaign", "number"), name="annotation_guidelines_number"
            ),
        ),
        migrations.AddConstraint(
            model_name="guidelinesversion",
            constraint=models.CheckConstraint(
                condition=models.Q(("number__gte", 1)), name="annotation_guidelines_from_1"
            ),
        ),
        migrations.AddConstraint(
            model_name="threadreading",
            constraint=models.UniqueConstraint(
                fields=("user", "thread"), name="annotation_thread_read_once"
            ),
        ),
    ]
