"""Backups are complete and consistent, and precede migrations."""

import threading
import zipfile
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.core.management import CommandError, call_command
from django.db import OperationalError, connection, transaction
from django.db.models.signals import pre_migrate
from pytest_django import Settings

from rarrweb.accounts.models import User
from rarrweb.operations.backups import creation, databases, scheduled
from rarrweb.operations.backups.archive import BackupError, check_archive
from rarrweb.operations.backups.restoration import restore
from tests.support.backups import change, state_of
from tests.support.factories import make_user

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_copy_while_others_write_is_of_one_moment(filled: Path, tmp_path: Path) -> None:
    """Each transaction adds two rows: no copy contains only one."""
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
            creation.make_backup(tmp_path / f"{number}.zip", is_database_only=True)
    finally:
        stop.set()
        writer.join()
    restore(tmp_path / "2.zip", replace=True)
    pairs = {name: set() for name in ("left", "right")}  # type: dict[str, set[str]]
    for name in User.objects.exclude(username="ruth").values_list("username", flat=True):
        side, _, number = name.partition("-")
        pairs[side].add(number)
    assert pairs["left"] == pairs["right"] != set()


def test_a_file_that_a_row_names_is_in_the_copy_whenever_it_changed(
    filled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dump = creation.dump_database

    def others_at_work(target: Path) -> None:
        (filled / "uploads" / "new.csv").write_text("came before the copy")
        dump(target)
        (filled / "uploads" / "abc.csv").unlink()  # imported after it

    monkeypatch.setattr(creation, "dump_database", others_at_work)
    made = creation.make_backup(tmp_path / "one.zip")
    assert {"files/uploads/new.csv", "files/uploads/abc.csv"} <= set(made.members)


def test_an_index_is_copied_in_one_state_or_named(
    filled: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    states = iter([(1, 1), (2, 2), (3, 3), (3, 3)])
    monkeypatch.setattr(creation, "_commit", lambda _index: next(states))
    made = creation.make_backup(tmp_path / "one.zip")
    assert made.missing_indexes == []
    assert "files/corpora/norway/one.store" in made.members
    endless = iter(range(100))
    monkeypatch.setattr(creation, "_commit", lambda _index: next(endless))
    call_command("backup", str(tmp_path / "two.zip"))
    assert "index of norway was changing" in capsys.readouterr().err
    assert not any("norway" in name for name in check_archive(tmp_path / "two.zip").members)


def test_a_file_that_is_there_is_not_overwritten(filled: Path, tmp_path: Path) -> None:
    (tmp_path / "one.zip").write_text("mine")
    with pytest.raises(CommandError, match="already exists"):
        call_command("backup", str(tmp_path / "one.zip"))
    assert (tmp_path / "one.zip").read_text() == "mine"


def test_a_full_disk_leaves_no_half_file(
    filled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(zipfile.ZipFile, "writestr", full)
    (tmp_path / "out").mkdir()
    with pytest.raises(BackupError, match="No space left"):
        creation.make_backup(tmp_path / "out" / "one.zip")
    assert list((tmp_path / "out").iterdir()) == []
    assert list(filled.glob(f"{creation.TEMPORARY}*")) == []


def test_a_database_that_is_away_is_one_sentence(
    filled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(_recorder: object) -> None:
        raise OperationalError("connection failed\n\tIs the server running?")

    monkeypatch.setattr(creation.MigrationRecorder, "applied_migrations", away)
    with pytest.raises(CommandError, match=r"cannot be read: connection failed Is .* running\?$"):
        call_command("backup", str(tmp_path / "one.zip"))
    assert not (tmp_path / "one.zip").exists()


def migrate_with(plan: list[Any]) -> None:
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
    stored = sorted((filled / "backups").iterdir())
    assert len(stored) == 2
    assert str(stored[-1]) in capsys.readouterr().err
    change(filled)
    files_now = state_of(filled)[1]
    restore(stored[-1], replace=True)
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
        raise BackupError("No space left.")

    monkeypatch.setattr(scheduled, "make_backup", refuse)
    with pytest.raises(CommandError, match=r"No migration was applied.*RARR_BACKUPS=0"):
        migrate_with(PENDING)


def test_postgresql_without_its_programs_names_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(databases.shutil, "which", lambda _name: None)
    with pytest.raises(BackupError, match="apt-get install postgresql-client"):
        databases.check_tools()
