"""A state folder with files."""

from pathlib import Path

import pytest
from pytest_django import Settings

from rarrweb.operations.backups.creation import FOLDERS
from tests.support.factories import make_corpus, make_passage, make_user


@pytest.fixture
def var(settings: Settings, tmp_path: Path) -> Path:
    folder = tmp_path / "var"
    settings.VAR_DIR = folder
    settings.CORPUS_DIR, settings.UPLOAD_DIR = folder / "corpora", folder / "uploads"
    settings.BACKUP_DIR = folder / "backups"
    for name in FOLDERS:
        (folder / name).mkdir(parents=True)
    (folder / "secret_key").write_text("k" * 64)
    return folder


@pytest.fixture
def filled(var: Path) -> Path:
    make_user("ruth", role="researcher")
    make_passage(text="Ein Satz, “quoted”, 日本.")
    make_corpus(name="Norway")
    index = var / "corpora" / "norway"
    index.mkdir()
    (index / "meta.json").write_text("{}")
    (index / "one.store").write_bytes(b"\x00\x01" * 500)
    (var / "uploads" / "abc.csv").write_text("text\none\n")
    return var
