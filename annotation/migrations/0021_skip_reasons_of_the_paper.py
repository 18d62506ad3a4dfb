"""Two reasons to skip go: RARR's raters mark such sentences as not attributable and comment."""

from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.models import Value
from django.db.models.functions import Concat

GONE = {
    "unclear": "I do not understand the passage. ",
    "evidence": "The evidence is broken or missing. ",
}


def keep_as_words(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    assignments = apps.get_model("annotation", "Assignment").objects
    for reason, words in GONE.items():
        assignments.filter(skip_reason=reason).update(
            skip_reason="other", skip_note=Concat(Value(words), "skip_note")
        )


class Migration(migrations.Migration):
    dependencies = [("annotation", "0020_plain_names")]
    operations = [
        migrations.RunPython(keep_as_words, migrations.RunPython.noop),
        migrations.AlterField(
            model_name="assignment",
            name="skip_reason",
            field=models.CharField(
                blank=True,
                choices=[
                    ("language", "It is in a language that I do not read well"),
                    ("upsetting", "I would rather not read this"),
                    ("known", "I know the text or who wrote it"),
                    ("other", "Something else"),
                ],
                max_length=30,
            ),
        ),
    ]
