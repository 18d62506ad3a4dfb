"""The doctor looks around: each fault beside the installation is seen and comes with its fix."""

import re
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.error import URLError
from urllib.parse import urlsplit

import pytest
from django.utils import timezone
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from pipeline.doctor import surroundings
from pipeline.doctor.findings import State, subject_of
from pipeline.doctor.installation import CHECKS
from pipeline.models import Run, Worker
from pipeline.workers import registry
from rarrweb.accounts.models import User
from rarrweb.backups import postgresql
from rarrweb.backups.refusals import Refused
from rarrweb.celery import PASSAGES, UPLOADS
from tests.support.factories import make_run, make_user
from tests.support.findings import seen

ROOT = Path(__file__).parent.parent.parent.parent
TABLE = (ROOT / "docs/upgrading.md").read_text().partition("## What `doctor` finds")[2]


@pytest.fixture
def public(settings: Settings) -> None:
    settings.PUBLIC_URL = urlsplit("https://rarr.example.org")


def test_here_no_proxy_is_needed() -> None:
    seen(surroundings.check_proxy, State.FINE)


@pytest.mark.usefixtures("public")
@pytest.mark.parametrize(
    ("answer", "state", "fix"),
    [
        ((200, True), State.FINE, ""),
        ((429, True), State.FINE, ""),
        ((400, False), State.WRONG, "proxy_set_header Host $host;"),
        ((200, False), State.WRONG, "proxy_set_header X-Forwarded-Proto $scheme;"),
        ((502, False), State.WRONG, "curl -i -H 'Host: rarr.example.org'"),
    ],
)
def test_what_the_proxy_does_with_a_form_tells_what_it_lacks(
    monkeypatch: pytest.MonkeyPatch, answer: tuple[int, bool], state: State, fix: str
) -> None:
    monkeypatch.setattr(surroundings, "_post_form", lambda _address: answer)
    assert fix in seen(surroundings.check_proxy, state).fix


@pytest.mark.usefixtures("public")
def test_an_address_at_which_nothing_answers_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_address: str) -> int:
        raise URLError("Name or service not known")

    monkeypatch.setattr(surroundings, "_post_form", refuse)
    finding = seen(surroundings.check_proxy)
    assert "Name or service not known" in finding.says
    assert "Start the web processes" in finding.fix


@pytest.mark.usefixtures("public")
def test_a_certificate_of_an_unknown_authority_comes_with_how_to_trust_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(_address: str) -> int:
        error = ssl.SSLCertVerificationError("self-signed certificate")
        error.verify_code = 18
        raise URLError(error)

    monkeypatch.setattr(surroundings, "_post_form", refuse)
    assert "update-ca-certificates" in seen(surroundings.check_proxy).fix


def test_a_real_form_shows_what_a_proxy_left_out(
    live_server: LiveServer, settings: Settings
) -> None:
    """Whether https is told, and 400 where the host's name is not."""
    address = f"{live_server.url}/log-in/"
    settings.PUBLIC_URL = urlsplit("https://rarr.example.org")
    settings.CSRF_TRUSTED_ORIGINS = ["https://rarr.example.org"]
    assert surroundings._post_form(address) == (200, False)
    settings.ALLOWED_HOSTS = ["rarr.example.org"]
    assert surroundings._post_form(address)[0] == 400
    assert User.objects.count() == 0


MOUNTS = """\
/dev/sda1 / ext4 rw 0 0
server:/srv /srv nfs4 rw 0 0
/dev/sdb1 /srv/local xfs rw 0 0
"""


def test_the_disk_of_a_file_is_the_deepest_that_holds_it(tmp_path: Path) -> None:
    mounts = tmp_path / "mounts"
    mounts.write_text(MOUNTS)
    kinds = [
        surroundings.disk_kind(Path(path), str(mounts))
        for path in ("/home/db", "/srv/db", "/srv/local/db", "/srvx/db")
    ]
    assert kinds == ["ext4", "nfs4", "xfs", "ext4"]
    assert surroundings.disk_kind(Path("/srv"), str(tmp_path / "none")) == ""


@pytest.mark.parametrize("kind", ["nfs", "nfs4", "cifs", "smb3", "fuse.sshfs", "9p"])
def test_sqlite_on_a_network_share_is_a_fault(monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    monkeypatch.setattr(surroundings, "disk_kind", lambda _path: kind)
    fix = seen(surroundings._sqlite).fix
    assert "migrate_database" in fix
    assert "RARR_VAR" in fix


@pytest.mark.django_db
def test_many_people_on_sqlite_are_worth_knowing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(surroundings, "disk_kind", lambda _path: "ext4")
    for number in range(surroundings.MANY_PEOPLE):
        make_user(f"rater-{number}")
    User.objects.update(last_login=timezone.now())
    seen(surroundings._sqlite, State.FINE)
    make_user("one-more")
    User.objects.update(last_login=timezone.now())
    assert "migrate_database" in seen(surroundings._sqlite, State.NOTE).fix


def answering(monkeypatch: pytest.MonkeyPatch, *row: Any) -> None:
    """PostgreSQL that gives this one row, whatever it is asked."""

    @contextmanager
    def cursor() -> Iterator[Any]:
        yield SimpleNamespace(execute=lambda _sql: None, fetchone=lambda: row)

    fake = SimpleNamespace(vendor="postgresql", cursor=cursor)
    monkeypatch.setattr(surroundings, "connection", fake)


@pytest.mark.parametrize(
    ("row", "fix"),
    [
        ((13, "UTF8", 100, 3), "15 or newer"),
        ((16, "SQL_ASCII", 100, 3), "createdb --encoding=UTF8"),
        ((16, "UTF8", 100, 80), "ALTER SYSTEM SET max_connections = 200"),
    ],
)
def test_a_postgresql_that_does_not_fit_is_a_fault(
    monkeypatch: pytest.MonkeyPatch, row: tuple[Any, ...], fix: str
) -> None:
    answering(monkeypatch, 16, "UTF8", 100, 79)
    seen(surroundings.check_capacity, State.FINE)
    answering(monkeypatch, *row)
    assert fix in seen(surroundings.check_capacity).fix


@pytest.mark.django_db
def test_the_real_database_can_carry_the_tests() -> None:
    seen(surroundings.check_capacity, State.FINE)
    seen(surroundings.check_clock, State.FINE)
    seen(surroundings.check_backups, State.FINE)


@pytest.mark.django_db
def test_a_worker_in_the_future_is_a_fault() -> None:
    registry.beat("elsewhere:1")
    seen(surroundings.check_clock, State.FINE)
    Worker.objects.update(last_seen=timezone.now() + timedelta(seconds=90))
    finding = seen(surroundings.check_clock)
    assert "ahead" in finding.says
    assert "timedatectl set-ntp true" in finding.fix


def test_a_database_in_the_past_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    answering(monkeypatch, (timezone.now() - timedelta(minutes=3)).timestamp())
    assert "180 seconds behind" in seen(surroundings.check_clock).says


@pytest.mark.django_db
def test_workers_elsewhere_need_what_reaches_them(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(surroundings.socket, "gethostname", lambda: "web")
    settings.IS_KEY_IN_FILE = True
    registry.beat("web:1")
    seen(surroundings.check_machines, State.FINE)
    registry.beat("gpu-1:7")
    fake = SimpleNamespace(vendor="sqlite", settings_dict={"NAME": "/srv/db.sqlite3"})
    monkeypatch.setattr(surroundings, "connection", fake)
    settings.CELERY_BROKER_URL = "filesystem://"
    finding = seen(surroundings.check_machines, State.NOTE)
    assert "gpu-1" in finding.says
    for step in (
        "manage.py migrate && ",
        "migrate_database /srv/db",
        "CELERY_BROKER_URL=redis://",
        "RARR_SECRET_KEY",
    ):
        assert step in finding.fix
    monkeypatch.setattr(surroundings, "connection", SimpleNamespace(vendor="postgresql"))
    settings.CELERY_BROKER_URL = "redis://queue:6379/0"
    settings.IS_KEY_IN_FILE = False
    seen(surroundings.check_machines, State.FINE)


@pytest.mark.django_db
def test_workers_that_have_another_state_folder_are_a_fault(
    settings: Settings, tmp_path: Path
) -> None:
    """They neither find uploads nor leave packages where the pages look."""
    settings.VAR_DIR = tmp_path / "of-gpu-1"
    settings.VAR_DIR.mkdir()
    registry.beat("gpu-1:7", [PASSAGES], registry.leave_sign("gpu-1:7"))
    settings.VAR_DIR = tmp_path
    finding = seen(surroundings.check_machines)
    assert "gpu-1" in finding.says
    assert "RARR_VAR" in finding.fix
    settings.RARR_OPENSEARCH = "http://search:9200"
    assert surroundings.check_machines().state != State.WRONG  # passages need no file then
    registry.beat("files-1:7", [UPLOADS], has_sign=True)
    assert "files-1" in seen(surroundings.check_machines).says
    registry.leave_sign("files-1:7")
    assert surroundings.check_machines().state != State.WRONG


@pytest.mark.django_db
def test_a_worker_that_cannot_write_its_folder_is_another_fault(
    settings: Settings, tmp_path: Path
) -> None:
    settings.VAR_DIR = tmp_path / "no-folder" / "var"
    registry.beat("gpu-1:7", [UPLOADS], registry.leave_sign("gpu-1:7"))
    finding = seen(surroundings.check_machines)
    assert "workers on gpu-1 cannot write into their RARR_VAR" in finding.says
    assert "chown -R" in finding.fix


@pytest.mark.django_db
def test_a_worker_of_the_version_before_leaves_no_sign_and_is_no_fault() -> None:
    registry.beat("gpu-1:7", [UPLOADS])
    assert surroundings.check_machines().state != State.WRONG


def test_a_postgresql_that_cannot_be_backed_up_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> None:
        raise Refused("pg_dump is missing.")

    answering(monkeypatch)
    monkeypatch.setattr(postgresql, "check_tools", refuse)
    monkeypatch.setattr(postgresql, "server_version", lambda: (16, "16.2"))
    fix = seen(surroundings.check_backups).fix
    assert fix == "apt-get install postgresql-client-16"


def test_no_backup_before_migrations_is_worth_knowing(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(surroundings, "connection", SimpleNamespace(vendor="sqlite"))
    settings.RARR_BACKUPS = 0
    seen(surroundings.check_backups, State.NOTE)


@pytest.fixture
def backups(settings: Settings, tmp_path: Path) -> Path:
    settings.BACKUP_DIR = tmp_path
    return tmp_path


@pytest.mark.django_db
def test_where_no_work_is_of_days_ago_no_backup_is_missed(backups: Path) -> None:
    make_run()
    assert f"none in {backups}" in seen(surroundings.check_last_backup, State.FINE).says


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("hours", "state"),
    [(None, State.NOTE), (49, State.NOTE), (-99, State.NOTE), (47, State.FINE), (1, State.FINE)],
)
def test_work_of_days_ago_without_a_backup_of_late_is_worth_knowing(
    backups: Path, hours: int | None, state: State
) -> None:
    Run.objects.filter(pk=make_run().pk).update(created_at=timezone.now() - timedelta(days=3))
    (backups / "rarrweb-2020-01-01.zip").touch()  # a person's own, of whichever moment
    if hours is not None:
        moment = timezone.now() - timedelta(hours=hours)
        (backups / f"{moment:rarrweb-%Y-%m-%d-%H%M.zip}").touch()
    finding = seen(surroundings.check_last_backup, state)
    assert str(backups) in finding.says
    if state is State.NOTE:
        assert finding.fix.splitlines()[0].endswith("manage.py backup --keep 14")
        assert "systemctl enable --now rarrweb-backup.timer" in finding.fix


def test_the_page_of_twenty_names_lines_that_the_doctor_prints() -> None:
    rows = re.findall(r"^\| (\d+) \|[^|]+\| ([^|]+) \|", TABLE, re.MULTILINE)
    assert [int(number) for number, _ in rows] == list(range(1, 21))
    subjects = {subject_of(check) for check in CHECKS}
    assert {name for _, names in rows for name in names.split(", ")} <= subjects
