"""Findings of the doctor."""

from collections.abc import Callable

from pipeline.doctor import installation
from pipeline.doctor.installation import Finding, State


def seen(check: Callable[[], Finding], state: State = State.WRONG) -> Finding:
    finding = installation.attempt(check)
    assert finding.state is state, finding
    return finding
