"""Management commands killed in the middle, a dozen times each: the old state is whole or the new
one, the command says what to do, and run again it succeeds.
"""

import contextlib
import hashlib
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import psycopg

from tests.faults import machines
from tests.support.installation import ROOT, embedded

KILLS = 12
ROWS = 20_000
FOLDERS = ("corpora", "uploads", "exports", "secret_key")
IDS_VARY = {"django_migrations", "django_content_type", "auth_permission"}
"""What `migrate` writes at its end, in the order and at the time in which it comes to it."""
CUT_OFF = "A restore was interrupted"


@dataclass(kw_only=True)
class Place:
    """A state folder and a database, and what was found there."""

    folder: Path
    chance: random.Random
    environment: dict[str, str]
    outcomes: Counter[str] = field(default_factory=Counter)
    """What stood there after the kills."""
    wrong: Counter[str] = field(default_factory=Counter)

    @property
    def var(self) -> Path:
        return Path(self.environment["RARR_VAR"])

    @property
    def url(self) -> str:
        return self.environment["DATABASE_URL"]

    def call(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """A management command to its end."""
        return subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=ROOT, env=self.environment, capture_output=True, text=True, check=False,
        )  # fmt: skip

    def manage(self, *arguments: str) -> str:
        """A command that has to succeed; counted as wrong where it does not."""
        done = self.call(*arguments)
        if done.returncode:
            self.wrong[f"{arguments[0]} that ended with {done.returncode}"] += 1
            print(f"  {arguments}: {done.stderr[-500:]}", flush=True)
        return done.stdout

    def kill(self, *arguments: str, begun: Callable[[], bool], seconds: float) -> None:
        """SIGKILL to the command and its programs, within so many seconds after `begun`."""
        process = self._start(*arguments)
        while not begun() and process.poll() is None:
            time.sleep(0.005)
        time.sleep(self.chance.uniform(0, seconds))
        self.outcomes["ended before"] += process.poll() is not None
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    def seconds(self, *arguments: str, begun: Callable[[], bool]) -> float:
        """How long the command takes after `begun`, unharmed."""
        process, since = self._start(*arguments), 0.0
        while process.poll() is None:
            if not since and begun():
                since = time.monotonic()
            time.sleep(0.005)
        assert process.returncode == 0, arguments
        assert since, f"{arguments[0]} was never seen to begin"
        return time.monotonic() - since

    def _start(self, *arguments: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "manage.py", *arguments], cwd=ROOT, env=self.environment,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip

    def state(self) -> tuple[dict[str, str], dict[str, str]]:
        return tables(self.url), files(self.var)


def files(var: Path) -> dict[str, str]:
    """The sums of the files that a backup is of."""
    found = (each for name in FOLDERS for each in ((var / name), *(var / name).rglob("*")))
    return {
        str(each.relative_to(var)): hashlib.sha256(each.read_bytes()).hexdigest()
        for each in found
        if each.is_file() and not each.name.endswith(".lock")
    }


def tables(url: str) -> dict[str, str]:
    """Sums over the rows of each table; of SQLite also over what holds the file together."""
    if url.startswith("sqlite"):
        with contextlib.closing(sqlite3.connect(url.removeprefix("sqlite:///"))) as opened:
            names = opened.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
            found = {name: _sum(opened, name) for (name,) in names.fetchall()}
            whole = opened.execute("PRAGMA integrity_check").fetchone()
            orphans = opened.execute("PRAGMA foreign_key_check").fetchall()
            return found | {"": f"{whole} {orphans}"}
    with psycopg.connect(url) as server:
        names = server.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
        return {name: _sum(server, name) for (name,) in names.fetchall()}


def _sum(database: sqlite3.Connection | psycopg.Connection, name: str) -> str:
    rows = sorted(map(repr, database.execute(f'SELECT * FROM "{name}"')))  # type: ignore[arg-type]
    if name in IDS_VARY:
        return str(len(rows))
    return f"{len(rows)} {hashlib.sha256(chr(10).join(rows).encode()).hexdigest()}"


def _filled(folder: Path, seed: int, *, url: str = "") -> Place:
    """An installation with the demo's data, many passages, and files."""
    folder.mkdir()
    environment = embedded(folder / "var") if not url else {}
    if url:
        environment = {
            **os.environ, "DJANGO_SETTINGS_MODULE": "rarrweb.settings", "DATABASE_URL": url,
            "RARR_VAR": str(folder / "var"), "CELERY_BROKER_URL": "filesystem://",
        }  # fmt: skip
    place = Place(folder=folder, chance=random.Random(seed), environment=environment)
    if url:
        place.manage("migrate", "-v", "0")
    place.manage("demo")
    return place


def _fill(place: Place, word: str) -> None:
    """Rows and files that tell one state from another."""
    lines = place.folder / f"{word}.jsonl"
    lines.write_text(
        "".join(f'{{"id": "{word}-{n}", "text": "{word} {n} ran."}}\n' for n in range(ROWS))
    )
    place.manage("load_passages", str(lines), "--dataset", word)
    for name in ("uploads", "exports"):
        folder = place.var / name
        folder.mkdir(exist_ok=True)
        for number in range(20):
            (folder / f"{word}-{number}").write_bytes(random.Random(number).randbytes(500_000))


def kill_restores(folder: Path, seed: int, *, url: str = "") -> Place:
    """Two backups put in each other's place, by turns."""
    place = _filled(folder / "here", seed, url=url)
    states = {}
    for word in ("ribble", "dove"):
        _fill(place, word)
        place.manage("backup", str(folder / f"{word}.zip"))
        states[word] = place.state()

    def begun() -> bool:
        return (place.var / ".restoring").exists()

    def restored(word: str) -> tuple[str, ...]:
        return ("restore", str(folder / f"{word}.zip"), "--replace")

    seconds = place.seconds(*restored("ribble"), begun=begun)
    for number in range(KILLS):
        word = ("dove", "ribble")[number % 2]
        place.kill(*restored(word), begun=begun, seconds=seconds)
        if is_cut_off := begun():
            is_told = CUT_OFF in place.call("check").stderr
            place.wrong["restores cut off of which no command speaks"] += not is_told
            # A file that is refused: what was cut off is undone or ended all the same.
            place.call("restore", str(folder / "no.zip"), "--replace")
        else:
            _settle(url)
        found = place.state()
        here = next((name for name, state in states.items() if state == found), "")
        place.wrong["states neither old nor new"] += not here or begun()
        ended = "new" if here == word else "old"
        place.outcomes[f"cut off, told so, then {ended}" if is_cut_off else ended] += 1
        place.manage(*restored(word))
        place.wrong["restores run again that are not what was copied"] += (
            place.state() != states[word] or begun()
        )
        for each in (place.var / "backups").glob("before-restore-*"):
            each.unlink()
    return place


def kill_backups(folder: Path, seed: int) -> Place:
    from rarrweb.backups.making import TEMPORARY  # here: it reads the settings

    place = _filled(folder / "here", seed)
    _fill(place, "ribble")
    state, out = place.state(), folder / "copy.zip"

    def begun() -> bool:
        return any(place.var.glob(f"{TEMPORARY}*"))

    seconds = place.seconds("backup", str(folder / "first.zip"), begun=begun)
    for _ in range(KILLS):
        for each in place.var.glob(f"{TEMPORARY}*"):
            shutil.rmtree(each)
        place.kill("backup", str(out), begun=begun, seconds=seconds)
        place.wrong["installations changed by a backup"] += place.state() != state
        if out.exists():
            place.outcomes["whole file"] += 1
            place.wrong["half backups under the name of one"] += not _is_whole(out)
            out.unlink()
        else:
            place.outcomes["no file"] += 1
        place.manage("backup", str(out))
        place.wrong["half backups"] += not _is_whole(out)
        out.rename(folder / "last.zip")
    place.manage("restore", str(folder / "last.zip"), "--replace")
    place.wrong["backups after a kill that are not what was there"] += place.state() != state
    return place


def _is_whole(path: Path) -> bool:
    with zipfile.ZipFile(path) as opened:
        return opened.testzip() is None and "manifest.json" in opened.namelist()


def kill_transfers(folder: Path, seed: int) -> Place:
    """`migrate_database`, each time into a fresh database."""
    place = _filled(folder / "here", seed)
    _fill(place, "ribble")
    source, before = str(place.var / "db.sqlite3"), tables(place.url)
    with _postgresql(folder / "postgresql") as server:
        place.environment["DATABASE_URL"] = server
        place.manage("migrate", "-v", "0")
        empty, root = tables(server), server.rpartition("/")[0]

        def fresh(number: int) -> None:
            with psycopg.connect(f"{root}/template1", autocommit=True) as to:
                to.execute(f"CREATE DATABASE copy_{number} TEMPLATE postgres")
            place.environment["DATABASE_URL"] = f"{root}/copy_{number}"

        def begun() -> bool:
            with psycopg.connect(f"{root}/template1") as asked:
                here = "SELECT 1 FROM pg_stat_activity WHERE datname LIKE 'copy_%'"
                return asked.execute(here).fetchone() is not None

        fresh(0)
        seconds = place.seconds("migrate_database", source, begun=begun)
        full = tables(place.url)
        for number in range(1, KILLS + 1):
            fresh(number)
            place.kill("migrate_database", source, begun=begun, seconds=seconds)
            _settle(place.url)
            found = tables(place.url)
            place.wrong["databases neither empty nor full"] += found not in (empty, full)
            place.outcomes["new" if found == full else "old"] += 1
            again = place.call("migrate_database", source)
            is_told = again.returncode == 2 and "has accounts already" in again.stderr
            place.wrong["commands run again that neither do it nor say why"] += (
                not is_told if found == full else again.returncode != 0
            )
            place.wrong["transfers run again that are not all"] += tables(place.url) != full
        place.wrong["sources changed"] += tables(f"sqlite:///{source}") != before
    return place


def kill_restores_on_postgresql(folder: Path, seed: int) -> Place:
    with _postgresql(folder / "postgresql") as url:
        return kill_restores(folder, seed, url=url)


@contextlib.contextmanager
def _postgresql(folder: Path) -> Iterator[str]:
    server, url = machines.postgresql(folder)
    server.start()
    try:
        yield url
    finally:
        server.stop()


def _settle(url: str) -> None:
    """Until PostgreSQL has noticed that those who asked it are gone."""
    if not url.startswith("postgres"):
        return
    others = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND pid <> "
    while True:
        with psycopg.connect(url) as server:
            if server.execute(f"{others} pg_backend_pid()").fetchone() is None:
                return
        time.sleep(0.1)


CASES: Mapping[str, tuple[str, Callable[[Path, int], Place]]] = {
    "restore-killed": ("SIGKILL of `restore --replace`", kill_restores),
    "postgresql-restore-killed": ("PostgreSQL: the same", kill_restores_on_postgresql),
    "backup-killed": ("SIGKILL of `backup`", kill_backups),
    "transfer-killed": ("SIGKILL of `migrate_database`", kill_transfers),
}


def strike(name: str, folder: Path, *, seed: int) -> dict[str, object]:
    """The row of the table."""
    for each in [each for each in os.environ if each.startswith(("RARR_", "DJANGO_"))]:
        del os.environ[each]
    what, kill = CASES[name]
    start = time.monotonic()
    place = kill(folder, seed)
    found = ", ".join(f"{count} {what}" for what, count in place.outcomes.items() if count)
    return {
        "what": f"{what}, {KILLS} times",
        "during": "its work",
        "acknowledged": found,
        "heard": "",
        "seconds": time.monotonic() - start,
        "wrong": {name: count for name, count in place.wrong.items() if count},
    }
