"""A restore puts back all that a backup holds, or nothing."""

import itertools
import os
import shutil
import sqlite3
import subprocess
import zipfile
from collections.abc import Callable, Iterator
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


class Killed(BaseException):
    """No handler of errors catches it."""


class Death:
    """Of a process, at one of its changes of the disk: that one is not done, nor any after it.

    Counted from the change whose path has `begin` in it.
    """

    def __init__(self, after: int, *, begin: str) -> None:
        self.left, self.begin = after, begin
        self.has_begun = False

    def before(self, do: Callable[..., Any], *, counts: bool) -> Callable[..., Any]:
        def does(*given: Any, **named: Any) -> Any:
            self.has_begun |= self.begin in str(given[0])
            self.left -= self.has_begun and counts
            if self.left < 0:
                raise Killed
            return do(*given, **named)

        return does


def is_killed_after(changes: int, path: Path, *, begin: str) -> bool:
    """Whether a restore is, or it ended before so many changes of the disk."""
    death = Death(changes, begin=begin)
    with pytest.MonkeyPatch.context() as patched:
        for where, name, counts in (
            *((os, name, True) for name in ("mkdir", "rename", "rmdir")),
            *((os, name, False) for name in ("unlink", "scandir")),
            (sqlite3, "connect", True),
            (subprocess, "run", True),
        ):
            patched.setattr(where, name, death.before(getattr(where, name), counts=counts))
        try:
            restore(path, replace=True)
        except Killed:
            return True
        except Refused:
            pass
    return False


def test_killed_at_any_moment_all_is_old_or_all_is_new(
    filled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    new = state_of(filled)
    making.make_backup(tmp_path / "new.zip")
    change(filled)
    old = state_of(filled)
    making.make_backup(tmp_path / "old.zip")
    (tmp_path / "refused.zip").write_text("text")
    monkeypatch.setattr(restoring, "make_backup", lambda *_, **__: None)  # takes its time
    found: list[str] = []
    # PostgreSQL's programs take their time: there one of four.
    for changes in itertools.count(step=4 if connection.vendor == "postgresql" else 1):
        if not is_killed_after(changes, tmp_path / "new.zip", begin="old-"):
            break
        [fault] = restoring.check()
        assert "restore FILE --replace" in str(fault.hint)
        # The next one makes all whole, though it is killed as well.
        is_killed_after(changes % 9, tmp_path / "refused.zip", begin="")
        with pytest.raises(Refused, match="no whole backup"):
            restore(tmp_path / "refused.zip", replace=True)
        assert not restoring.work_folder().exists()
        state = state_of(filled)
        assert state in (old, new), changes
        found.append("new" if state == new else "old")
        assert not any("restoring" in name for name in connection.introspection.table_names())
        if state == new:
            restore(tmp_path / "old.zip", replace=True)
    assert set(found) == {"old", "new"}
    assert found == sorted(found, reverse=True), "old until the database was reached"


def test_an_error_after_the_commit_undoes_nothing(
    filled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A connection is lost while PostgreSQL commits; SQLite's log cannot be emptied."""
    engine = postgresql if connection.vendor == "postgresql" else sqlite
    sound = state_of(filled)
    making.make_backup(tmp_path / "one.zip")
    change(filled)
    put_back = engine.put_back

    def commits_and_fails(*given: Any) -> None:
        put_back(*given)
        raise Refused("the connection is lost")

    monkeypatch.setattr(engine, "put_back", commits_and_fails)
    restore(tmp_path / "one.zip", replace=True)
    assert state_of(filled) == sound
    assert list(restoring.check()) == []


def test_nobody_restores_under_a_living_worker(filled: Path, tmp_path: Path) -> None:
    making.make_backup(tmp_path / "one.zip")
    registry.beat("a worker")
    with pytest.raises(CommandError, match="A worker is alive"):
        call_command("restore", str(tmp_path / "one.zip"), "--replace")
