"""What a backup holds, and what people change after it."""

import shutil
from pathlib import Path
from typing import Any

from rarrweb.accounts.models import User
from rarrweb.backups import files
from rarrweb.backups.digests import rows_of, sum_rows
from rarrweb.backups.transfer import tables_of_all
from tests.support.factories import make_corpus, make_user


def state_of(var: Path) -> tuple[dict[str, Any], dict[str, bytes]]:
    """All rows, as sums, and all files that a backup is for."""
    tables = {}
    for model in tables_of_all():
        total = sum_rows(rows_of(model, "default"), lambda _row: None)
        tables[model._meta.db_table] = (total.rows, total.total)
    held = {
        str(path.relative_to(var)): path.read_bytes()
        for name in (*files.FOLDERS, "secret_key")
        for path in (var / name, *(var / name).rglob("*"))
        if path.is_file()
    }
    return tables, held


def change(var: Path) -> None:
    """What people do after a backup."""
    User.objects.all().delete()
    make_user("mallory")
    make_corpus(name="Later")
    shutil.rmtree(var / "corpora" / "norway")
    (var / "corpora" / "later").mkdir()
    (var / "corpora" / "later" / "meta.json").write_text("[]")
    (var / "uploads" / "abc.csv").write_text("changed")
    (var / "secret_key").write_text("z" * 64)
