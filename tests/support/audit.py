"""Reads the lines of the audit log."""

import logging

import pytest


def audit_lines(caplog: pytest.LogCaptureFixture) -> list[str]:
    """The lines so far, without the origin."""
    return [
        line.getMessage().partition(" origin=")[0]
        for line in caplog.records
        if line.name == "audit" and line.levelno == logging.INFO
    ]
