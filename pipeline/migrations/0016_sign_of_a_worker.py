from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("pipeline", "0015_where_a_corpus_is_indexed"),
    ]

    operations = [
        # Null, since a worker of the version before goes on writing rows without it.
        migrations.AddField(
            model_name="worker",
            name="has_sign",
            field=models.BooleanField(null=True),
        ),
    ]
