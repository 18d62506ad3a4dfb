"""The processes of an installation, each of which can be killed, frozen, woken and started again.

PostgreSQL and Redis are servers of the run's own, on free ports, with folders of their own, so that
they can be killed. Redis keeps nothing on disk: when it dies, the queue is gone.
"""

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import psycopg

from tests.faults.servers import RIGHT
from tests.support.installation import ROOT, free_port

START_SECONDS = 180
SERVER_USER = "postgres"
"""Who runs PostgreSQL where we are root, as whom it refuses to run."""


class Machine:
    """One program with all that it has started."""

    def __init__(
        self,
        name: str,
        command: Sequence[str],
        *,
        log: Path,
        is_ready: Callable[[], bool],
        environment: Mapping[str, str] | None = None,
        user: str | None = None,
    ) -> None:
        self.name, self.command, self.log, self.is_ready = name, list(command), log, is_ready
        self.environment, self.user = dict(environment or {}), user
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        with self.log.open("ab") as out:
            self.process = subprocess.Popen(
                self.command,
                cwd=ROOT if self.user is None else self.log.parent,
                env={**os.environ, **self.environment},
                stdout=out,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                user=self.user,
            )
        deadline = time.monotonic() + START_SECONDS
        while not self.is_ready():
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"{self.name} does not start:\n{self.log.read_text()[-3000:]}")
            time.sleep(0.1)

    def signal(self, number: int) -> None:
        """To the program and to all that it has started."""
        assert self.process is not None
        pid = self.process.pid
        # PostgreSQL's processes leave its group.
        children = Path(f"/proc/{pid}/task/{pid}/children")
        others = [int(each) for each in children.read_text().split()] if children.exists() else []
        with contextlib.suppress(ProcessLookupError):
            os.killpg(pid, number)
        for each in others:
            with contextlib.suppress(ProcessLookupError):
                os.kill(each, number)

    def kill(self) -> None:
        """As a power cut: nothing is ended in order."""
        self.signal(signal.SIGKILL)
        self.wait()

    def stop(self) -> None:
        if self.process is not None and not self.has_ended():
            self.process.terminate()
            try:
                self.process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                self.kill()

    def has_ended(self) -> bool:
        return self.process is not None and self.process.poll() is not None

    def wait(self) -> None:
        assert self.process is not None
        self.process.wait()


def postgresql(folder: Path) -> tuple[Machine, str]:
    """A fresh PostgreSQL in `folder`, not started, and the address of its database."""
    port = free_port()
    user = SERVER_USER if os.geteuid() == 0 else None
    folder.mkdir(mode=0o700)
    if user:
        shutil.chown(folder, user)
    initdb = [_program("initdb"), "-D", str(folder / "data"), "-U", "postgres", "-A", "trust"]
    subprocess.run(initdb, check=True, user=user, cwd=folder, stdout=subprocess.DEVNULL)
    url = f"postgres://postgres@127.0.0.1:{port}/postgres"

    def is_ready() -> bool:
        try:
            psycopg.connect(url, connect_timeout=2).close()
        except psycopg.OperationalError:
            return False
        return True

    command = [_program("postgres"), "-D", str(folder / "data"), "-p", str(port)]
    command += ["-k", "", "-c", "listen_addresses=127.0.0.1"]
    log = folder / "server.log"
    return Machine("PostgreSQL", command, log=log, is_ready=is_ready, user=user), url


def redis(folder: Path) -> tuple[Machine, str]:
    """A Redis that keeps nothing, not started, and its address."""
    port = free_port()
    folder.mkdir()

    def is_ready() -> bool:
        try:
            with socket.create_connection(("127.0.0.1", port), timeout=2) as asked:
                asked.sendall(b"PING\r\n")
                return asked.recv(100).startswith(b"+PONG")
        except OSError:
            return False

    command = [_program("redis-server"), "--port", str(port), "--bind", "127.0.0.1"]
    command += ["--save", "", "--appendonly", "no", "--dir", str(folder)]
    machine = Machine("Redis", command, log=folder / "server.log", is_ready=is_ready)
    return machine, f"redis://127.0.0.1:{port}/0"


def rabbitmq(folder: Path) -> tuple[Machine, str]:
    """A RabbitMQ that keeps its queues on the disk, not started, and its address."""
    port = free_port()
    folder.mkdir()

    def is_ready() -> bool:
        with (
            contextlib.suppress(OSError),
            socket.create_connection(("127.0.0.1", port), 2) as asked,
        ):
            asked.sendall(b"AMQP\0\0\x09\x01")
            return bool(asked.recv(1))
        return False

    # Debian's own script would become another user.
    places = Path("/usr/lib/rabbitmq/lib").glob("*/sbin/rabbitmq-server")
    command = [next((str(place) for place in places), "rabbitmq-server")]
    environment = {
        "HOME": str(folder),
        "RABBITMQ_NODENAME": f"faults-{port}@localhost",
        "RABBITMQ_NODE_PORT": str(port),
        "RABBITMQ_DIST_PORT": str(free_port()),
        "RABBITMQ_MNESIA_BASE": str(folder / "queues"),
        "RABBITMQ_LOG_BASE": str(folder / "log"),
        "RABBITMQ_ENABLED_PLUGINS_FILE": str(folder / "plugins"),
        "RABBITMQ_CONF_ENV_FILE": "/dev/null",
        "RABBITMQ_CONFIG_FILE": str(folder / "rabbitmq.conf"),
    }
    log = folder / "server.log"
    machine = Machine("RabbitMQ", command, log=log, is_ready=is_ready, environment=environment)
    return machine, f"amqp://guest:guest@127.0.0.1:{port}//"


def servers(folder: Path) -> tuple[Machine, str]:
    """The model's server and the search engine of `tests.faults.servers`, and host and port."""
    port = free_port()
    folder.mkdir()
    (folder / "mode").write_text(RIGHT)
    (folder / "asked").touch()

    def is_ready() -> bool:
        with contextlib.suppress(OSError):
            socket.create_connection(("127.0.0.1", port), timeout=2).close()
            return True
        return False

    command = [sys.executable, "-m", "tests.faults.servers", str(port), str(folder)]
    log = folder / "server.log"
    return Machine("servers", command, log=log, is_ready=is_ready), f"127.0.0.1:{port}"


def web(folder: Path, environment: Mapping[str, str], *, app: str) -> tuple[Machine, str]:
    """The product's web server, and its address."""
    port = free_port()
    url = f"http://127.0.0.1:{port}"

    def is_ready() -> bool:
        try:
            urllib.request.urlopen(f"{url}/healthz", timeout=2).close()  # noqa: S310
        except OSError:
            return False
        return True

    command = [
        *(sys.executable, "-m", "gunicorn", app, "--log-level", "warning"),
        *("--worker-class", "gthread"),
        *("--bind", f"127.0.0.1:{port}", "--workers", "1", "--threads", "8"),
    ]
    environment = {**environment, "PUBLIC_URL": url}
    log = folder / "web.log"
    return Machine("web", command, log=log, is_ready=is_ready, environment=environment), url


def worker(
    folder: Path, environment: Mapping[str, str], *, app: str, name: str, queues: str
) -> Machine:
    """A worker with two processes for all kinds of work, or for those of some queues."""
    log = folder / f"{name}.log"

    def is_ready() -> bool:
        return " ready." in log.read_text()[begins[0] :]

    begins = [0]
    command = [
        *(sys.executable, "-m", "celery", "-A", app, "worker", "-n", f"{name}@%h"),
        *("--pool", "prefork", "--concurrency", "2", "--loglevel", "INFO"),
        *(("-Q", queues) if queues else ()),
    ]
    machine = Machine(name, command, log=log, is_ready=is_ready, environment=environment)
    start = machine.start

    def start_anew() -> None:
        begins[0] = len(log.read_text()) if log.exists() else 0
        start()

    machine.start = start_anew  # type: ignore[method-assign]
    return machine


def _program(name: str) -> str:
    """Its path; PostgreSQL's programs are often in a folder that PATH does not name."""
    found = shutil.which(name)
    if not found and shutil.which("pg_config"):
        told = subprocess.run(["pg_config", "--bindir"], check=True, capture_output=True, text=True)
        found = shutil.which(name, path=told.stdout.strip())
    found = found or next((str(p) for p in Path("/usr/lib/postgresql").glob(f"*/bin/{name}")), None)
    if not found:
        raise SystemExit(f"{name} is not here: install PostgreSQL and Redis on this machine.")
    return found
