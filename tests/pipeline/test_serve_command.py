"""`manage.py serve`; that it serves is seen by tests/browser/test_from_passage_to_dataset.py."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from tests.installation import ROOT, free_port, wait_until_answered


@pytest.fixture
def taken_port() -> Iterator[int]:
    with contextlib.closing(socket.socket()) as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        yield listener.getsockname()[1]


def test_a_taken_port_is_refused_with_another_to_try(taken_port: int) -> None:
    with pytest.raises(CommandError, match=rf"Port {taken_port} .* PORT={taken_port + 1}"):
        call_command("serve", port=taken_port)


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="children are read from /proc")
def test_it_stops_by_a_signal_and_leaves_no_process_behind(tmp_path: Path) -> None:
    port = free_port()
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "rarrweb.settings",
        "DATABASE_URL": f"sqlite:///{tmp_path / 'db.sqlite3'}",
        "RARR_VAR": str(tmp_path),
        "CELERY_BROKER_URL": "filesystem://",
    }
    subprocess.run(
        [sys.executable, "manage.py", "migrate", "-v", "0"], cwd=ROOT, env=environment, check=True
    )
    serving = subprocess.Popen(
        [sys.executable, "manage.py", "serve", "--port", str(port)],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
    )
    wait_until_answered(f"http://127.0.0.1:{port}/healthz", serving)
    children = children_of(serving.pid)
    assert len(children) >= 2
    serving.send_signal(signal.SIGTERM)
    printed, _ = serving.communicate(timeout=60)
    assert "Stopping" in printed
    assert [child for child in children if Path(f"/proc/{child}").exists()] == []


def children_of(pid: int) -> list[str]:
    return Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
