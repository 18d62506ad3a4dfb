"""Skips that fail a run."""

from types import SimpleNamespace

import pytest

from tests.support import skips


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
