"""Scheduled backups: the newest are preserved, and other files."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from pytest_django import Settings

from rarrweb.operations.backups import scheduled
from rarrweb.operations.backups.archive import BackupError
from rarrweb.operations.backups.restoration import restore
from tests.support.backups import state_of

pytestmark = pytest.mark.django_db(transaction=True)

OTHERS = [
    "rarrweb-2026-11-20.zip",
    "rarrweb-2026-1-2-0330.zip",
    "rarrweb-2026-02-30-0330.zip",
    "before-migrate-20261120-000000-000000.zip",
    "old-rarrweb-2026-11-20-0330.zip",
    "rarrweb-2026-11-20-0330.zip.sha256",
]
"""Of people, of `migrate`, and of no day that there was."""


@pytest.fixture
def folder(filled: Path, settings: Settings) -> Path:
    settings.BACKUP_DIR.mkdir()
    return Path(settings.BACKUP_DIR)


def named(*days: int) -> list[str]:
    return [f"rarrweb-2026-11-{day:02}-0330.zip" for day in days]


def names_in(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_it_writes_a_whole_backup_named_after_its_moment(filled: Path, settings: Settings) -> None:
    before = state_of(filled)
    call_command("backup")
    (path,) = settings.BACKUP_DIR.iterdir()
    moment = scheduled.last_scheduled_backup()
    assert moment is not None
    assert path.name == f"{moment:rarrweb-%Y-%m-%d-%H%M.zip}"
    restore(path, replace=True)
    assert state_of(filled) == before


def test_the_newest_stay_and_files_of_others(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in [*OTHERS, *named(20, 21, 22, 23)]:
        (folder / name).write_text("some")
    call_command("backup", "--keep", "3")
    [new] = names_in(folder) - {*OTHERS, *named(22, 23)}
    assert names_in(folder) == {*OTHERS, *named(22, 23), new}
    assert capsys.readouterr().out.count("Deleted: ") == 2


@pytest.mark.parametrize("stored", [[], named(20)])
def test_one_of_the_future_goes_first(folder: Path, stored: list[str]) -> None:
    for name in (*stored, "rarrweb-2999-01-01-0000.zip"):
        (folder / name).write_text("some")
    call_command("backup", "--keep", str(len(stored) + 1))
    assert len(names_in(folder)) == len(stored) + 1
    assert names_in(folder) > {*stored}
    assert "rarrweb-2999-01-01-0000.zip" not in names_in(folder)


def test_a_part_is_no_backup_of_the_day(folder: Path) -> None:
    with pytest.raises(CommandError, match="needs a file"):
        call_command("backup", "--database-only")
    assert not names_in(folder)


@pytest.mark.parametrize("arguments", [[], ["--keep", "9"]])
def test_without_keep_and_with_few_nothing_is_deleted(folder: Path, arguments: list[str]) -> None:
    (folder / named(20)[0]).write_text("some")
    call_command("backup", *arguments)
    assert len(names_in(folder)) == 2


def test_where_no_backup_could_be_made_no_old_one_is_deleted(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise BackupError("No space left.")

    for name in named(20, 21):
        (folder / name).write_text("some")
    monkeypatch.setattr(scheduled, "make_backup", refuse)
    with pytest.raises(CommandError, match="No space left") as raised:
        call_command("backup", "--keep", "1")
    assert raised.value.returncode == 2
    assert names_in(folder) == set(named(20, 21))


def test_an_old_one_that_cannot_be_deleted_is_reported_and_the_new_one_stays(folder: Path) -> None:
    (folder / named(20)[0]).mkdir()
    with pytest.raises(CommandError, match="is complete, but an older one could not") as raised:
        call_command("backup", "--keep", "1")
    assert raised.value.returncode == 1
    assert len(names_in(folder)) == 2


def away(settings: Settings, filled: Path) -> str:
    settings.BACKUP_DIR = filled / "share" / "rarrweb"
    return "There is no folder .*share/rarrweb"


def of_a_file(settings: Settings, filled: Path) -> str:
    settings.BACKUP_DIR.write_text("mine")
    return "RARR_BACKUP_FOLDER cannot be used"


def of_this_minute(settings: Settings, filled: Path) -> str:
    settings.BACKUP_DIR.mkdir()
    (settings.BACKUP_DIR / "rarrweb-2026-11-20-0330.zip").write_text("some")
    return "was made this minute"


@pytest.mark.parametrize("broken", [away, of_a_file, of_this_minute])
def test_a_folder_that_cannot_be_used_is_one_sentence(
    filled: Path,
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
    broken: Callable[[Settings, Path], str],
) -> None:
    class Clock(datetime):
        @classmethod
        def now(cls, tz: object = None) -> datetime:  # type: ignore[override]
            return datetime(2026, 11, 20, 3, 30, tzinfo=UTC)

    monkeypatch.setattr(scheduled, "datetime", Clock)
    message = broken(settings, filled)
    with pytest.raises(CommandError, match=message) as raised:
        call_command("backup", "--keep", "3")
    assert raised.value.returncode == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [(["--keep", "0"], "from 1"), (["one.zip", "--keep", "3"], "name no file")],
)
def test_what_makes_no_sense_is_refused_before_anything_is_written(
    folder: Path, arguments: list[str], message: str
) -> None:
    with pytest.raises(CommandError, match=message):
        call_command("backup", *arguments)
    assert names_in(folder) == set()
    assert not Path("one.zip").exists()


def test_the_last_one_is_the_newest_by_its_name(folder: Path) -> None:
    for name in [*OTHERS, *named(22, 20)]:
        (folder / name).write_text("some")
    assert scheduled.last_scheduled_backup() == datetime(2026, 11, 22, 3, 30, tzinfo=UTC)
