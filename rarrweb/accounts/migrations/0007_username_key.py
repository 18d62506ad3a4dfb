"""One account a user name, however the name is written."""

import unicodedata
from typing import Any

from django.db import migrations, models


def fill_keys(apps: Any, schema_editor: Any) -> None:
    users = apps.get_model("accounts", "User").objects.using(schema_editor.connection.alias)
    for pk, name in users.values_list("pk", "username"):
        plain = unicodedata.normalize("NFKC", name.strip()).casefold()
        users.filter(pk=pk).update(username_key=unicodedata.normalize("NFKC", plain))


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0006_provider_identity"),
    ]

    operations = [
        migrations.AddField(
            model_name="user",
            name="username_key",
            field=models.CharField(editable=False, max_length=500, null=True),
        ),
        migrations.RunPython(fill_keys, migrations.RunPython.noop),
        migrations.AlterField(
            model_name="user",
            name="username_key",
            field=models.CharField(editable=False, max_length=500, unique=True),
        ),
    ]
