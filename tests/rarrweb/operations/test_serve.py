"""`manage.py serve`."""

import contextlib
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from tests.support.installation import ROOT, embedded, serving
from tests.support.worker_process import wait_until

WAIT_SECONDS = 300


@pytest.fixture
def taken_port() -> Iterator[int]:
    with contextlib.closing(socket.socket()) as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        yield listener.getsockname()[1]


def test_a_taken_port_is_refused_with_another_to_try(taken_port: int) -> None:
    with pytest.raises(CommandError, match=rf"Port {taken_port} .* PORT={taken_port + 1}"):
        call_command("serve", port=taken_port)


@pytest.fixture
def served(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    with serving(tmp_path) as (_, process):
        yield process


def test_it_stops_by_a_signal_and_leaves_no_process_behind(served: subprocess.Popen[str]) -> None:
    family = descendants_of(served.pid)
    assert len(family) >= 3
    served.terminate()
    printed, _ = served.communicate(timeout=WAIT_SECONDS)
    assert "Stopping" in printed
    assert served.returncode == 0
    assert [pid for pid in family if is_alive(pid)] == []


def test_killed_outright_it_takes_all_that_it_started_along(served: subprocess.Popen[str]) -> None:
    family = descendants_of(served.pid)
    assert len(family) >= 3
    served.kill()
    served.wait()
    wait_until(
        lambda: not any(map(is_alive, family)), because=f"some of {family} live without a parent"
    )


@pytest.fixture
def hears_hangups() -> Iterator[None]:
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, before)


@pytest.mark.usefixtures("hears_hangups")
def test_workers_alone_stop_when_their_terminal_is_closed(tmp_path: Path) -> None:
    command = [sys.executable, "manage.py", "serve", "--no-web"]
    options = {"cwd": ROOT, "env": embedded(tmp_path), "text": True}
    started = subprocess.Popen(command, stdout=subprocess.PIPE, **options)
    try:
        assert started.stdout is not None
        assert any("Two workers wait" in line for line in started.stdout)
        family = descendants_of(started.pid)
        assert len(family) >= 2
        started.send_signal(signal.SIGHUP)
        assert started.wait(WAIT_SECONDS) == 0
        assert [pid for pid in family if is_alive(pid)] == []
    finally:
        started.kill()


def processes() -> dict[int, int]:
    """Return process → parent, without zombies."""
    command = ["ps", "-A", "-o", "pid=", "-o", "ppid=", "-o", "stat="]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    rows = [line.split() for line in listed.splitlines()]
    return {int(pid): int(parent) for pid, parent, state, *_ in rows if state[0] != "Z"}


def descendants_of(pid: int) -> list[int]:
    children = [child for child, parent in processes().items() if parent == pid]
    return [each for child in children for each in (child, *descendants_of(child))]


def is_alive(pid: int) -> bool:
    return pid in processes()
