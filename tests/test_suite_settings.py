"""What the test suite itself relies on: a fixed secret key, and which skips fail a run."""

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.support import skips

ROOT = Path(__file__).parent.parent


def test_two_runs_have_the_same_secret_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RARR_VAR")
    command = [sys.executable, "-c", "from tests.settings import SECRET_KEY; print(SECRET_KEY)"]
    first, second = (
        subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
        for _ in range(2)
    )
    assert first == second


@pytest.mark.parametrize(
    ("reason", "fails"),
    [*((each, False) for each in skips.FOR_THE_OTHER_DATABASE.values()), ("no Chromium", True)],
)
def test_only_a_skip_for_the_other_database_passes_where_skips_are_forbidden(
    reason: str, fails: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RARR_FORBID_SKIPS", "1")
    report = SimpleNamespace(longrepr=("test_x.py", 1, f"Skipped: {reason}"))
    reporter = SimpleNamespace(stats={"skipped": [report]})
    manager = SimpleNamespace(get_plugin=lambda name: reporter)
    session = SimpleNamespace(
        config=SimpleNamespace(pluginmanager=manager), exitstatus=pytest.ExitCode.OK
    )
    skips.pytest_sessionfinish(session, 0)  # type: ignore[arg-type]
    assert (session.exitstatus == pytest.ExitCode.TESTS_FAILED) is fails


def test_a_test_for_one_database_is_skipped_on_the_other_and_not_left_undefined() -> None:
    """Under `if connection.vendor …` a module would define it for one database only."""
    hidden = [
        path.relative_to(ROOT)
        for path in (ROOT / "tests").rglob("test_*.py")
        if any(line.startswith("if connection.vendor") for line in path.read_text().splitlines())
    ]
    assert hidden == []
