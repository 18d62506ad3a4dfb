"""The faults by name, each against an installation of its own."""

import contextlib
import os
import random
import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.faults import machines
from tests.faults.machines import Machine

APP = "tests.support.worker_app"
LEASE_SECONDS = 4


@dataclass(kw_only=True)
class Place:
    """An installation: its folder, its address, and its machines by name."""

    folder: Path
    chance: random.Random
    url: str = ""
    machines: dict[str, Machine] = field(default_factory=dict)

    @property
    def script_log(self) -> Path:
        return self.folder / "script.log"

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
    settings: dict[str, str] = field(default_factory=dict)


def kill(*names: str, away: tuple[float, float] = (0.5, 4.0)) -> Strike:
    def strike(place: Place) -> None:
        for name in names:
            place.machines[name].kill()
        place.pause(*away)
        for name in names:
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


CASES = {
    "web-killed": Case(what="SIGKILL of the web server", strike=kill("web")),
    "worker-killed": Case(what="SIGKILL of a worker", strike=kill("worker")),
    "redis-killed": Case(what="SIGKILL of Redis, which forgets the queue", strike=kill("Redis")),
    "postgresql-killed": Case(what="SIGKILL of PostgreSQL", strike=kill("PostgreSQL")),
    "postgresql-stopped": Case(what="PostgreSQL stopped (immediate)", strike=stop_postgresql),
    "all-killed": Case(
        what="SIGKILL of all of them at once",
        strike=kill("web", "worker", "Redis", "PostgreSQL"),
        strikes=2,
    ),
    "worker-frozen": Case(
        what="a worker frozen for 10 s, with leases of 4 s", strike=freeze("worker", 10)
    ),
}


@contextlib.contextmanager
def installed(case: Case, folder: Path, *, seed: int) -> Iterator[Place]:
    """Servers, settings and an empty database; all ended at the end."""
    place = Place(folder=folder, chance=random.Random(seed))
    for name in [name for name in os.environ if name.startswith(("RARR_", "DJANGO_"))]:
        del os.environ[name]
    with contextlib.ExitStack() as stack:
        if case.is_grown:
            database, database_url = machines.postgresql(folder / "postgresql")
            broker, broker_url = machines.redis(folder / "redis")
            for each in (database, broker):
                stack.callback(each.stop)
                each.start()
                place.machines[each.name] = each
        else:
            database_url, broker_url = f"sqlite:///{folder / 'db.sqlite3'}", "filesystem://"
        os.environ |= {
            "DJANGO_SETTINGS_MODULE": "rarrweb.settings",
            "DATABASE_URL": database_url,
            "CELERY_BROKER_URL": broker_url,
            "RARR_VAR": str(folder / "var"),
            "RARR_LEASE_SECONDS": str(LEASE_SECONDS),
            "RARR_SWEEP_SECONDS": "1",
            "SCRIPT_LOG": str(place.script_log),
            "SCRIPT_SECONDS": "0.3",
            **case.settings,
        }
        import django

        django.setup()
        from django.core.management import call_command

        call_command("migrate", verbosity=0)
        web, place.url = machines.web(folder, {})
        for each in (web, machines.worker(folder, {}, app=APP)):
            stack.callback(each.stop)
            each.start()
            place.machines[each.name] = each
        yield place
