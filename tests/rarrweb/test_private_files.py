"""The state folder is private, whatever the umask."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.installation import ROOT


def run_with_loose_umask(*command: str, var: Path, database: Path | None = None) -> None:
    stored = {name: value for name, value in os.environ.items() if not name.startswith("RARR_")}
    subprocess.run(
        [sys.executable, *command],
        cwd=ROOT,
        env={
            **stored,
            "RARR_VAR": str(var),
            "DATABASE_URL": f"sqlite:///{database or var / 'db.sqlite3'}",
            "CELERY_BROKER_URL": "filesystem://",
            "DJANGO_SETTINGS_MODULE": "rarrweb.settings",
        },
        umask=0,
        check=True,
    )


def loose(var: Path) -> dict[str, str]:
    paths = [path for path in (var, *var.rglob("*")) if not path.is_symlink()]
    modes = {path: path.stat().st_mode & 0o777 for path in paths}
    return {str(path): f"{mode:o}" for path, mode in modes.items() if mode & 0o077}


def test_a_new_installation_is_shut_under_a_loose_umask(tmp_path: Path) -> None:
    var = tmp_path / "var"
    run_with_loose_umask("manage.py", "migrate", "-v", "0", var=var)
    (tmp_path / "page.txt").write_text("Oslo lies on a fjord.")
    load = ("load_corpus", str(tmp_path / "page.txt"), "--name", "Norway")
    run_with_loose_umask("manage.py", *load, var=var)
    names = {path.name for path in var.rglob("*")}
    assert {"db.sqlite3", "secret_key", "messages", "meta.json"} <= names
    assert loose(var) == {}


def test_an_installation_of_an_older_version_is_shut_at_the_next_start(tmp_path: Path) -> None:
    var = tmp_path / "var"
    folders = [var, var / "corpora", var / "corpora" / "norway"]
    for folder in folders:
        folder.mkdir()
        folder.chmod(0o755)
    elsewhere = tmp_path / "elsewhere"
    files = [var / "db.sqlite3", var / "db.sqlite3-wal", folders[-1] / "meta.json", elsewhere]
    for file in files:
        file.touch()
        file.chmod(0o644)
    (var / "link").symlink_to(elsewhere)
    run_with_loose_umask("-c", "import rarrweb.settings", var=var)
    assert loose(var) == {}
    assert elsewhere.stat().st_mode & 0o777 == 0o644


def test_a_database_next_to_the_state_folder_is_shut_too(tmp_path: Path) -> None:
    database = tmp_path / "rarr.sqlite3"
    database.touch()
    database.chmod(0o644)
    run_with_loose_umask("-c", "import rarrweb.settings", var=tmp_path / "var", database=database)
    assert database.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    ("umask", "mode"), [(0o022, 0o644), (0o002, 0o664)], ids=["strict", "shared"]
)
def test_a_requested_file_has_the_mode_of_the_users_umask(
    tmp_path: Path, umask: int, mode: int
) -> None:
    out = tmp_path / "out.jsonl"
    code = (
        "import pathlib, rarrweb.settings; from pipeline.files.jsonl_files import lines_out\n"
        f"with lines_out(pathlib.Path({str(out)!r})) as write: write({{}})"
    )
    environment = {**os.environ, "RARR_VAR": str(tmp_path / "var")}
    command = [sys.executable, "-c", code]
    subprocess.run(command, cwd=ROOT, env=environment, umask=umask, check=True)
    assert out.stat().st_mode & 0o777 == mode
