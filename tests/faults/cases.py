"""The faults by name, each against an installation of its own."""

import contextlib
import errno
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from tests.faults import machines
from tests.faults.machines import Machine
from tests.faults.servers import MODES, RIGHT

if TYPE_CHECKING:
    from tests.faults.work import Work

APP = "tests.support.worker_app"
KILLED = "is killed"
MODELS, FILES = "rarrweb.passages", "rarrweb.uploads,rarrweb.exports,rarrweb.indexing"
"""Queues, as docs/deployment.md parts them among workers."""
LEASE_SECONDS = 4


@dataclass(kw_only=True)
class Place:
    """An installation: its folder, its address, and its machines by name."""

    folder: Path
    chance: random.Random
    url: str = ""
    machines: dict[str, Machine] = field(default_factory=dict)
    work: "Work | None" = None
    wrong: dict[str, int] = field(default_factory=dict)
    """What the fault itself has found."""
    to_come: list[str] = field(default_factory=lambda: [*MODES, KILLED])
    """How servers are still to fail."""

    @property
    def script_log(self) -> Path:
        return self.folder / "script.log"

    def note(self, what: str, count: int) -> None:
        if count:
            self.wrong[what] = self.wrong.get(what, 0) + count

    def pause(self, least: float, most: float) -> None:
        time.sleep(self.chance.uniform(least, most))


Strike = Callable[[Place], None]


@dataclass(frozen=True, kw_only=True)
class Case:
    what: str
    """The fault in words, for the table."""
    strike: Strike
    """Does harm, and ends it as whoever watches over processes would: starts them again."""
    is_grown: bool = True
    """PostgreSQL and Redis; else SQLite and the folder queue."""
    strikes: int = 3
    gap: tuple[float, float] = (1.0, 5.0)
    """Seconds between strikes."""
    workers: tuple[str, ...] = ("",)
    """The queues of each, "" for all."""
    app: str = APP
    web_app: str = "rarrweb.wsgi"
    broker: Callable[[Path], tuple[Machine, str]] = machines.redis
    has_servers: bool = False
    """Passages are revised by a language model's server, beside a search engine."""
    disk_megabytes: int = 0
    """Of a disk of its own for the installation's folder; needs the right to mount."""
    disk_is_database: bool = False
    """The disk is PostgreSQL's, and files lie elsewhere."""
    settings: dict[str, str] = field(default_factory=dict)


def kill(*names: str, away: tuple[float, float] = (0.5, 4.0)) -> Strike:
    def strike(place: Place) -> None:
        for name in names:
            place.machines[name].kill()
        place.pause(*away)
        for name in reversed(names):  # those that others need come last in the case
            place.machines[name].start()

    return strike


def stop_postgresql(place: Place) -> None:
    """`pg_ctl stop -m immediate`, and start."""
    server = place.machines["PostgreSQL"]
    assert server.process is not None
    server.process.send_signal(signal.SIGQUIT)
    server.wait()
    place.pause(0.5, 4.0)
    server.start()


def freeze(name: str, seconds: float) -> Strike:
    """Stand still, and go on as if nothing had been."""

    def strike(place: Place) -> None:
        machine = place.machines[name]
        machine.signal(signal.SIGSTOP)
        time.sleep(seconds)
        machine.signal(signal.SIGCONT)

    return strike


def cut_power(place: Place) -> None:
    """Take what the disk has in this moment, and open it as a machine does that starts again."""
    assert place.work is not None
    raters = place.work.raters
    before = {key: said for rater in raters for key, said in dict(rater.acknowledged).items()}
    names = ("web", "worker")
    for name in names:
        place.machines[name].signal(signal.SIGSTOP)
    copy = place.folder / f"power-{time.monotonic_ns()}"
    copy.mkdir()
    for each in place.folder.glob("db.sqlite3*"):
        if not each.name.endswith("-shm"):  # it is memory, and gone
            shutil.copy(each, copy)
    for name in names:
        place.machines[name].signal(signal.SIGCONT)
    with contextlib.closing(sqlite3.connect(copy / "db.sqlite3")) as opened:
        place.note("databases broken", integrity(opened) != "ok")
        rows = opened.execute(
            "SELECT assignment_id, criterion, target, sequence FROM annotation_judgment"
        )
        held = {(row[0], row[1], row[2]): row[3] for row in rows}
    lost = sum(held.get(key, -1) < sequence for key, (_, sequence) in before.items())
    place.note("answers that the power took back", lost)
    shutil.rmtree(copy)


def integrity(database: sqlite3.Connection) -> str:
    return str(database.execute("PRAGMA integrity_check").fetchone()[0])


def jump(place: Place) -> None:
    """An hour ahead, and back again, in which moment a worker dies with leases of an hour."""
    clock = place.folder / "clock"
    clock.write_text("3600")
    place.pause(3.0, 6.0)
    place.machines["worker"].kill()
    clock.write_text("0")
    place.machines["worker"].start()


def jump_pages(place: Place) -> None:
    """The web server's clock an hour ahead, and back again."""
    clock = place.folder / "clock"
    clock.write_text("3600")
    place.pause(3.0, 6.0)
    clock.write_text("0")


def freeze_queue(place: Place) -> None:
    """The queue stands still for half a minute, in which pages and /readyz are asked."""
    assert place.work is not None
    broker = place.machines["Redis"]
    broker.signal(signal.SIGSTOP)
    again = threading.Timer(30, broker.signal, [signal.SIGCONT])
    again.start()
    while again.is_alive():
        asked = time.monotonic()
        said = place.work.says_of_queue()
        took = time.monotonic() - asked
        place.note("queues called ok that stand still", said == "ok" and again.is_alive())
        place.note("waits of over 20 s for three pages", took > 20)
        time.sleep(1)


def fail_servers(place: Place) -> None:
    """The next of the ways to fail, for some seconds; meanwhile the page of the run says so."""
    assert place.work is not None
    how, mode = place.to_come.pop(), place.folder / "servers" / "mode"
    if how == KILLED:
        place.machines["servers"].kill()
    else:
        mode.write_text(how)
    place.pause(8.0, 12.0)
    place.note("pages of a run that do not say why it waits", not place.work.says_why())
    if how == KILLED:
        place.machines["servers"].start()
    mode.write_text(RIGHT)


def fill_disk(place: Place) -> None:
    """Until not a byte more goes onto it; room again after some seconds."""
    ballast = place.folder / "disk" / "ballast"
    with ballast.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(bytes(4096))
        except OSError as error:
            if error.errno != errno.ENOSPC:
                raise
    place.pause(4.0, 8.0)
    ballast.unlink()
    database = place.machines.get("PostgreSQL")
    if database and database.has_ended():  # it could not even write that it had no room
        database.start()


CASES = {
    "web-killed": Case(what="SIGKILL of the web server", strike=kill("web")),
    "worker-killed": Case(
        what="SIGKILL of the only worker", strike=kill("worker"), gap=(6.0, 12.0)
    ),
    "redis-killed": Case(what="SIGKILL of Redis, which forgets the queue", strike=kill("Redis")),
    "postgresql-killed": Case(what="SIGKILL of PostgreSQL", strike=kill("PostgreSQL")),
    "postgresql-stopped": Case(what="PostgreSQL stopped (immediate)", strike=stop_postgresql),
    "all-killed": Case(
        what="SIGKILL of all of them at once",
        strike=kill("web", "worker", "Redis", "PostgreSQL"),
        strikes=2,
        gap=(6.0, 12.0),
    ),
    "worker-frozen": Case(
        what="one of two workers frozen for 10 s, with leases of 4 s",
        strike=freeze("worker", 10),
        workers=("", ""),
    ),
    "worker-frozen-long": Case(
        what="one of two workers frozen for 190 s, with leases of 60 s",
        strike=freeze("worker", 190),
        strikes=1,
        workers=("", ""),
        settings={"RARR_LEASE_SECONDS": "60"},
    ),
    "clock-jumps": Case(
        what="the worker's clock an hour ahead and back, the worker killed then",
        strike=jump,
        strikes=2,
        gap=(3.0, 6.0),
        app="tests.faults.jumping_app",
    ),
    "disk-full": Case(
        what="the disk with files full for 4 to 8 s", strike=fill_disk, disk_megabytes=200
    ),
    "redis-frozen": Case(
        what="Redis stands still for 30 s", strike=freeze_queue, strikes=2, gap=(3.0, 6.0)
    ),
    "rabbitmq-killed": Case(
        what="SIGKILL of RabbitMQ, in place of Redis",
        strike=kill("RabbitMQ"),
        strikes=2,
        broker=machines.rabbitmq,
    ),
    "postgresql-disk-full": Case(
        what="PostgreSQL's disk full for 4 to 8 s",
        strike=fill_disk,
        disk_megabytes=300,
        disk_is_database=True,
    ),
    "web-clock-jumps": Case(
        what="the web server's clock an hour ahead for 3 to 6 s, and back",
        strike=jump_pages,
        web_app="tests.faults.jumping_wsgi",
    ),
    "servers-fail": Case(
        what="the model's server and the search engine hang, answer 500 and 429, break off, die",
        strike=fail_servers,
        strikes=len(MODES),
        gap=(0.5, 1.5),
        has_servers=True,
        workers=(
            "rarrweb.trials,rarrweb.passages",
            "rarrweb.uploads,rarrweb.exports,rarrweb.indexing",
        ),
        settings={
            "RARR_LLM": "openai:stub",
            "RARR_LLM_TIMEOUT": "2",
            "RARR_LLM_PATIENCE": "4",
        },
    ),
    "sqlite-killed": Case(
        what="SQLite: SIGKILL of web server and worker",
        strike=kill("web", "worker"),
        is_grown=False,
        gap=(6.0, 12.0),
    ),
    "sqlite-power-cut": Case(
        what="SQLite: its file and log as they are at a moment, opened anew",
        strike=cut_power,
        is_grown=False,
        strikes=8,
    ),
    "sqlite-disk-full": Case(
        what="SQLite: the disk with everything full for 4 to 8 s",
        strike=fill_disk,
        is_grown=False,
        disk_megabytes=200,
    ),
}


@contextlib.contextmanager
def installed(case: Case, folder: Path, *, seed: int) -> Iterator[Place]:
    """Servers, settings and an empty database; all ended at the end."""
    place = Place(folder=folder, chance=random.Random(seed))
    for name in [name for name in os.environ if name.startswith(("RARR_", "DJANGO_"))]:
        del os.environ[name]
    with contextlib.ExitStack() as stack:
        disk = folder
        if case.disk_megabytes:
            disk = stack.enter_context(small_disk(folder / "disk", case.disk_megabytes))
        home = folder if case.disk_is_database else disk
        if case.is_grown:
            database_disk = disk if case.disk_is_database else folder
            database, database_url = machines.postgresql(database_disk / "postgresql")
            broker, broker_url = case.broker(folder / "broker")
            for each in (database, broker):
                stack.callback(each.stop)
                each.start()
                place.machines[each.name] = each
        else:
            database_url, broker_url = f"sqlite:///{home / 'db.sqlite3'}", "filesystem://"
        os.environ |= {
            "DJANGO_SETTINGS_MODULE": "rarrweb.settings",
            "DATABASE_URL": database_url,
            "CELERY_BROKER_URL": broker_url,
            "RARR_VAR": str(home / "var"),
            "RARR_LEASE_SECONDS": str(LEASE_SECONDS),
            "RARR_SWEEP_SECONDS": "1",
            "SCRIPT_LOG": str(place.script_log),
            "SCRIPT_SECONDS": "0.3",
            "FAULT_CLOCK": str(folder / "clock"),
            **case.settings,
        }
        if case.has_servers:
            servers, address = machines.servers(folder / "servers")
            stack.callback(servers.stop)
            servers.start()
            place.machines["servers"] = servers
            os.environ |= {
                "RARR_LLM_BASE_URL": f"http://{address}/v1",
                "RARR_SEARCH": f"corpus+searxng:http://{address}",
                "RARR_TRUSTED_HOSTS": address,
            }
        import django

        django.setup()
        from django.core.management import call_command

        call_command("migrate", verbosity=0)
        (folder / "clock").write_text("0")
        web, place.url = machines.web(folder, {}, app=case.web_app)
        workers = [
            machines.worker(folder, {}, app=case.app, name=name, queues=queues)
            for name, queues in zip(("worker", "worker-2"), case.workers, strict=False)
        ]
        for each in (web, *workers):
            stack.callback(each.stop)
            each.start()
            place.machines[each.name] = each
        yield place


@contextlib.contextmanager
def small_disk(folder: Path, megabytes: int) -> Iterator[Path]:
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", str(folder)]
    if subprocess.run(mount, check=False).returncode:
        raise SystemExit("A disk that can be filled needs the right to mount one: run it as root.")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)
