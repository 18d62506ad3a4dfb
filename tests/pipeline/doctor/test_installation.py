"""The doctor: every broken state is seen and comes with its fix."""

import errno
import io
import shlex
import subprocess
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest
from django.conf import settings as live_settings
from django.core.management import call_command
from django.db import connection
from django.utils import timezone
from pytest_django import Settings

from pipeline.backends.tantivy_corpus import write_index
from pipeline.doctor import database, installation
from pipeline.doctor.installation import Finding, State
from pipeline.jobs import queue
from pipeline.models import Corpus, Document, Revision, Run, Worker
from pipeline.rarr import types
from pipeline.workers import registry
from rarrweb.accounts.models import User
from rarrweb.celery import EXPORTS, INDEXING, PASSAGES, SCORING, TRIALS, UPLOADS, app
from rarrweb.env import env_url
from tests.support.factories import make_corpus, make_revision, make_run, make_user
from tests.support.findings import seen


def doctor() -> tuple[int, str]:
    """Exit status and what was printed."""
    out = io.StringIO()
    try:
        call_command("doctor", stdout=out, no_color=True)
    except SystemExit as end:
        return int(end.code or 0), out.getvalue()
    return 0, out.getvalue()


@pytest.fixture
def healthy(administrator: User) -> None:
    registry.beat("a worker", [each.name for each in app.conf.task_queues])
    live_settings.VAR_DIR.mkdir(parents=True, exist_ok=True)
    registry.leave_sign("a worker")


def test_a_healthy_installation_gets_0(healthy: None) -> None:
    status, text = doctor()
    assert "✗" not in text
    assert "All is well." in text
    assert status == 0


def test_a_sick_one_gets_1_and_the_number_of_faults(administrator: User) -> None:
    status, text = doctor()
    assert status == 1
    assert "1 thing is wrong." in text
    assert "✗ Workers" in text
    assert f"→ Start one: {registry.START_COMMAND}" in text


def test_it_changes_nothing(healthy: None) -> None:
    before = (
        list(User.objects.values()),
        Run.objects.count(),
        list(registry.Worker.objects.values()),
    )
    doctor()
    after = list(User.objects.values()), Run.objects.count(), list(registry.Worker.objects.values())
    assert before == after


def test_a_database_that_is_away_is_named_without_its_password(
    monkeypatch: pytest.MonkeyPatch, db: None
) -> None:
    from django.db import OperationalError

    def refuse() -> None:
        raise OperationalError("connection refused\nand more lines")

    monkeypatch.setattr(database, "_database_version", refuse)
    monkeypatch.setitem(connection.settings_dict, "PASSWORD", "sesame")
    findings = {finding.subject: finding for finding in installation.examine()}
    assert findings["Database"].state is State.WRONG
    assert "connection refused" in findings["Database"].says
    assert "DATABASE_URL" in findings["Database"].fix
    assert findings["Tables"].state is State.SKIPPED
    assert findings["People"].state is State.SKIPPED
    assert findings["Backends"].state is State.FINE
    assert "sesame" not in str(findings)


@pytest.mark.parametrize("search", ["searxng:http", "searxng:ftp"])
@pytest.mark.django_db
def test_no_password_inside_an_address_is_shown(settings: Settings, search: str) -> None:
    away = "://user:s3s@me@127.0.0.1:1/v1"
    settings.RARR_LLM, settings.RARR_LLM_BASE_URL = "openai:stub", f"http{away}"
    settings.RARR_SEARCH = f"{search}{away}"
    findings = str(installation.examine())
    assert "://…@127.0.0.1:1" in findings
    assert "s3s" not in findings


@pytest.mark.parametrize(
    "says",
    [
        "FATAL:  sorry, too many clients already",
        "FATAL:  remaining connection slots are reserved for non-replication superuser connections",
    ],
)
def test_a_database_without_a_free_connection_is_not_to_be_started(
    monkeypatch: pytest.MonkeyPatch, db: None, says: str
) -> None:
    from django.db import OperationalError

    def refuse() -> None:
        raise OperationalError(says)

    monkeypatch.setattr(database, "_database_version", refuse)
    assert "max_connections" in seen(installation.check_database).fix


def test_missing_migrations_are_named(monkeypatch: pytest.MonkeyPatch, db: None) -> None:
    step = SimpleNamespace(app_label="pipeline", name="0099_next")
    monkeypatch.setattr(
        database.MigrationExecutor, "migration_plan", lambda self, targets: [(step, False)]
    )
    finding = seen(installation.check_tables)
    assert "pipeline.0099_next" in finding.says
    assert finding.fix.endswith("manage.py migrate")


def test_nobody_to_invite_is_a_fault(db: None) -> None:
    make_user("ruth", role="researcher")
    assert "createsuperuser" in seen(installation.check_people).fix


def test_a_worker_that_fell_silent_is_not_alive(db: None) -> None:
    registry.beat("a worker", sorted(queue.QUEUES.values()))
    seen(installation.check_workers, State.FINE)
    Worker.objects.update(last_seen=timezone.now() - timedelta(minutes=5))
    seen(installation.check_workers)


def test_a_kind_of_work_that_no_worker_takes_is_a_fault(db: None) -> None:
    registry.beat("of models", [PASSAGES, TRIALS, SCORING])
    registry.beat("of files", [UPLOADS, EXPORTS])
    finding = seen(installation.check_workers)
    assert f"takes {INDEXING}:" in finding.says
    assert finding.fix.endswith(f"-Q {INDEXING}")


def test_a_queue_folder_that_is_gone_is_a_fault(settings: Settings, tmp_path: Path) -> None:
    settings.CELERY_BROKER_URL = "filesystem://"
    settings.QUEUE_DIR = tmp_path / "gone"
    assert str(tmp_path) in seen(installation.check_queue).fix


def test_a_broker_that_is_away_is_a_fault(settings: Settings) -> None:
    settings.CELERY_BROKER_URL = "redis://127.0.0.1:1/0"
    assert "CELERY_BROKER_URL" in seen(installation.check_queue).fix


def test_a_secret_key_that_others_can_read_is_a_fault(settings: Settings, tmp_path: Path) -> None:
    settings.VAR_DIR = tmp_path
    seen(installation.check_secret_key, State.FINE)
    key = tmp_path / "secret_key"
    key.write_text("x" * 64)
    key.chmod(0o644)
    finding = seen(installation.check_secret_key)
    assert "mode 644" in finding.says
    assert finding.fix.startswith(f"chmod 600 {key}")
    key.chmod(0o600)
    seen(installation.check_secret_key, State.FINE)


def test_a_state_that_others_can_read_is_a_fault_with_the_command_that_mends_it(
    settings: Settings, tmp_path: Path
) -> None:
    settings.VAR_DIR = tmp_path / "var"
    index = settings.VAR_DIR / "corpora" / "norway"
    index.mkdir(parents=True)
    copied = index / "meta.json"
    copied.touch()
    seen(installation.check_privacy, State.FINE)
    copied.chmod(0o644)
    finding = seen(installation.check_privacy)
    assert str(copied) in finding.says
    subprocess.run(shlex.split(finding.fix), check=True)
    seen(installation.check_privacy, State.FINE)
    assert copied.stat().st_mode & 0o777 == 0o600


def test_a_full_disk_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        installation.shutil, "disk_usage", lambda _: SimpleNamespace(free=12_000_000)
    )
    assert "12 MB" in seen(installation.check_state_folder).says


def test_a_full_disk_wants_room_and_no_other_owner(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, db: None
) -> None:
    def refuse(**options: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    def refuse_rows() -> None:
        from django.db import OperationalError

        raise OperationalError("disk I/O error")

    settings.CELERY_BROKER_URL = "filesystem://"
    monkeypatch.setattr(installation.tempfile, "TemporaryFile", refuse)
    monkeypatch.setattr(database, "_database_version", refuse_rows)
    monkeypatch.setitem(connection.settings_dict, "NAME", str(settings.VAR_DIR / "db.sqlite3"))
    monkeypatch.setattr(connection, "vendor", "sqlite")
    monkeypatch.setattr(installation.shutil, "disk_usage", lambda _: SimpleNamespace(free=0))
    for check in (
        installation.check_state_folder, installation.check_database, installation.check_queue
    ):  # fmt: skip
        assert seen(check).fix.startswith("Free some space")


def test_a_state_folder_that_is_gone_is_a_fault(settings: Settings, tmp_path: Path) -> None:
    settings.VAR_DIR = tmp_path / "gone"
    assert "RARR_VAR" in seen(installation.check_state_folder).fix


@pytest.mark.parametrize(
    ("address", "state", "word"),
    [
        ("http://localhost:8000", State.NOTE, "this machine only"),
        ("http://rarr.example.org", State.WRONG, "not https"),
        ("https://rarr.example.org", State.FINE, "X-Forwarded-Proto"),
    ],
)
def test_the_address_is_judged_by_who_can_reach_it(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, address: str, state: State, word: str
) -> None:
    monkeypatch.setenv("PUBLIC_URL", address)
    settings.PUBLIC_URL = env_url("PUBLIC_URL", "", schemes={"http", "https"})
    assert word in seen(installation.check_address, state).says


def indexed_corpus(documents: int) -> Corpus:
    corpus = make_corpus(state=Corpus.State.READY)
    Document.objects.bulk_create(
        Document(corpus=corpus, external_id=str(number), text="tides", content_hash="-")
        for number in range(3)
    )
    write_index(
        live_settings.CORPUS_DIR / corpus.slug,
        [
            types.Document(id=str(number), title="", url="", text="tides")
            for number in range(documents)
        ],
    )
    return corpus


@pytest.fixture
def corpus_folder(settings: Settings, tmp_path: Path) -> None:
    settings.CORPUS_DIR = tmp_path


@pytest.mark.usefixtures("corpus_folder")
def test_a_whole_index_is_fine(db: None) -> None:
    indexed_corpus(3)
    assert "1 ready" in seen(installation.check_corpora, State.FINE).says


@pytest.mark.usefixtures("corpus_folder")
def test_an_index_that_lacks_documents_is_a_fault(db: None) -> None:
    corpus = indexed_corpus(2)
    says = seen(installation.check_corpora).says
    assert f"{corpus.slug} has 3 documents and 2 in its search index" in says


@pytest.mark.usefixtures("corpus_folder")
def test_an_index_that_is_gone_is_a_fault(db: None) -> None:
    corpus = make_corpus(state=Corpus.State.READY)
    finding = seen(installation.check_corpora)
    assert f"{corpus.slug} has no search index" in finding.says
    assert "/corpora/" in finding.fix


@pytest.mark.usefixtures("corpus_folder")
def test_a_corpus_that_failed_says_why(db: None) -> None:
    make_corpus(state=Corpus.State.FAILED, error="the disk was full")
    assert "the disk was full" in seen(installation.check_corpora).says


def old_run() -> Run:
    run = make_run()
    Run.objects.filter(pk=run.pk).update(created_at=timezone.now() - timedelta(hours=1))
    return run


def test_a_run_in_which_nothing_moves_is_stuck(db: None) -> None:
    run = old_run()
    make_revision(run)
    finding = seen(installation.check_runs)
    assert f"run {run.pk}" in finding.says
    assert registry.START_COMMAND in finding.fix


def test_a_run_whose_worker_died_is_stuck(db: None) -> None:
    dead = timezone.now() - timedelta(minutes=10)
    make_revision(old_run(), state=Revision.State.RUNNING, lease_until=dead)
    seen(installation.check_runs)


@pytest.mark.parametrize("sign", ["young", "paused", "at work", "just finished one", "waits"])
def test_a_run_that_moves_or_may_rest_is_not_stuck(db: None, sign: str) -> None:
    now = timezone.now()
    run = make_run() if sign == "young" else old_run()
    make_revision(run, not_before=now + timedelta(minutes=9) if sign == "waits" else None)
    if sign == "paused":
        Run.objects.update(state=Run.State.PAUSED)
    elif sign == "at work":
        lease = now + timedelta(minutes=1)
        make_revision(run, state=Revision.State.RUNNING, lease_until=lease)
    elif sign == "just finished one":
        make_revision(run, state=Revision.State.DONE, finished_at=now)
    seen(installation.check_runs, State.FINE)


def test_no_browser_is_no_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(installation.shutil, "which", lambda _: None)
    seen(installation.check_chromium, State.NOTE)


def test_an_old_python_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(installation, "OLDEST_PYTHON", (99, 0))
    assert "too old" in seen(installation.check_python).says


def test_a_settings_error_is_a_finding_and_not_the_end(settings: Settings, db: None) -> None:
    settings.RARR_LLM = "gpt-9"
    status, text = doctor()
    assert status == 1
    assert "RARR_LLM='gpt-9' names no backend." in text
    assert "→ Set RARR_LLM to one of: compact, hf:NAME_OR_PATH, openai:MODEL." in text


def test_a_check_that_breaks_is_a_finding_too() -> None:
    def check_something() -> Finding:
        raise ZeroDivisionError("by zero")

    finding = seen(check_something)
    assert finding.subject == "Something"
    assert "ZeroDivisionError: by zero" in finding.says
