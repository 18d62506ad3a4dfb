"""A restore is complete or changes nothing."""

import itertools
import shutil
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from pipeline.models import Corpus, Dataset, Passage
from pipeline.workers import registry
from rarrweb.accounts.models import User
from rarrweb.operations.backups import archive, creation, restoration
from rarrweb.operations.backups.archive import BackupError
from rarrweb.operations.backups.restoration import restore
from tests.support.backups import change, state_of
from tests.support.factories import make_user

pytestmark = pytest.mark.django_db(transaction=True)


def test_the_backup_is_restored_and_the_previous_state_preserved(
    filled: Path, tmp_path: Path
) -> None:
    before = state_of(filled)
    call_command("backup", str(tmp_path / "one.zip"))
    assert (tmp_path / "one.zip").stat().st_mode & 0o777 == 0o600
    assert state_of(filled) == before
    change(filled)
    changed = state_of(filled)
    assert changed != before
    call_command("restore", str(tmp_path / "one.zip"), "--replace")
    assert state_of(filled) == before
    [stored] = (filled / "backups").glob("before-restore-*.zip")
    restore(stored, replace=True)
    assert state_of(filled) == changed
    assert not restoration.work_folder().exists()
    assert list(filled.glob(f"{creation.TEMPORARY}*")) == []


def test_rows_after_a_restore_get_new_numbers(filled: Path, tmp_path: Path) -> None:
    creation.make_backup(tmp_path / "one.zip")
    numbers = set(User.objects.values_list("pk", flat=True))
    restore(tmp_path / "one.zip", replace=True)
    assert make_user("later").pk not in numbers


@pytest.mark.parametrize("left", ["nothing", "rows", "files"])
def test_only_an_empty_installation_needs_no_replace(
    filled: Path, tmp_path: Path, left: str
) -> None:
    full = state_of(filled)
    creation.make_backup(tmp_path / "one.zip")
    if left != "rows":
        for model in (User, Passage, Dataset, Corpus):
            model._base_manager.all().delete()
    if left != "files":
        for name in creation.FOLDERS:
            shutil.rmtree(filled / name)
    if left == "nothing":
        assert restore(tmp_path / "one.zip")[1] is None
        assert state_of(filled) == full
        return
    before = state_of(filled)
    with pytest.raises(CommandError, match="--replace"):
        call_command("restore", str(tmp_path / "one.zip"))
    assert state_of(filled) == before


def rewritten(source: Path, target: Path, **changes: bytes | None) -> Path:
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w") as new:
        for name in old.namelist():
            if name not in changes:
                new.writestr(name, old.read(name))
        for name, content in changes.items():
            if content is not None:
                new.writestr(name, content)
    return target


def bad_archives(good: Path, folder: Path) -> Iterator[tuple[Path, str]]:
    """Yield broken backups, and a part of the error."""
    content = good.read_bytes()
    cut = folder / "cut.zip"
    cut.write_bytes(content[: len(content) * 2 // 3])
    yield cut, "is damaged"
    flipped = folder / "flipped.zip"
    with zipfile.ZipFile(good) as opened:  # in the data of a member: a changed time is no damage
        member = max(opened.infolist(), key=lambda each: each.compress_size)
    middle = member.header_offset + 30 + len(member.filename) + member.compress_size // 2
    flipped.write_bytes(content[:middle] + bytes([content[middle] ^ 0xFF]) + content[middle + 1 :])
    yield flipped, "is damaged"
    with zipfile.ZipFile(good) as opened:
        manifest = opened.read(archive.MANIFEST).decode()
    yield rewritten(good, folder / "other.zip", **{"files/uploads/abc.csv": b"other"}), "damaged"
    other = "does not have the files"
    yield rewritten(good, folder / "more.zip", **{"files/x": b"x"}), other
    yield rewritten(good, folder / "less.zip", **{"files/uploads/abc.csv": None}), other
    yield rewritten(good, folder / "none.zip", **{archive.MANIFEST: None}), "not a backup"
    newer = manifest.replace('"format": 1', '"format": 2').encode()
    yield rewritten(good, folder / "format.zip", **{archive.MANIFEST: newer}), "another version"
    later = manifest.replace("0001_initial", "0099_of_tomorrow").encode()
    yield rewritten(good, folder / "later.zip", **{archive.MANIFEST: later}), "newer version"
    engine = manifest.replace(f'"{connection.vendor}"', '"oracle"').encode()
    yield rewritten(good, folder / "engine.zip", **{archive.MANIFEST: engine}), "backup of oracle"
    yield folder / "nowhere.zip", "There is no file"


def test_a_backup_that_is_not_sound_changes_nothing(filled: Path, tmp_path: Path) -> None:
    creation.make_backup(tmp_path / "good.zip")
    change(filled)
    before = state_of(filled)
    for path, message in bad_archives(tmp_path / "good.zip", tmp_path):
        with pytest.raises(BackupError, match=message):
            restore(path, replace=True)
        assert state_of(filled) == before, path.name
        assert not restoration.work_folder().exists()
    assert not (filled / "backups").exists()


class Killed(BaseException):
    """No handler of errors catches it."""


def test_a_database_that_fails_leaves_the_old_files_and_rows(
    filled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The database fails after the folders were moved."""
    creation.make_backup(tmp_path / "one.zip")
    change(filled)
    before = state_of(filled)
    load = restoration.load_database

    def load_nonsense(source: Path) -> None:
        content = source.read_bytes()
        source.write_bytes(content[:9000] + b"nonsense" * 500 + content[13000:])
        load(source)

    monkeypatch.setattr(restoration, "load_database", load_nonsense)
    with pytest.raises(BackupError, match=r"could not be copied|pg_restore failed|damaged"):
        restore(tmp_path / "one.zip", replace=True)
    assert state_of(filled) == before
    assert list(restoration.check()) == []


@pytest.mark.parametrize("step", range(12))
def test_an_interrupted_restore_blocks_commands_and_can_be_repeated(
    filled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: int
) -> None:
    new = state_of(filled)
    creation.make_backup(tmp_path / "new.zip")
    change(filled)
    old_tables, old_files = state_of(filled)
    rename, renamed = Path.rename, itertools.count()

    def rename_or_die(path: Path, target: Path) -> Path:
        if "zip" not in path.name and next(renamed) == step:
            raise Killed
        return rename(path, target)

    def die(*_: object) -> None:
        raise Killed

    with monkeypatch.context() as patched:
        patched.setattr(Path, "rename", rename_or_die)
        patched.setattr(restoration, "load_database", die)
        patched.setattr(restoration, "_put_back_or_finish", lambda: None)
        with pytest.raises(Killed):
            restore(tmp_path / "new.zip", replace=True)
    [fault] = restoration.check()
    assert "restore FILE --replace" in str(fault.hint)
    (tmp_path / "bad.zip").write_text("text")
    with pytest.raises(BackupError, match="is damaged"):
        restore(tmp_path / "bad.zip", replace=True)
    assert state_of(filled) == (old_tables, old_files)
    assert list(restoration.check()) == []
    restore(tmp_path / "new.zip", replace=True)
    assert state_of(filled) == new


def test_a_command_killed_after_the_database_ends_with_the_new_files(
    filled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    new = state_of(filled)
    creation.make_backup(tmp_path / "new.zip")
    change(filled)
    with monkeypatch.context() as patched:
        patched.setattr(restoration, "_put_back_or_finish", lambda: None)
        restore(tmp_path / "new.zip", replace=True)
    assert list(restoration.check())
    with pytest.raises(BackupError, match="There is no file"):
        restore(tmp_path / "none.zip", replace=True)
    assert state_of(filled) == new
    assert list(restoration.check()) == []


def test_nobody_restores_under_a_living_worker(filled: Path, tmp_path: Path) -> None:
    creation.make_backup(tmp_path / "one.zip")
    registry.beat("a worker")
    with pytest.raises(CommandError, match="A worker is running"):
        call_command("restore", str(tmp_path / "one.zip"), "--replace")
