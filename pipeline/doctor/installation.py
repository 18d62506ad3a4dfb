"""What `manage.py doctor` examines: each check ends in one finding, with the exact fix.

Unlike the system checks, these really try things: connect, load, split, read. What may be broken
is imported inside the check, so that a broken part becomes a finding and not the end of the
examination.
"""

import errno
import platform
import shutil
import sys
import tempfile
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from django.conf import settings
from django.core.checks import ERROR, run_checks
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.db.models import Exists, OuterRef
from django.utils import timezone

from pipeline.doctor.findings import (
    MANAGE,
    Check,
    Finding,
    State,
    attempt,
    fine,
    note,
    subject_of,
    wrong,
)
from pipeline.doctor.language_models import check_language_model
from pipeline.doctor.models import (
    check_backends,
    check_entailment,
    check_model_card,
    check_opensearch,
    check_own_models,
    check_parser,
    check_relevance,
    check_search,
    check_sentences,
)
from pipeline.doctor.surroundings import (
    FEWER_CONNECTIONS,
    check_backups,
    check_capacity,
    check_clock,
    check_machines,
    check_proxy,
    check_second_factors,
)
from pipeline.doctor.system_checks import LEAST_DISK_BYTES
from rarrweb.addresses import absolute, is_local
from rarrweb.private_files import is_open, open_files

if TYPE_CHECKING:
    from kombu import Connection

OLDEST_PYTHON = (3, 11)
FULL = {errno.ENOSPC, errno.EDQUOT}
ROOM = "Free some space, or move the folder to a larger disk and set RARR_VAR to it."
LEAST_SQLITE_BYTES = 100_000
"""Of its index of what is written, without which it opens nothing."""
MANY_BYTES = 1_000_000_000
"""Of kept answers: more than that is worth knowing."""
QUIET_FOR = timedelta(minutes=5)
"""A run in which nothing has moved for so long, though work waits, is stuck."""


def check_python() -> Finding:
    version = platform.python_version()
    if sys.version_info[:2] < OLDEST_PYTHON:
        return wrong(f"{version} is too old.", "Install Python 3.11 or newer, remove .venv, make.")
    return fine(f"{version} on {platform.system()} {platform.machine()}")


def check_settings() -> Finding:
    """Django's own system checks and ours, as errors only: warnings have checks of their own."""
    messages = [found for found in run_checks() if found.level >= ERROR]
    if messages:
        says = " ".join(str(found.msg) for found in messages)
        fix = "\n".join(str(found.hint) for found in messages if found.hint)
        return wrong(says, fix or f"{MANAGE} check")
    return fine("every value can be right")


def check_state_folder() -> Finding:
    folder = settings.VAR_DIR
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(b"rarrweb")
        free = shutil.disk_usage(folder).free
    except OSError as error:
        return wrong(
            f"{folder} cannot be written ({error.strerror}).",
            ROOM
            if error.errno in FULL
            else f"chown -R $(whoami) {folder}, or set RARR_VAR to another folder.",
        )
    if free < LEAST_DISK_BYTES:
        return wrong(f"only {free // 1_000_000} MB are free in {folder}.", ROOM)
    return fine(f"{folder}, {free / 1e9:.0f} GB free")


def check_secret_key() -> Finding:
    path = settings.VAR_DIR / "secret_key"
    if not path.exists():
        return fine("from RARR_SECRET_KEY")
    mode = path.stat().st_mode & 0o777
    if mode & 0o077:
        return wrong(
            f"others on this machine can read {path} (mode {mode:o}).",
            f"chmod 600 {path}. If strangers have accounts here, also remove the file: a new "
            "key is made at the next start, and everybody logs in again.",
        )
    return fine(f"{path}, for its owner only")


def check_privacy() -> Finding:
    """Nobody but its owner can read what lies in the state folder, or the database's file."""
    folder = settings.VAR_DIR
    places = [folder]
    if connection.vendor == "sqlite":
        name = connection.settings_dict["NAME"]
        places += [Path(f"{name}{suffix}") for suffix in ("", "-wal", "-shm")]
    loose = [place for place in places if is_open(place)]
    loose += [path for path in open_files(folder) if path not in loose]
    if not loose:
        return fine(f"{folder} and the database are for their owner only")
    outside = [str(path) for path in loose if not path.is_relative_to(folder)]
    inside = [f"chmod -R go= {folder}"] if len(outside) < len(loose) else []
    return wrong(
        f"others on this machine can read or change {loose[0]}"
        + (f" and {len(loose) - 1:,} more." if len(loose) > 1 else "."),
        "\n".join([*inside, *(f"chmod go= {path}" for path in outside)]),
    )


def check_database() -> Finding:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
            version = _database_version()
    except DatabaseError as error:
        reason = str(error).strip().splitlines()[0] if str(error).strip() else "no answer"
        return wrong(
            f"{_database_name()} cannot be reached: {reason}",
            _fix_of_database(reason),
        )
    return fine(f"{version}, {_database_name()}")


def _fix_of_database(reason: str) -> str:
    if _sqlite_is_full():
        return ROOM
    if "too many clients" in reason or "remaining connection slots" in reason:
        return (
            "ALTER SYSTEM SET max_connections = twice what SHOW max_connections says; "
            f"{FEWER_CONNECTIONS}"
        )
    return "Start the database, or correct DATABASE_URL."


def _sqlite_is_full() -> bool:
    """Whether its disk has no room for the files that it makes beside the database."""
    folder = Path(str(connection.settings_dict["NAME"])).parent
    return (
        connection.vendor == "sqlite"
        and folder.is_dir()
        and shutil.disk_usage(folder).free < LEAST_SQLITE_BYTES
    )


def _database_version() -> str:
    if connection.vendor == "sqlite":
        import sqlite3

        return f"SQLite {sqlite3.sqlite_version}"
    number = connection.pg_version  # type: ignore[attr-defined]
    return f"PostgreSQL {number // 10_000}"


def _database_name() -> str:
    """Where the database is; never the password."""
    values = connection.settings_dict
    if connection.vendor == "sqlite":
        return str(values["NAME"])
    return f"{values['NAME']} at {values['HOST'] or 'this machine'}:{values['PORT'] or 5432}"


def check_tables() -> Finding:
    executor = MigrationExecutor(connection)
    plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    if plan:
        missing = ", ".join(f"{step.app_label}.{step.name}" for step, _ in plan[:3])
        more = f" and {len(plan) - 3} more" if len(plan) > 3 else ""
        return wrong(f"not up to date: {missing}{more}.", f"{MANAGE} migrate")
    return fine("up to date")


def check_people() -> Finding:
    from rarrweb.accounts.models import User

    active = User.objects.filter(is_active=True)
    administrators = active.filter(role=User.Role.ADMINISTRATOR).count()
    if not administrators:
        return wrong(
            "there is no administrator, so nobody can invite.", f"{MANAGE} createsuperuser"
        )
    people = active.count()
    return fine(
        f"{people} active {'account' if people == 1 else 'accounts'}, "
        f"{administrators} of them administrator",
    )


def check_queue() -> Finding:
    from kombu import Connection
    from kombu.exceptions import ChannelError, OperationalError

    from pipeline.jobs import queue

    scheme = str(settings.CELERY_BROKER_URL).partition(":")[0]
    is_folder = scheme == "filesystem"
    folder = settings.QUEUE_DIR / "messages"
    try:
        if is_folder:
            with tempfile.TemporaryFile(dir=folder) as file:
                file.write(b"rarrweb")
        else:
            with Connection(settings.CELERY_BROKER_URL, connect_timeout=5) as broker:
                broker.ensure_connection(max_retries=1, interval_start=0, timeout=5)
                if broker.transport.driver_type == "redis" and (fault := _refusal_of(broker)):
                    return fault
        lengths = [queue.queue_length(name) for name in sorted(set(queue.QUEUES.values()))]
        if None in lengths:
            raise OSError("it was there and went away")
    except (OperationalError, ChannelError, OSError) as error:
        return wrong(
            f"the {scheme} queue cannot be used ({error}). No work is lost, but none is handed "
            "out.",
            ROOM
            if is_folder and isinstance(error, OSError) and error.errno in FULL
            else f"Make the folder {folder} and let the user that runs rarrweb write to it."
            if is_folder
            else "Start the broker, or correct CELERY_BROKER_URL.",
        )
    return fine(f"{scheme}, {sum(filter(None, lengths))} messages wait")


def _refusal_of(broker: "Connection") -> Finding | None:
    """What is wrong with a Redis that answers and takes no message; None where it takes one."""
    from redis.exceptions import OutOfMemoryError, ReadOnlyError, ResponseError

    command = f"redis-cli -h {broker.hostname} -p {broker.port or 6379}"
    try:
        broker.default_channel.client.set("rarrweb-doctor", "", px=1)
    except OutOfMemoryError:
        says = "Redis is full (maxmemory)"
        fix = (
            f"{command} config set maxmemory 0, and the same in redis.conf, or as much as the "
            "machine has. Keep maxmemory-policy noeviction: others throw messages away."
        )
    except ReadOnlyError:
        says = "Redis is a copy of another one (a replica)"
        fix = (
            "Name the other one, the primary, in CELERY_BROKER_URL; or, where it is gone for good: "
            f"{command} replicaof no one"
        )
    except ResponseError as error:
        says = f"Redis refuses what is written ({error})"
        fix = "Let Redis's machine have room on its disk, and its user write to its folder (dir)."
    else:
        return None
    return wrong(f"{says}: it takes no messages. No work is lost, but none is handed out.", fix)


def check_workers() -> Finding:
    from pipeline.workers import registry

    if not registry.any_alive():
        fix = f"Start one: {registry.START_COMMAND}"
        return wrong("none is alive: runs and uploads wait.", fix)
    if left := registry.not_taken():
        return wrong(
            f"no living worker takes {', '.join(left)}: that work waits.",
            f"Start one that does: {registry.START_COMMAND} -Q {','.join(left)}",
        )
    return fine("all kinds of work are taken by a worker that gave a sign of life just now")


def check_runs() -> Finding:
    """No run stands still: work waits, nobody does it, and nothing has moved for a while."""
    from pipeline.models import Revision, Run

    now = timezone.now()
    of_run = Revision.objects.filter(run=OuterRef("pk"))
    going = Run.objects.filter(state=Run.State.RUNNING)
    stuck = (
        going.filter(Exists(Revision.objects.claimable().filter(run=OuterRef("pk"))))
        .exclude(Exists(of_run.filter(state=Revision.State.RUNNING, lease_until__gte=now)))
        .exclude(Exists(of_run.filter(finished_at__gte=now - QUIET_FOR)))
        .filter(created_at__lt=now - QUIET_FOR)
    )
    numbers = list(stuck.order_by("pk").values_list("pk", flat=True)[:10])
    if numbers:
        from pipeline.workers import registry

        named = ", ".join(map(str, numbers))
        return wrong(
            f"nothing has moved for {QUIET_FOR.seconds // 60} minutes, though passages wait, in "
            f"run {named}.",
            f"Start a worker ({registry.START_COMMAND}); if one is alive, restart it: at its "
            "start it sends again what got lost.",
        )
    return fine(f"{going.count()} running, none stuck")


def check_corpora() -> Finding:
    """Every ready corpus has an index that holds as many documents as the database."""
    from pipeline.backends.searches import open_index
    from pipeline.data.corpora import search_index
    from pipeline.models import Corpus
    from pipeline.rarr.errors import MissingIndex, RarrError

    faults = [
        f"{corpus.slug} failed ({corpus.error or 'no reason kept'})"
        for corpus in Corpus.objects.filter(state=Corpus.State.FAILED).order_by("pk")
    ]
    ready = list(Corpus.objects.filter(state=Corpus.State.READY).order_by("pk"))
    for corpus in ready:
        held = corpus.documents.count()
        try:
            found = open_index(search_index(corpus)).document_count
        except MissingIndex:
            faults.append(f"{corpus.slug} has no search index, or one that cannot be read")
            continue
        except RarrError as error:
            faults.append(f"{corpus.slug} cannot be looked at ({error})")
            continue
        if found != held:
            faults.append(f"{corpus.slug} has {held} documents and {found} in its search index")
    if faults:
        return wrong(
            "; ".join(faults) + ".",
            f"Press “Index again” on the page of each, under {absolute('/corpora/')}",
        )
    waiting = Corpus.objects.filter(state__in=[Corpus.State.QUEUED, Corpus.State.INDEXING]).count()
    return fine(
        f"{len(ready)} ready, each whole in its search index"
        + (f"; {waiting} being indexed" if waiting else ""),
    )


def check_kept_answers() -> Finding:
    """How many answers of models and searches are kept, and how to delete them."""
    from pipeline.backends.answer_files import size_of
    from pipeline.runs import answer_cache

    count, size, oldest = answer_cache.kept()
    in_file = size_of(settings.VAR_DIR / settings.ANSWERS_FILE)
    since = f" since {oldest:%d %B %Y}" if oldest else ""
    says = (
        f"{count:,} of models and searches in the database, {size / 1e6:.1f} MB{since}; "
        f"{in_file / 1e6:.1f} MB in the file of the revise command"
    )
    if size + in_file > MANY_BYTES:
        return note(f"{says}.", f"{MANAGE} forget_answers --older-than 30")
    return fine(says)


def check_address() -> Finding:
    url = settings.PUBLIC_URL
    address = url.geturl()
    if is_local(url):
        return note(
            f"{address}, for this machine only.",
            "For others, set PUBLIC_URL to the address they type, or they are answered with 400 "
            "(docs/deployment.md).",
        )
    if url.scheme == "http":
        return wrong(
            f"{address} is not https: passwords can be read on their way.",
            f"Put a proxy that ends TLS in front and set PUBLIC_URL=https://{url.netloc}",
        )
    return fine(
        f"{address}. The proxy must pass Host and set X-Forwarded-Proto and X-Forwarded-For itself",
    )


def check_chromium() -> Finding:
    names = (
        "chromium-headless-shell",
        "chromium",
        "chromium-browser",
        "google-chrome",
        "google-chrome-stable",
    )
    if found := next(filter(None, map(shutil.which, names)), None):
        return fine(f"{found}, for the browser tests")
    return note(
        "not installed. Only the browser tests need it.",
        "Install the package chromium-headless-shell to run them.",
    )


CHECKS: tuple[Check, ...] = (
    check_python, check_settings, check_state_folder, check_secret_key, check_privacy,
    check_address, check_proxy, check_database, check_tables, check_capacity, check_backups,
    check_people, check_second_factors, check_workers, check_machines, check_clock, check_runs,
    check_corpora, check_kept_answers, check_queue, check_backends, check_entailment,
    check_relevance, check_own_models, check_language_model, check_search, check_opensearch,
    check_model_card, check_parser, check_sentences, check_chromium,
)  # fmt: skip
READ_TABLES = {
    check_capacity, check_people, check_second_factors, check_workers, check_machines,
    check_clock, check_runs, check_corpora, check_kept_answers,
}  # fmt: skip
NEEDS: dict[Check, Check] = {
    check_tables: check_database,
    check_backups: check_database,
    **dict.fromkeys(READ_TABLES, check_tables),
}
"""The check without which one is not made."""


def examine() -> list[Finding]:
    """The findings of all checks, in their order."""
    found: dict[Check, Finding] = {}
    for check in CHECKS:
        needed = found[NEEDS[check]] if check in NEEDS else None
        if needed is None or needed.state is State.FINE:
            found[check] = attempt(check)
            continue
        says = f"not looked at: first see to {needed.subject.lower()}"
        found[check] = Finding(state=State.SKIPPED, says=says, subject=subject_of(check))
    return list(found.values())
