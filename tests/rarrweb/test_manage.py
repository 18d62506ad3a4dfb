"""`manage.py` on a database that was never migrated."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings


@pytest.mark.parametrize(
    "command",
    [
        ["export", "--dataset", "rivers", "--format", "hagrid", "--out", "out.jsonl"],
        ["createsuperuser", "--noinput", "--username", "ruth"],
    ],
)
def test_without_tables_a_command_names_the_fix_in_one_sentence(
    tmp_path: Path, command: list[str]
) -> None:
    run = subprocess.run(
        [sys.executable, str(settings.BASE_DIR / "manage.py"), *command],
        env={**os.environ, "RARR_VAR": str(tmp_path / "var"), "DATABASE_URL": ""},
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert run.returncode == 2
    assert run.stderr == (
        "The database lacks tables of this version: "
        "run “manage.py migrate”, then this command again.\n"
    )
