"""Skips with a reason, releases, what was sent back, and time on task."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0003_adjudication"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name="assignment",
            name="active_ms",
            field=models.PositiveBigIntegerField(default=0),
        ),
        migrations.AddField(
            model_name="assignment",
            name="clicks",
            field=models.PositiveIntegerField(default=0),
        ),
        migrations.AddField(
            model_name="assignment",
            name="desk",
            field=models.UUIDField(null=True),
        ),
        migrations.AddField(
            model_name="assignment",
            name="desk_at",
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name="assignment",
            name="edited_at",
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name="assignment",
            name="idle_ms",
            field=models.PositiveBigIntegerField(default=0),
        ),
        migrations.AddField(
            model_name="assignment",
            name="keys",
            field=models.PositiveIntegerField(default=0),
        ),
        migrations.AddField(
            model_name="assignment",
            name="released_at",
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name="assignment",
            name="released_by",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="assignment",
            name="return_note",
            field=models.TextField(blank=True),
        ),
        migrations.AddField(
            model_name="assignment",
            name="returned_at",
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name="assignment",
            name="returned_by",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="assignment",
            name="returned_from",
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name="assignment",
            name="skip_note",
            field=models.TextField(blank=True),
        ),
        migrations.AddField(
            model_name="assignment",
            name="skip_reason",
            field=models.CharField(
                blank=True,
                choices=[
                    ("unclear", "I do not understand the passage"),
                    ("evidence", "The evidence is broken or missing"),
                    ("language", "It is in a language that I do not read well"),
                    ("upsetting", "I would rather not read this"),
                    ("known", "I know the text or who wrote it"),
                    ("other", "Something else"),
                ],
                max_length=30,
            ),
        ),
        migrations.AddField(
            model_name="assignment",
            name="skipped_at",
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name="assignment",
            name="visits",
            field=models.JSONField(default=dict),
        ),
        migrations.AddConstraint(
            model_name="assignment",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("slot", None),
                    models.Q(("released_at", None), ("skipped_at", None)),
                    _connector="OR",
                ),
                name="annotation_assignment_given_up_holds_no_slot",
            ),
        ),
    ]
