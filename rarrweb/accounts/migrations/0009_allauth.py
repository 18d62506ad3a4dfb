from typing import Any

from django.core.management import call_command
from django.db import migrations


def create_cache_table(apps: Any, schema_editor: Any) -> None:
    call_command("createcachetable", database=schema_editor.connection.alias, verbosity=0)


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0008_remove_audit_log"),
    ]

    operations = [
        migrations.DeleteModel(name="LogInFailure"),
        migrations.DeleteModel(name="SecondFactor"),
        migrations.DeleteModel(name="RecoveryCode"),
        migrations.DeleteModel(name="ProviderIdentity"),
        migrations.RunPython(create_cache_table, migrations.RunPython.noop),
    ]
