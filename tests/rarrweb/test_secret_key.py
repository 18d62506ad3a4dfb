"""The secret key of the installation."""

import subprocess
import sys
import time
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from rarrweb.secret_key import SHORTEST, secret_key


def test_a_key_is_made_once_unless_a_long_one_is_given(tmp_path: Path) -> None:
    given = "k" * SHORTEST
    assert secret_key(given, folder=tmp_path) == given
    with pytest.raises(ImproperlyConfigured, match="at least 32"):
        secret_key(given[1:], folder=tmp_path)
    assert list(tmp_path.iterdir()) == []
    first = secret_key("", folder=tmp_path)
    assert len(first) >= SHORTEST
    assert secret_key("", folder=tmp_path) == first
    assert [path.name for path in tmp_path.iterdir()] == ["secret_key"]


def test_processes_that_start_together_agree_on_one_key(tmp_path: Path) -> None:
    # Each waits for the starting shot, so that they really meet.
    code = (
        "import sys, time; from pathlib import Path; from rarrweb.secret_key import secret_key\n"
        f"folder = Path({str(tmp_path)!r}); (folder / sys.argv[1]).touch()\n"
        "while not (folder / 'go').exists(): time.sleep(0.001)\n"
        "print(secret_key('', folder=folder))"
    )
    starters = [
        subprocess.Popen(
            [sys.executable, "-c", code, f"ready-{number}"], stdout=subprocess.PIPE, text=True
        )
        for number in range(4)
    ]
    while len(list(tmp_path.glob("ready-*"))) < len(starters):
        assert all(process.poll() is None for process in starters)
        time.sleep(0.01)
    (tmp_path / "go").touch()
    keys = {process.communicate(timeout=300)[0].strip() for process in starters}
    assert len(keys) == 1
    assert (tmp_path / "secret_key").read_text() == keys.pop()
