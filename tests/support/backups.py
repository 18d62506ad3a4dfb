"""The content of backups, and later changes."""

import shutil
from pathlib import Path
from typing import Any

from django.apps import apps

from rarrweb.accounts.models import User
from rarrweb.operations.backups.creation import FOLDERS
from tests.support.factories import make_corpus, make_user


def state_of(var: Path) -> tuple[dict[str, list[dict[str, Any]]], dict[str, bytes]]:
    tables = {
        model._meta.db_table: list(model._base_manager.order_by("pk").values())
        for model in apps.get_models(include_auto_created=True)
    }
    files = {
        str(path.relative_to(var)): path.read_bytes()
        for name in (*FOLDERS, "secret_key")
        for path in (var / name, *(var / name).rglob("*"))
        if path.is_file()
    }
    return tables, files


def change(var: Path) -> None:
    User.objects.all().delete()
    make_user("mallory")
    make_corpus(name="Later")
    shutil.rmtree(var / "corpora" / "norway")
    (var / "corpora" / "later").mkdir()
    (var / "corpora" / "later" / "meta.json").write_text("[]")
    (var / "uploads" / "abc.csv").write_text("changed")
    (var / "secret_key").write_text("z" * 64)
