"""Classes of faults that `compact` was seen to make: revisions, verdicts and spans.

Each text says what a careful editor would do. What the code does not do yet is in the `fails` of
its case; what passes has to leave it. `python -m research.fault_classes` counts what passes.
"""

from collections.abc import Callable

import pytest

from tests.pipeline.backends.compact.fault_classes.cases import CLASSES, all_cases, faults

WHY = "compact is wrong here (docs/compact.md); once it is right, the check leaves `fails`"


@pytest.mark.parametrize(
    "check",
    [
        pytest.param(
            check,
            id=f"{case.id}-{name}",
            marks=[pytest.mark.xfail(strict=True, raises=AssertionError, reason=WHY)]
            if name in case.fails
            else [],
        )
        for case in all_cases()
        for name, check in faults(case).items()
    ],
)
def test_a_careful_editor_would_do_the_same(check: Callable[[], str]) -> None:
    fault = check()
    assert not fault, fault


def test_each_known_failure_is_a_check() -> None:
    assert all(set(case.fails) <= faults(case).keys() for case in all_cases())


@pytest.mark.parametrize("name", CLASSES)
def test_each_class_has_cases_to_change_and_cases_to_leave_alone(name: str) -> None:
    """So that neither a system that never edits nor one that always does can pass."""
    cases = [case for case in all_cases() if case.id.startswith(f"{name}/")]
    assert len(cases) >= 20
    judged = [case for case in cases if case.evidence]
    changed = sum(case.expected != case.text for case in judged)
    assert 0.35 * len(judged) <= changed <= 0.65 * len(judged)
