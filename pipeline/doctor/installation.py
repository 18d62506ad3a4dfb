"""What `manage.py doctor` examines: each check ends in one finding, with the exact fix.

Unlike the system checks, these really try things: connect, load, split, read. What may be broken
is imported inside the check, so that a broken part becomes a finding and not the end of the
examination.
"""

import platform
import shutil
import sys
import tempfile
from pathlib import Path

from django.conf import settings
from django.core.checks import ERROR, run_checks
from django.db import connection

from pipeline.doctor.database import check_database, check_tables
from pipeline.doctor.findings import (
    FULL,
    MANAGE,
    ROOM,
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
    check_backups,
    check_capacity,
    check_clock,
    check_last_backup,
    check_machines,
    check_proxy,
)
from pipeline.doctor.system_checks import LEAST_DISK_BYTES
from pipeline.doctor.work import check_queue, check_runs, check_workers
from rarrweb.addresses import absolute, is_local
from rarrweb.private_files import is_open, open_files

OLDEST_PYTHON = (3, 11)
MANY_BYTES = 1_000_000_000
"""Of kept answers: more than that is worth knowing."""


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
    check_last_backup, check_people, check_workers, check_machines,
    check_clock, check_runs, check_corpora, check_kept_answers, check_queue, check_backends,
    check_entailment, check_relevance, check_own_models, check_language_model, check_search,
    check_opensearch, check_model_card, check_parser, check_sentences, check_chromium,
)  # fmt: skip
READ_TABLES = {
    check_capacity, check_last_backup, check_people, check_workers,
    check_machines, check_clock, check_runs, check_corpora, check_kept_answers,
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
