"""A backup holds all there is, of one moment, and `migrate` makes one first."""

import os
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.core.management import CommandError, call_command
from django.db import OperationalError, connection, transaction
from django.db.models.signals import pre_migrate
from pytest_django import Settings

from rarrweb.accounts.models import User
from rarrweb.backups import archive, automatic, files, making, postgresql, sqlite
from rarrweb.backups.refusals import Refused
from rarrweb.backups.restoring import restore
from tests.support.backups import change, state_of
from tests.support.factories import make_user

pytestmark = pytest.mark.django_db(transaction=True)


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


def test_a_database_that_is_away_is_one_sentence(
    filled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(_recorder: object) -> None:
        raise OperationalError("connection failed\n\tIs the server running?")

    monkeypatch.setattr(making.MigrationRecorder, "applied_migrations", away)
    with pytest.raises(CommandError, match=r"cannot be read: connection failed Is .* running\?$"):
        call_command("backup", str(tmp_path / "one.zip"))
    assert not (tmp_path / "one.zip").exists()


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
