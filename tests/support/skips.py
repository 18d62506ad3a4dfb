"""Lists skipped tests; RARR_FORBID_SKIPS fails the run except for skips of a database."""

import os
from collections import Counter

import pytest
from django.db import connection

FOR_THE_OTHER_DATABASE = {
    "sqlite": "needs SQLite; this run uses another database",
    "postgresql": "needs PostgreSQL; this run uses another database",
}
on_sqlite, on_postgresql = (
    pytest.mark.skipif(connection.vendor != vendor, reason=reason)
    for vendor, reason in FOR_THE_OTHER_DATABASE.items()
)


def skip_counts(reporter: pytest.TerminalReporter) -> dict[str, int]:
    reports = (report.longrepr for report in reporter.stats.get("skipped", []))
    texts = (report[2] if isinstance(report, tuple) else str(report) for report in reports)
    return Counter(text.removeprefix("Skipped: ") for text in texts)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    counts = skip_counts(terminalreporter)
    if not counts:
        return
    terminalreporter.section("NOT TESTED", sep="!", red=True, bold=True)
    for reason, count in sorted(counts.items()):
        terminalreporter.write_line(f"{count} x {reason}")


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if os.environ.get("RARR_FORBID_SKIPS") != "1" or not reporter:
        return
    if skip_counts(reporter).keys() - set(FOR_THE_OTHER_DATABASE.values()):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
