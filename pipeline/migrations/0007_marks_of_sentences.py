from django.db import migrations, models

BATCH = 500
ATTRIBUTED = 0.5


def fill_marks(apps, schema_editor):
    """The letters of `engine.auto_ais.marks_of`, of the scores that rows already have."""
    revisions = apps.get_model("pipeline", "Revision").objects.using(schema_editor.connection.alias)
    batch = []
    for row in revisions.filter(state="done").only("sentences").iterator(chunk_size=BATCH):
        row.marks = "".join(map(mark_of, row.sentences.get("after") or []))
        batch.append(row)
        if len(batch) == BATCH:
            revisions.bulk_update(batch, ["marks"])
            batch = []
    revisions.bulk_update(batch, ["marks"])


def mark_of(sentence):
    entailed, contradicted = sentence.get("entailed"), sentence.get("contradicted")
    if entailed is None:
        return "-"
    is_contradicted = contradicted is not None and contradicted >= ATTRIBUTED
    if entailed >= ATTRIBUTED:
        is_other = sentence.get("evidence") != sentence.get("contradicted_by")
        return "d" if is_contradicted and is_other else "a"
    return "c" if is_contradicted else "n"


class Migration(migrations.Migration):
    dependencies = [
        ("pipeline", "0006_trials"),
    ]

    operations = [
        migrations.AddField("revision", "marks", models.TextField(blank=True)),
        migrations.AddField("trial", "marks", models.TextField(blank=True)),
        migrations.RunPython(fill_marks, migrations.RunPython.noop),
    ]
