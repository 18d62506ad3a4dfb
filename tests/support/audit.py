"""Lines of the audit log."""

import logging

import pytest


def audit_lines(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [
        line.getMessage().partition(" origin=")[0]
        for line in caplog.records
        if line.name == "audit" and line.levelno == logging.INFO
    ]
