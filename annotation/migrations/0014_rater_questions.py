import django.db.models.deletion
from django.apps.registry import Apps
from django.conf import settings
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


def copy_threads(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    alias = schema_editor.connection.alias
    questions = apps.get_model("annotation", "RaterQuestion").objects.using(alias)
    answers = apps.get_model("annotation", "RaterAnswer").objects.using(alias)
    for thread in apps.get_model("annotation", "Thread").objects.using(alias):
        messages = thread.messages.order_by("pk")
        asked = "\n\n".join(each.text for each in messages if each.is_askers)
        question = questions.create(
            pk=thread.pk,
            campaign_id=thread.campaign_id,
            item_id=thread.item_id,
            sentence=thread.sentence,
            asked_by_id=thread.asked_by_id,
            asked_at=thread.asked_at,
            text=asked,
        )
        for each in messages:
            if not each.is_askers:
                answers.create(
                    question=question,
                    author_id=each.author_id,
                    text=each.text,
                    written_at=each.written_at,
                )


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0013_remove_edit_lock"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.RemoveField(model_name="guidelinesversion", name="thread"),
        migrations.CreateModel(
            name="RaterQuestion",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("sentence", models.PositiveIntegerField(null=True)),
                ("asked_at", models.DateTimeField()),
                ("text", models.TextField()),
                ("read_through", models.BigIntegerField(default=0)),
                (
                    "asked_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="rater_questions",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "campaign",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="rater_questions",
                        to="annotation.campaign",
                    ),
                ),
                (
                    "item",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="rater_questions",
                        to="annotation.item",
                    ),
                ),
            ],
            options={
                "ordering": ["-pk"],
                "indexes": [
                    models.Index(fields=["asked_by", "asked_at"], name="annotation_question_pace")
                ],
            },
        ),
        migrations.CreateModel(
            name="RaterAnswer",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
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
                    "question",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="answers",
                        to="annotation.raterquestion",
                    ),
                ),
            ],
            options={"ordering": ["pk"]},
        ),
        migrations.RunPython(copy_threads, migrations.RunPython.noop),
        migrations.DeleteModel(name="ThreadReading"),
        migrations.DeleteModel(name="Message"),
        migrations.DeleteModel(name="Thread"),
    ]
