"""What stands around an installation: the proxy, disks, clocks, other machines, PostgreSQL."""

import re
import socket
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterable
from datetime import timedelta
from http.cookiejar import CookieJar
from pathlib import Path
from typing import TYPE_CHECKING

from django.conf import settings
from django.db import connection
from django.db.models import Max
from django.urls import reverse
from django.utils import timezone

from pipeline.doctor.findings import MANAGE, Finding, fine, note, wrong
from rarrweb.addresses import absolute, is_local

if TYPE_CHECKING:
    from pipeline.models import Worker

OLDEST_POSTGRESQL = 15
NETWORK_DISKS = re.compile(r"nfs\d?|cifs|smb\w*|fuse\.sshfs|9p|afs|ceph|glusterfs|fuse\.\w*ceph")
MANY_PEOPLE = 20
"""Who log in on one day; more than that wait for each other on SQLite."""
CROWDED = 0.8
"""The share of PostgreSQL's connections from which on the next process may get none."""
FEWER_CONNECTIONS = (
    "then restart PostgreSQL, or start fewer web threads (gunicorn --threads) and worker processes "
    "(--concurrency)."
)
CLOCK_SECONDS = 5
OLDEST_BACKUP = timedelta(days=2)
"""So that one night may fail."""
PROXY_SECONDS = 30
UNKNOWN_AUTHORITY = (18, 19, 20, 21)
"""OpenSSL's codes of a chain that ends in a certificate which nobody told it to trust."""
FORM_TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="([^"]{1,100})"')


def check_proxy() -> Finding:
    """A form that is posted to PUBLIC_URL, as a browser does it, arrives as one of ours."""
    url = settings.PUBLIC_URL
    address = url.geturl()
    if is_local(url):
        return fine("none is needed on this machine")
    try:
        status, is_taken_for_https = _post_form(absolute(reverse("account_login")))
    except OSError as error:
        reason = getattr(error, "reason", None) or error
        if getattr(reason, "verify_code", None) in UNKNOWN_AUTHORITY:
            return wrong(
                f"the certificate of {address} is of an authority that this machine does not know.",
                "Take one that browsers know, or, where the authority is your own: cp ITS.crt "
                "/usr/local/share/ca-certificates/ && update-ca-certificates",
            )
        return wrong(
            f"nothing answers at {address} ({reason}).",
            "Start the web processes and the proxy, and let the proxy's certificate and name be "
            "those of PUBLIC_URL.",
        )
    if status == 400:
        return wrong(
            f"{address} is answered with 400: the proxy does not pass the name that people type.",
            "In the proxy: proxy_set_header Host $host; (nginx), then reload it.",
        )
    if status not in {200, 429}:  # 429 is rarrweb's own: the examination was made often
        return wrong(
            f"the log-in form at {address} is answered with {status}.",
            f"Look into the proxy's log, and try without it: curl -i -H 'Host: {url.hostname}' "
            "http://127.0.0.1:8000/healthz",
        )
    if url.scheme == "https" and not is_taken_for_https:
        return wrong(
            f"what comes to {address} is taken for plain http: the proxy does not say that it came "
            "by https. Browsers are not told to stay with https, and the API's links are of http.",
            "In the proxy: proxy_set_header X-Forwarded-Proto $scheme; (nginx), then reload it.",
        )
    return fine(f"a form that is posted to {address} arrives")


def _post_form(address: str) -> tuple[int, bool]:
    """The status of an empty log-in form that is fetched and posted, and whether the answer has
    what rarrweb answers to https alone; raises `OSError`.
    """
    cookies = urllib.request.HTTPCookieProcessor(CookieJar())
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), cookies)
    try:
        with opener.open(address, timeout=PROXY_SECONDS) as page:
            found = FORM_TOKEN.search(page.read(1_000_000).decode("utf-8", "replace"))
        token = found[1] if found else ""
        form = urllib.parse.urlencode({"csrfmiddlewaretoken": token, "username": ""}).encode()
        origin = f"{settings.PUBLIC_URL.scheme}://{settings.PUBLIC_URL.netloc}"
        request = urllib.request.Request(  # noqa: S310  # the operator's own address
            address, form, {"Origin": origin, "Referer": address}
        )
        with opener.open(request, timeout=PROXY_SECONDS) as answer:
            return int(answer.status), "Strict-Transport-Security" in answer.headers
    except urllib.error.HTTPError as error:
        return error.code, "Strict-Transport-Security" in error.headers


def check_capacity() -> Finding:
    """The database can carry what is asked of it."""
    return _sqlite() if connection.vendor == "sqlite" else _postgresql()


def _sqlite() -> Finding:
    from rarrweb.accounts.models import User

    path = Path(connection.settings_dict["NAME"]).resolve()
    kind = disk_kind(path)
    move = _move_to_postgresql()
    if NETWORK_DISKS.fullmatch(kind):
        return wrong(
            f"{path} lies on a network share ({kind}): SQLite's locks do not hold there, and the "
            "file breaks.",
            f"Set RARR_VAR to a folder on a local disk and move the file there.\n{move}",
        )
    since = timezone.now() - timedelta(days=1)
    people = User.objects.filter(last_login__gte=since).count()
    if people > MANY_PEOPLE:
        return note(f"{people} people logged in since yesterday; SQLite has one writer.", move)
    return fine("SQLite on a local disk, for one machine and about twenty people at once")


def _move_to_postgresql() -> str:
    path = Path(connection.settings_dict["NAME"]).resolve()
    return (
        "Set DATABASE_URL to an empty PostgreSQL, then: "
        f"{MANAGE} migrate && {MANAGE} migrate_database {path}"
    )


def disk_kind(path: Path, mounts: str = "/proc/mounts") -> str:
    """The kind of file system that holds `path`; empty where the machine does not tell."""
    try:
        lines = Path(mounts).read_text().splitlines()
    except OSError:
        return ""
    found = [line.split()[1:3] for line in lines]
    holding = [(place, kind) for place, kind in found if path.is_relative_to(place)]
    return max(holding, key=lambda each: len(each[0]))[1] if holding else ""


def _postgresql() -> Finding:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT current_setting('server_version_num')::int / 10000, "
            "current_setting('server_encoding'), current_setting('max_connections')::int, "
            "(SELECT COUNT(*) FROM pg_stat_activity WHERE backend_type = 'client backend')"
        )
        version, encoding, most, open_now = cursor.fetchone()
    if version < OLDEST_POSTGRESQL:
        return wrong(
            f"PostgreSQL {version} is too old.",
            f"Upgrade the server to {OLDEST_POSTGRESQL} or newer (pg_upgrade, or {MANAGE} backup "
            "and restore).",
        )
    if encoding != "UTF8":
        return wrong(
            f"the database is encoded in {encoding}: texts in other alphabets are refused.",
            "createdb --encoding=UTF8 --template=template0 NEW, move the rows there (pg_dump), and "
            "set DATABASE_URL to it.",
        )
    if open_now >= CROWDED * most:
        return wrong(
            f"{open_now} of {most} connections are open: the next process may get none.",
            f"ALTER SYSTEM SET max_connections = {most * 2}; {FEWER_CONNECTIONS}",
        )
    return fine(f"PostgreSQL {version}, {open_now} of {most} connections open")


def check_clock() -> Finding:
    """This machine, the database's and the workers' agree on what time it is."""
    from pipeline.models import Worker

    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT EXTRACT(EPOCH FROM clock_timestamp())")
            apart = float(cursor.fetchone()[0]) - time.time()
        if abs(apart) > CLOCK_SECONDS:
            return _clock("the database's machine", apart)
    latest = Worker.objects.aggregate(Max("last_seen"))["last_seen__max"]
    ahead = (latest - timezone.now()).total_seconds() if latest else 0
    if ahead > CLOCK_SECONDS:
        return _clock("a worker's machine", ahead)
    return fine("the clocks agree")


def _clock(whose: str, apart: float) -> Finding:
    side = "ahead of" if apart > 0 else "behind"
    return wrong(
        f"the clock of {whose} is {abs(apart):,.0f} seconds {side} this one's: leases end too "
        "early or too late.",
        "On each machine: timedatectl set-ntp true",
    )


def check_machines() -> Finding:
    """Workers on other machines reach what they need."""
    from pipeline.workers import registry

    here = socket.gethostname()
    workers = list(registry.alive())
    need_files = [worker for worker in workers if _needs_files(worker)]
    if shut_out := _machines_of(each for each in need_files if each.has_sign is False):
        return wrong(
            f"workers on {shut_out} cannot write into their RARR_VAR: uploads, packages and "
            "search indexes fail there.",
            "There, as root, with the workers' user and RARR_VAR: chown -R USER RARR_VAR\n"
            "Where it is a share: mount it with rw, and give the user one uid on all machines.",
        )
    apart = _machines_of(
        each for each in need_files if each.has_sign and not registry.sign_of(each.name).exists()
    )
    if apart:
        return wrong(
            f"workers on {apart} do not have the folder {settings.VAR_DIR} of "
            f"{here}: each lacks the uploads, packages and search indexes of the other.",
            "Let RARR_VAR be one folder on all machines, by NFS, say (docs/deployment.md), and "
            "restart the workers there.",
        )
    others = ", ".join(sorted({worker.name.partition(":")[0] for worker in workers} - {here}))
    if not others:
        return fine("all workers are on this machine")
    needs = []
    if connection.vendor == "sqlite":
        needs.append(_move_to_postgresql())
    if str(settings.CELERY_BROKER_URL).startswith("filesystem"):
        needs.append("Set CELERY_BROKER_URL=redis://HOST:6379/0 for web and workers.")
    if settings.IS_KEY_IN_FILE:
        needs.append("Set one RARR_SECRET_KEY for web and workers: export RARR_SECRET_KEY=…")
    if needs:
        return note(
            f"workers are on {others}, and share SQLite, the folder queue or the key's file with "
            f"{here}: right for containers on one machine only.",
            "\n".join(needs),
        )
    return fine(f"workers on {others} have a database, a queue, a key and files that reach them")


def _machines_of(workers: Iterable["Worker"]) -> str:
    return ", ".join(sorted({worker.name.partition(":")[0] for worker in workers}))


def _needs_files(worker: "Worker") -> bool:
    """Whether its kinds of work read or write files under RARR_VAR."""
    from pipeline.jobs.queue import WITH_FILES

    kinds = set(worker.queues)
    return bool(kinds & WITH_FILES if settings.RARR_OPENSEARCH else kinds)


def check_backups() -> Finding:
    """The database can be backed up, as `migrate` does before it changes tables."""
    from rarrweb.backups import postgresql
    from rarrweb.backups.automatic import NAMES
    from rarrweb.backups.refusals import Refused
    from rarrweb.backups.restoring import backup_folder

    if connection.vendor == "postgresql":
        try:
            postgresql.check_tools()
        except Refused as error:
            major, _ = postgresql.server_version()
            return wrong(str(error), f"apt-get install postgresql-client-{major}")
    kept = sorted(backup_folder().glob(NAMES))
    if not settings.RARR_BACKUPS:
        return note("migrate makes none (RARR_BACKUPS=0).", "Unset RARR_BACKUPS.")
    return fine(
        f"{len(kept)} in {backup_folder()}" if kept else f"{MANAGE} backup FILE makes one any time"
    )


def check_last_backup() -> Finding:
    """Where there has been work for days, it is in a backup of the last days."""
    from pipeline.models import Run
    from rarrweb.backups.scheduled import last_scheduled_backup

    made = last_scheduled_backup()
    says = f"of {made:%d %B %Y, %H:%M} UTC" if made else "there is none"
    says = f"{says} in {settings.BACKUP_DIR}"
    oldest = timezone.now() - OLDEST_BACKUP
    if made and made > oldest:
        return fine(says)
    if not Run.objects.filter(created_at__lt=oldest).exists():
        return fine(f"{says}, and no run is older than two days")
    return note(
        f"{says}: what was done since then is in none."
        if made
        else f"{says}: runs and judgments are in none.",
        f"{MANAGE} backup --keep 14\n"
        "Each night: systemctl enable --now rarrweb-backup.timer, or that command by cron "
        "(docs/upgrading.md).\n"
        "Where the timer is on: journalctl -u rarrweb-backup says what kept it from making one.\n"
        "Where you make backups in another way: nothing.",
    )
