"""A skipped test is said loudly, and is a failure where skips are forbidden (CI)."""

import os

import pytest


def skipped_reasons(reporter: pytest.TerminalReporter) -> list[str]:
    """One line a reason, with how many tests it took."""
    reasons: dict[str, int] = {}
    for report in reporter.stats.get("skipped", []):
        text = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        reasons[text] = reasons.get(text, 0) + 1
    return [f"{count} x {reason}" for reason, count in sorted(reasons.items())]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    lines = skipped_reasons(terminalreporter)
    if not lines:
        return
    terminalreporter.section("NOT TESTED", sep="!", red=True, bold=True)
    for line in lines:
        terminalreporter.write_line(line)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if os.environ.get("RARR_FORBID_SKIPS") == "1" and reporter and skipped_reasons(reporter):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
