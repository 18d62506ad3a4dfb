"""Classes of faults that `compact` was seen to make: revisions, verdicts, spans and questions.

Each text says what a careful editor would do. What the code does not do yet stands in
`KNOWN_FAILURES`; what passes has to leave it. `python -m tests.bench.fault_classes` counts what
passes by class and prints the list anew.
"""

from collections.abc import Callable

import pytest

from tests.pipeline.backends.compact.fault_classes.cases import CLASSES, Case, all_cases, faults

KNOWN_FAILURES: frozenset[str] = frozenset([])

CHECKS = {
    f"{case.id}-{name}": check for case in all_cases() for name, check in faults(case).items()
}


@pytest.mark.parametrize(
    "check",
    [
        pytest.param(
            check,
            id=name,
            marks=[pytest.mark.xfail(strict=True, raises=AssertionError)]
            if name in KNOWN_FAILURES
            else [],
        )
        for name, check in CHECKS.items()
    ],
)
def test_a_careful_editor_would_do_the_same(check: Callable[[], str]) -> None:
    fault = check()
    assert not fault, fault


def test_each_known_failure_is_a_check() -> None:
    assert not KNOWN_FAILURES - set(CHECKS)


@pytest.mark.parametrize("name", CLASSES)
def test_each_class_has_cases_to_change_and_cases_to_leave_alone(name: str) -> None:
    """So that neither a system that never edits nor one that always does can pass."""
    cases = [case for case in all_cases() if case.id.startswith(f"{name}/")]
    assert len(cases) >= 20
    judged = [case for case in cases if case.evidence]
    changed = sum(case.expected != case.text for case in judged)
    assert 0.35 * len(judged) <= changed <= 0.65 * len(judged)


@pytest.mark.parametrize("case", all_cases(), ids=lambda case: case.id)
def test_a_case_says_its_words_once(case: Case) -> None:
    for old, _ in case.changes:
        assert case.text.count(old) == 1
    assert not case.span or case.text.count(case.span) == 1
    for each in (*case.mentions, *case.unmentioned):
        assert case.text.count(each) == 1
