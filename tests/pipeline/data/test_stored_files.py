"""What a killed process left in the state folder goes; what somebody waits for stays."""

import os
import time
from pathlib import Path

import pytest
from pytest_django import Settings

from pipeline.data.stored_files import ABANDONED_SECONDS
from pipeline.models import Upload
from pipeline.workers import recovery
from rarrweb.accounts.models import User


@pytest.mark.django_db
def test_a_sweep_removes_old_files_that_no_upload_knows(
    settings: Settings, tmp_path: Path, researcher: User
) -> None:
    settings.VAR_DIR, settings.UPLOAD_DIR = tmp_path, tmp_path / "uploads"
    command = settings.UPLOAD_DIR / "command-x"
    command.mkdir(parents=True)
    names = {"file_name": "a.csv", "stored_name": "known.csv"}
    Upload.objects.create(kind=Upload.Kind.PASSAGES, size=1, created_by=researcher, **names)
    gone = ["uploads/lost.csv", "uploads/lost.csv.0.rows", "tmp1.upload.csv"]
    stored = ["uploads/known.csv", "uploads/known.csv.rows.jsonl", "db.sqlite3", "uploads/new.csv"]
    for name in (*gone, *stored):
        (tmp_path / name).touch()
    long_ago = time.time() - ABANDONED_SECONDS - 60
    for path in tmp_path.rglob("*"):
        if path.name != "new.csv":
            os.utime(path, (long_ago, long_ago))
    recovery.sweep()
    names_left = sorted(p.relative_to(tmp_path).as_posix() for p in tmp_path.rglob("*"))
    assert names_left == sorted(["uploads", *stored])
