"""A backup holds all there is and nothing else goes back; a restore is whole, or it is not."""

import os
import shutil
import threading
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.core.management import CommandError, call_command
from django.db import connection, transaction
from django.db.models.signals import pre_migrate
from pytest_django import Settings

from pipeline.models import Corpus, Dataset, Passage
from pipeline.workers import registry
from rarrweb.accounts.models import User
from rarrweb.backups import archive, automatic, files, making, postgresql, restoring, sqlite
from rarrweb.backups.digests import rows_of, sum_rows
from rarrweb.backups.refusals import Refused
from rarrweb.backups.restoring import restore
from rarrweb.backups.transfer import tables_of_all
from tests.support.factories import make_corpus, make_passage, make_user

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def var(settings: Settings, tmp_path: Path) -> Path:
    """A state folder of its own."""
    folder = tmp_path / "var"
    settings.VAR_DIR = folder
    settings.CORPUS_DIR, settings.UPLOAD_DIR = folder / "corpora", folder / "uploads"
    settings.EXPORT_DIR = folder / "exports"
    for name in files.FOLDERS:
        (folder / name).mkdir(parents=True)
    (folder / "secret_key").write_text("k" * 64)
    return folder


@pytest.fixture
def filled(var: Path) -> Path:
    """Rows and files as an installation has them."""
    make_user("ruth", role="researcher")
    make_passage(text="Ein Satz, “quoted”, 日本.")
    make_corpus(name="Norway")
    index = var / "corpora" / "norway"
    index.mkdir()
    (index / "meta.json").write_text("{}")
    (index / "one.store").write_bytes(b"\x00\x01" * 500)
    (var / "uploads" / "abc.csv").write_text("text\none\n")
    (var / "exports" / "package.zip").write_text("data")
    return var


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
    (var / "locale" / "de.po").write_text("new")
    (var / "secret_key").write_text("z" * 64)


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


def test_a_copy_while_others_write_is_of_one_moment(filled: Path, tmp_path: Path) -> None:
    """Two rows go in by one transaction each time: no copy has one of them alone."""
    stop = threading.Event()
    written = 0

    def write() -> None:
        nonlocal written
        while not stop.is_set():
            with transaction.atomic():
                make_user(f"left-{written}")
                make_user(f"right-{written}")
            written += 1
        connection.close()

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for number in range(3):
            seen = written
            while written == seen:
                stop.wait(0.01)
            made = making.make_backup(tmp_path / f"{number}.zip", is_database_only=True)
            assert made.tables["accounts_user"].rows % 2 == 1  # ruth, and pairs
    finally:
        stop.set()
        writer.join()
    restore(tmp_path / "2.zip", replace=True)
    pairs = {name: set() for name in ("left", "right")}  # type: dict[str, set[str]]
    for name in User.objects.exclude(username="ruth").values_list("username", flat=True):
        side, _, number = name.partition("-")
        pairs[side].add(number)
    assert pairs["left"] == pairs["right"] != set()


def test_a_file_that_a_row_names_is_in_the_copy_whenever_it_came_or_went(
    filled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = sqlite if connection.vendor == "sqlite" else postgresql
    copy_out = engine.copy_out

    def others_at_work(*arguments: Path) -> Any:
        (filled / "uploads" / "new.csv").write_text("came before the copy")
        tables = copy_out(*arguments)
        (filled / "uploads" / "abc.csv").unlink()  # imported after it
        return tables

    monkeypatch.setattr(engine, "copy_out", others_at_work)
    made = making.make_backup(tmp_path / "one.zip")
    assert {"files/uploads/new.csv", "files/uploads/abc.csv"} <= set(made.members)


def test_an_index_is_copied_in_one_state_or_named(
    filled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = filled / "corpora" / "norway"
    states = iter([(1, 1), (2, 2), (3, 3), (3, 3)])
    monkeypatch.setattr(files, "_state_of", lambda _index: next(states))
    assert files.link_others(tmp_path / "a") == []
    assert (tmp_path / "a/corpora/norway/one.store").samefile(index / "one.store")
    endless = iter(range(100))
    monkeypatch.setattr(files, "_state_of", lambda _index: next(endless))
    [sentence] = files.link_others(tmp_path / "b")
    assert "norway" in sentence
    assert not (tmp_path / "b/corpora/norway").exists()


def test_a_file_that_is_there_is_not_overwritten(filled: Path, tmp_path: Path) -> None:
    (tmp_path / "one.zip").write_text("mine")
    with pytest.raises(CommandError, match="is there already"):
        call_command("backup", str(tmp_path / "one.zip"))
    assert (tmp_path / "one.zip").read_text() == "mine"


def test_a_full_disk_leaves_no_half_file(
    filled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_read: object, write: Any) -> None:
        write(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(archive, "copy_and_sum", full)
    (tmp_path / "out").mkdir()
    with pytest.raises(Refused, match="No space left"):
        making.make_backup(tmp_path / "out" / "one.zip")
    assert list((tmp_path / "out").iterdir()) == []
    assert list(filled.glob(f"{making.STAGE}*")) == []


def test_what_a_killed_backup_left_is_removed_once_it_is_old(filled: Path, tmp_path: Path) -> None:
    """The half file beside the one that was asked for, too: it holds secrets."""
    out = tmp_path / "out"
    out.mkdir()
    for name in ("of-today", "of-last-week"):
        (out / f"{making.STAGE}{name}.zip").write_text("half")
        (filled / f"{making.STAGE}{name}").mkdir()
    kept = out / ".backup-of-my-last-photos"  # somebody else's, in the home, say
    kept.mkdir()
    long_ago = time.time() - 7 * 24 * 3600
    for left in (*out.glob("*last*"), *filled.glob(".*last*")):
        os.utime(left, (long_ago, long_ago))
    making.make_backup(out / "one.zip")
    of_today = f"{making.STAGE}of-today"
    assert {each.name for each in out.iterdir()} == {f"{of_today}.zip", kept.name, "one.zip"}
    assert [each.name for each in filled.glob(f"{making.STAGE}*")] == [of_today]


def test_what_another_user_left_holds_up_no_backup(
    filled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a folder as /tmp is."""
    left = tmp_path / f"{making.STAGE}other.zip"
    left.write_text("half")
    os.utime(left, (0, 0))
    unlink = Path.unlink

    def refuse(path: Path, missing_ok: bool = False) -> None:
        if path == left:
            raise PermissionError(f"not yours: {path}")
        unlink(path, missing_ok=missing_ok)

    monkeypatch.setattr(Path, "unlink", refuse)
    making.make_backup(tmp_path / "one.zip")
    assert left.exists()


def migrate_with(plan: list[Any]) -> None:
    """What `migrate` tells its receivers before it applies `plan`."""
    pre_migrate.send(
        sender=apps.get_app_config("accounts"),
        app_config=apps.get_app_config("accounts"),
        verbosity=0,
        interactive=False,
        using="default",
        plan=plan,
        apps=apps,
        stdout=None,
    )


PENDING = [(object(), False)]


def test_pending_migrations_back_the_database_up_first_and_keep_the_newest(
    filled: Path, settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    settings.RARR_BACKUPS = 2
    before = state_of(filled)
    migrate_with([])
    assert not (filled / "backups").exists()
    for _ in range(3):
        migrate_with(PENDING)
    kept = sorted((filled / "backups").iterdir())
    assert len(kept) == 2
    assert str(kept[-1]) in capsys.readouterr().err
    change(filled)
    files_now = state_of(filled)[1]
    restore(kept[-1], replace=True)
    assert state_of(filled) == (before[0], files_now)


@pytest.mark.usefixtures("var")
def test_without_people_or_with_none_to_keep_migrate_makes_no_backup(
    var: Path, settings: Settings
) -> None:
    migrate_with(PENDING)
    make_user("ruth")
    settings.RARR_BACKUPS = 0
    migrate_with(PENDING)
    assert not (var / "backups").exists()


def test_a_backup_that_fails_stops_migrate(filled: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise Refused("No space left.")

    monkeypatch.setattr(automatic, "make_backup", refuse)
    with pytest.raises(CommandError, match=r"No migration was applied.*RARR_BACKUPS=0"):
        migrate_with(PENDING)


def test_postgresql_without_its_programs_says_which_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = tmp_path / "14" / "bin"
    old.mkdir(parents=True)
    (old / "pg_dump").write_text("#!/bin/sh\necho 'pg_dump (PostgreSQL) 14.9'\n")
    (old / "pg_dump").chmod(0o700)
    monkeypatch.setattr(postgresql, "DEBIAN_TOOLS", tmp_path)
    monkeypatch.setattr(postgresql.shutil, "which", lambda _name: None)
    monkeypatch.setattr(postgresql, "server_version", lambda: (16, "16.2"))
    with pytest.raises(Refused, match="apt-get install postgresql-client-16"):
        postgresql.check_tools()
