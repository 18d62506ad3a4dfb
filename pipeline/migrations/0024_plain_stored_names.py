"""Rename what plain English has other words for."""

from typing import Any

from django.db import migrations


def rename_unrevised(apps: Any, editor: Any) -> None:
    apps.get_model("pipeline", "Run").objects.filter(system="as-it-is").update(system="unrevised")


def rename_back(apps: Any, editor: Any) -> None:
    apps.get_model("pipeline", "Run").objects.filter(system="unrevised").update(system="as-it-is")


class Migration(migrations.Migration):
    dependencies = [("pipeline", "0023_passages_are_typed")]
    operations = [
        migrations.RenameModel("KeptAnswer", "CachedAnswer"),
        migrations.RenameField("CachedAnswer", "kept_at", "cached_at"),
        migrations.RenameField("Revision", "edits_kept", "edits_accepted"),
        migrations.RenameField("ScoringJob", "left_out", "failed_passages"),
        migrations.RunPython(rename_unrevised, rename_back),
    ]
