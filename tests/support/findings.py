"""Findings of the doctor."""

from collections.abc import Callable

from rarrweb.operations.doctor.findings import Finding, State, attempt


def checked(check: Callable[[], Finding], state: State = State.ERROR) -> Finding:
    finding = attempt(check)
    assert finding.state is state, finding
    return finding
