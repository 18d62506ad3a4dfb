"""The faults by name, each against an installation of its own."""

import contextlib
import errno
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from tests.faults import machines
from tests.faults.machines import Machine

if TYPE_CHECKING:
    from tests.faults.work import Work

APP = "tests.support.worker_app"
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
    workers: int = 1
    app: str = APP
    disk_megabytes: int = 0
    """Of a disk of its own for the installation's folder; needs the right to mount."""
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
        workers=2,
    ),
    "worker-frozen-long": Case(
        what="one of two workers frozen for 190 s, with leases of 60 s",
        strike=freeze("worker", 190),
        strikes=1,
        workers=2,
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
        home = folder
        if case.disk_megabytes:
            home = stack.enter_context(small_disk(folder / "disk", case.disk_megabytes))
        if case.is_grown:
            database, database_url = machines.postgresql(folder / "postgresql")
            broker, broker_url = machines.redis(folder / "redis")
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
        import django

        django.setup()
        from django.core.management import call_command

        call_command("migrate", verbosity=0)
        (folder / "clock").write_text("0")
        web, place.url = machines.web(folder, {})
        workers = [
            machines.worker(folder, {}, app=case.app, name=name)
            for name in ("worker", "worker-2")[: case.workers]
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
