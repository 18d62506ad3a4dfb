"""A restore puts back all that a backup holds, or nothing."""

import shutil
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from pipeline.models import Corpus, Dataset, Passage
from pipeline.workers import registry
from rarrweb.accounts.models import User
from rarrweb.backups import archive, files, making, postgresql, restoring, sqlite
from rarrweb.backups.refusals import Refused
from rarrweb.backups.restoring import restore
from tests.support.backups import change, state_of
from tests.support.factories import make_user

pytestmark = pytest.mark.django_db(transaction=True)


def test_what_was_copied_comes_back_and_what_was_there_is_kept(
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
    [kept] = (filled / "backups").glob("before-restore-*.zip")
    restore(kept, replace=True)
    assert state_of(filled) == changed
    assert not restoring.work_folder().exists()
    assert list(filled.glob(f"{making.STAGE}*")) == []


def test_an_empty_place_needs_no_leave(filled: Path, tmp_path: Path) -> None:
    before = state_of(filled)
    making.make_backup(tmp_path / "one.zip")
    for model in (User, Passage, Dataset, Corpus):
        model._base_manager.all().delete()
    for name in files.FOLDERS:
        shutil.rmtree(filled / name)
    restored = restore(tmp_path / "one.zip")
    assert restored.before is None
    assert not restored.is_older
    assert state_of(filled) == before


def test_rows_after_a_restore_get_new_numbers(filled: Path, tmp_path: Path) -> None:
    making.make_backup(tmp_path / "one.zip")
    numbers = set(User.objects.values_list("pk", flat=True))
    restore(tmp_path / "one.zip", replace=True)
    assert make_user("later").pk not in numbers


@pytest.mark.parametrize("what", ["rows", "files"])
def test_a_place_in_use_is_left_alone(filled: Path, tmp_path: Path, what: str) -> None:
    making.make_backup(tmp_path / "one.zip")
    if what == "files":
        for model in (User, Passage, Dataset, Corpus):
            model._base_manager.all().delete()
    else:
        for name in files.FOLDERS:
            shutil.rmtree(filled / name)
    before = state_of(filled)
    with pytest.raises(CommandError, match="--replace"):
        call_command("restore", str(tmp_path / "one.zip"))
    assert state_of(filled) == before


def rewritten(source: Path, target: Path, **changes: bytes | None) -> Path:
    """The archive with members replaced, added, or, by None, left out."""
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w") as new:
        for name in old.namelist():
            if name not in changes:
                new.writestr(name, old.read(name))
        for name, content in changes.items():
            if content is not None:
                new.writestr(name, content)
    return target


def bad_archives(good: Path, folder: Path) -> Iterator[tuple[Path, str]]:
    """Files that are no sound backup, and a word of what is said of each."""
    content = good.read_bytes()
    cut = folder / "cut.zip"
    cut.write_bytes(content[: len(content) * 2 // 3])
    yield cut, "no whole backup"
    flipped = folder / "flipped.zip"
    middle = len(content) // 3
    flipped.write_bytes(content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :])
    yield flipped, "no whole backup|damaged"
    with zipfile.ZipFile(good) as opened:
        manifest = opened.read(archive.MANIFEST).decode()
    yield rewritten(good, folder / "other.zip", **{"files/uploads/abc.csv": b"other"}), "damaged"
    yield rewritten(good, folder / "more.zip", **{"files/x": b"x"}), "other files"
    yield rewritten(good, folder / "less.zip", **{"files/uploads/abc.csv": None}), "other files"
    yield rewritten(good, folder / "none.zip", **{archive.MANIFEST: None}), "is no backup"
    newer = manifest.replace('"format": 1', '"format": 2').encode()
    yield rewritten(good, folder / "format.zip", **{archive.MANIFEST: newer}), "has format 2"
    out = manifest.replace("files/uploads/abc.csv", "files/../../abc.csv").encode()
    yield (
        rewritten(
            good,
            folder / "out.zip",
            **{
                archive.MANIFEST: out,
                "files/uploads/abc.csv": None,
                "files/../../abc.csv": b"text\none\n",
            },
        ),
        "leads out",
    )
    later = manifest.replace("0001_initial", "0099_of_tomorrow").encode()
    yield rewritten(good, folder / "later.zip", **{archive.MANIFEST: later}), "newer version"
    engine = manifest.replace(f'"{connection.vendor}"', '"oracle"').encode()
    yield rewritten(good, folder / "engine.zip", **{archive.MANIFEST: engine}), "is of oracle"
    yield folder / "nowhere.zip", "There is no file"


def test_a_backup_that_is_not_sound_changes_nothing(filled: Path, tmp_path: Path) -> None:
    making.make_backup(tmp_path / "good.zip")
    change(filled)
    before = state_of(filled)
    for path, says in bad_archives(tmp_path / "good.zip", tmp_path):
        with pytest.raises(Refused, match=says):
            restore(path, replace=True)
        assert state_of(filled) == before, path.name
        assert not restoring.work_folder().exists()
    assert not (filled / "backups").exists()


def test_tables_that_lack_a_row_are_refused(filled: Path, tmp_path: Path) -> None:
    """The manifest's counts are compared with the database, not only the sums of files."""
    making.make_backup(tmp_path / "good.zip")
    with zipfile.ZipFile(tmp_path / "good.zip") as opened:
        manifest = opened.read(archive.MANIFEST).decode()
    before = state_of(filled)
    found = archive.msgspec.json.decode(manifest, type=archive.Manifest)
    found.tables["accounts_user"] = archive.Table(rows=7, digest="1")
    wrong = archive.msgspec.json.encode(found)
    path = rewritten(tmp_path / "good.zip", tmp_path / "wrong.zip", **{archive.MANIFEST: wrong})
    with pytest.raises(Refused, match=r"accounts_user|as many rows"):
        restore(path, replace=True)
    assert state_of(filled) == before


@pytest.fixture
def broken_database(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that cannot be written, after the folders have changed places."""

    def refuse(*_: object) -> None:
        raise Refused("the database is away")

    for engine in (sqlite, postgresql):
        monkeypatch.setattr(engine, "put_back", refuse)


@pytest.mark.usefixtures("broken_database")
def test_a_database_that_fails_leaves_the_old_files(filled: Path, tmp_path: Path) -> None:
    making.make_backup(tmp_path / "one.zip")
    change(filled)
    before = state_of(filled)
    with pytest.raises(Refused, match="is away"):
        restore(tmp_path / "one.zip", replace=True)
    assert state_of(filled) == before
    assert list(restoring.check()) == []


@pytest.mark.usefixtures("broken_database")
def test_after_a_kill_nothing_starts_until_it_is_restored_again(
    filled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sound = state_of(filled)
    making.make_backup(tmp_path / "one.zip")
    change(filled)
    before = state_of(filled)
    with monkeypatch.context() as killed:
        killed.setattr(restoring, "_undo_cut_off", lambda: None)
        with pytest.raises(Refused, match="is away"):
            restore(tmp_path / "one.zip", replace=True)
    assert state_of(filled) != before  # the folders of the one, the rows of the other
    [fault] = restoring.check()
    assert "restore FILE --replace" in str(fault.hint)
    with pytest.raises(Refused, match="is away"):
        restore(tmp_path / "one.zip", replace=True)
    assert state_of(filled) == before
    assert list(restoring.check()) == []
    assert sound != before


def test_new_rows_under_old_folders_are_not_taken_for_an_installation(
    filled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed after the database's commit, and then tried without --replace."""
    sound = state_of(filled)
    making.make_backup(tmp_path / "one.zip")
    change(filled)
    engine = postgresql if connection.vendor == "postgresql" else sqlite
    put_back = engine.put_back

    def put_back_and_die(*given: Any) -> None:
        put_back(*given)
        raise Refused("killed")

    with monkeypatch.context() as killed:
        killed.setattr(engine, "put_back", put_back_and_die)
        killed.setattr(restoring, "_undo_cut_off", lambda: None)
        with pytest.raises(Refused, match="killed"):
            restore(tmp_path / "one.zip", replace=True)
    with pytest.raises(Refused, match="add --replace"):
        restore(tmp_path / "one.zip")
    (tmp_path / "no-backup.zip").write_text("text")
    with pytest.raises(Refused, match="no whole backup"):
        restore(tmp_path / "no-backup.zip", replace=True)
    assert list(restoring.check()), "nothing starts"
    restore(tmp_path / "one.zip", replace=True)
    assert state_of(filled) == sound
    assert list(restoring.check()) == []


def test_nobody_restores_under_a_living_worker(filled: Path, tmp_path: Path) -> None:
    making.make_backup(tmp_path / "one.zip")
    registry.beat("a worker")
    with pytest.raises(CommandError, match="A worker is alive"):
        call_command("restore", str(tmp_path / "one.zip"), "--replace")
