"""The checks of `manage.py doctor`; they import what may be broken within the check."""

import importlib.metadata
import platform
import re
import shutil
import tempfile
import time
from datetime import timedelta
from pathlib import Path

from django.conf import settings
from django.core.checks import ERROR, run_checks
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.db.models import Max
from django.utils import timezone

from rarrweb.operations.doctor.findings import (
    MANAGE,
    Check,
    Finding,
    State,
    attempt,
    error,
    ok,
    subject_of,
    warning,
)
from rarrweb.operations.doctor.services import check_entailment, check_language_model, check_search
from rarrweb.operations.doctor.system_checks import LEAST_DISK_BYTES
from rarrweb.private_files import group_readable_files, is_group_readable

OLDEST_POSTGRESQL = 150_000
CLOCK_SECONDS = 5
OLDEST_BACKUP = timedelta(days=2)
"""One nightly backup may fail."""
REQUIREMENT = re.compile(r"^([\w.-]+)(?:\[[^]]*\])?==([^\s;]+)", re.MULTILINE)


def check_python() -> Finding:
    return ok(f"{platform.python_version()} on {platform.system()} {platform.machine()}")


def check_settings() -> Finding:
    """The system checks pass, except that of the disk, which has its check here."""
    messages = [message for message in run_checks() if message.id != "pipeline.W001"]
    if messages:
        text = " ".join(str(message.msg) for message in messages)
        fix = "\n".join(str(message.hint) for message in messages if message.hint)
        is_error = any(message.level >= ERROR for message in messages)
        return (error if is_error else warning)(text, fix or f"{MANAGE} check")
    return ok("all values are valid")


def check_database() -> Finding:
    try:
        executor = MigrationExecutor(connection)
        plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
        name = str(connection.settings_dict["NAME"])
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute("SHOW server_encoding")
                (encoding,) = cursor.fetchone()
            version = connection.pg_version  # type: ignore[attr-defined]
            if version < OLDEST_POSTGRESQL:
                return error(
                    f"PostgreSQL {version // 10_000} is too old.",
                    f"Upgrade the server to version {OLDEST_POSTGRESQL // 10_000} or newer.",
                )
            if encoding != "UTF8":
                return error(
                    f"The database {name} has the encoding {encoding}, not UTF8.",
                    "createdb --encoding=UTF8 --template=template0 NEW; then set DATABASE_URL.",
                )
    except DatabaseError as exception:
        reason = " ".join(str(exception).split()) or "no answer"
        return error(f"The database cannot be used: {reason}", "Start it, or correct DATABASE_URL.")
    if plan:
        missing = ", ".join(f"{step.app_label}.{step.name}" for step, _ in plan[:3])
        return error(f"{len(plan)} migrations are pending: {missing}", f"{MANAGE} migrate")
    return ok(f"{connection.display_name}, {name}, all migrations applied")


def check_queue() -> Finding:
    from kombu import Connection
    from kombu.exceptions import ChannelError, OperationalError
    from redis.exceptions import RedisError

    from pipeline.jobs.queue import QUEUES, queue_length
    from pipeline.workers import registry

    scheme = str(settings.CELERY_BROKER_URL).partition(":")[0]
    try:
        if scheme == "filesystem":
            with tempfile.TemporaryFile(dir=settings.QUEUE_DIR / "messages") as file:
                file.write(b"rarrweb")
        else:
            with Connection(settings.CELERY_BROKER_URL, connect_timeout=5) as broker:
                broker.ensure_connection(max_retries=1, interval_start=0, timeout=5)
                if broker.transport.driver_type == "redis":
                    # A full Redis or a replica refuses messages.
                    broker.default_channel.client.set("rarrweb-doctor", "", px=1)
        lengths = [queue_length(name) for name in sorted(set(QUEUES.values()))]
        if None in lengths:
            raise OSError("it stopped answering")
    except (OperationalError, ChannelError, RedisError, OSError) as exception:
        return error(
            f"The {scheme} queue cannot be used: {exception}. Work waits in the database.",
            f"Let rarrweb's user write to {settings.QUEUE_DIR}/messages."
            if scheme == "filesystem"
            else "Start the broker, give it memory, or correct CELERY_BROKER_URL.",
        )
    if missing := registry.unserved_queues():
        option = f" -Q {','.join(missing)}" if registry.alive().exists() else ""
        return error(
            f"No worker takes work from {', '.join(missing)}.",
            f"Start one: {registry.START_COMMAND}{option}",
        )
    return ok(f"{scheme}, {sum(filter(None, lengths))} messages waiting, a worker for each queue")


def check_disk_space() -> Finding:
    folder = settings.VAR_DIR
    free = shutil.disk_usage(folder).free
    if free < LEAST_DISK_BYTES:
        return error(
            f"Only {free // 1_000_000} MB are free in {folder}.",
            "Free some space, or move the folder to a larger disk and set RARR_VAR to it.",
        )
    return ok(f"{free / 1e9:,.0f} GB free in {folder}")


def check_permissions() -> Finding:
    folder = settings.VAR_DIR
    paths = [folder]
    if connection.vendor == "sqlite":
        paths.append(Path(connection.settings_dict["NAME"]))
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(b"rarrweb")
    except OSError as exception:
        return error(
            f"{folder} is not writable: {exception.strerror}.",
            f"chown -R $(whoami) {folder}, or set RARR_VAR to another folder.",
        )
    if readable := next(
        (path for path in (*paths, *group_readable_files(folder)) if is_group_readable(path)), None
    ):
        return error(
            f"Other users of this machine can read or change {readable}.",
            f"chmod -R go= {' '.join(map(str, paths))}",
        )
    return ok(f"{folder} is private to its owner")


def check_backup() -> Finding:
    from pipeline.models import Run
    from rarrweb.operations.backups import databases
    from rarrweb.operations.backups.archive import BackupError
    from rarrweb.operations.backups.scheduled import last_scheduled_backup

    if connection.vendor == "postgresql":
        try:
            databases.check_tools()
        except BackupError as exception:
            return error(str(exception), "Install the package that it names.")
    made_at = last_scheduled_backup()
    oldest = timezone.now() - OLDEST_BACKUP
    last = f"{made_at:%d %B %Y, %H:%M} UTC" if made_at else "none"
    message = f"last backup in {settings.BACKUP_DIR}: {last}"
    if (made_at and made_at > oldest) or not Run.objects.filter(created_at__lt=oldest).exists():
        return ok(message)
    return warning(
        message,
        f"{MANAGE} backup --keep 14\n"
        "Each night: systemctl enable --now rarrweb-backup.timer, or that command by cron "
        "(docs/operations.md).\n"
        "If you make backups in another way, ignore this.",
    )


def check_clock() -> Finding:
    from pipeline.models import Worker

    latest = Worker.objects.aggregate(Max("last_seen"))["last_seen__max"]
    apart = {"a worker": max(0.0, (latest - timezone.now()).total_seconds()) if latest else 0.0}
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT EXTRACT(EPOCH FROM clock_timestamp())")
            apart["the database"] = float(cursor.fetchone()[0]) - time.time()
    for machine, seconds in apart.items():
        if abs(seconds) > CLOCK_SECONDS:
            side = "ahead of" if seconds > 0 else "behind"
            return error(
                f"The clock of {machine} is {abs(seconds):,.0f} seconds {side} this machine's.",
                "On each machine: timedatectl set-ntp true",
            )
    return ok("all clocks agree")


def check_upgrade() -> Finding:
    files = ("requirements.txt", "requirements-parser.txt")
    text = "\n".join((settings.BASE_DIR / each).read_text() for each in files)
    wrong = []
    for name, version in REQUIREMENT.findall(text):
        try:
            installed = importlib.metadata.version(name).partition("+")[0]
        except importlib.metadata.PackageNotFoundError:
            installed = "missing"
        if installed != version:
            wrong.append(f"{name} {version} ({installed})")
    if wrong:
        return error(
            f"requirements.txt names packages that are not installed: {', '.join(wrong)}",
            "make setup, then restart web and workers",
        )
    return ok("the installed packages are those of requirements.txt")


CHECKS: tuple[Check, ...] = (
    check_python,
    check_settings,
    check_database,
    check_queue,
    check_disk_space,
    check_permissions,
    check_language_model,
    check_search,
    check_entailment,
    check_backup,
    check_clock,
    check_upgrade,
)
NEED_DATABASE = {check_queue, check_search, check_backup, check_clock}


def examine() -> list[Finding]:
    findings: dict[Check, Finding] = {}
    for check in CHECKS:
        if check in NEED_DATABASE and findings[check_database].state is not State.OK:
            findings[check] = Finding(
                state=State.SKIPPED, message="needs the database", subject=subject_of(check)
            )
        else:
            findings[check] = attempt(check)
    return list(findings.values())
