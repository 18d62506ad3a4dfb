"""Classes of faults that `compact` was seen to make: revisions, verdicts and spans.

Each text says what a careful editor would do. What the code does not do yet stands in
`KNOWN_FAILURES`; what passes has to leave it. `python -m research.fault_classes` counts what
passes by class and prints the list anew.
"""

from collections.abc import Callable

import pytest

from tests.pipeline.backends.compact.fault_classes.cases import CLASSES, all_cases, faults

WHY = "compact is wrong here (docs/compact.md); once it is right, the id leaves the list"
KNOWN_FAILURES = frozenset(
    [
        "different_names/marie-for-pierre-revision",
        "different_names/marie-for-pierre-verdict",
        "different_names/other-war-of-the-town-revision",
        "different_names/other-war-of-the-town-verdict",
        "different_names/husband-for-wife-revision",
        "different_names/husband-for-wife-verdict",
        "different_names/wife-for-husband-revision",
        "different_names/wife-for-husband-verdict",
        "different_names/ministry-for-another-revision",
        "different_names/ministry-for-another-verdict",
        "different_names/birthplace-with-fonds-revision",
        "different_names/birthplace-with-fonds-verdict",
        "different_names/golden-gate-beside-sydney-revision",
        "different_names/springdale-of-another-state-revision",
        "different_names/springdale-of-another-state-verdict",
        "different_names/pierres-birth-beside-maries-verdict",
        "half_names/supreme-court-of-justice-revision",
        "half_names/surname-of-the-engineer-stays-verdict",
        "half_names/royal-bank-of-scotland-revision",
        "half_names/planck-institute-revision",
        "dates/first-meeting-is-another-event-revision",
        "dates/first-meeting-is-another-event-verdict",
        "dates/lifeboat-drill-is-another-day-revision",
        "dates/lifeboat-drill-is-another-day-verdict",
        "dates/date-of-sinking-for-launch-revision",
        "dates/date-of-sinking-for-launch-verdict",
        "dates/force-is-not-passing-revision",
        "dates/first-draft-is-another-event-revision",
        "dates/first-draft-is-another-event-verdict",
        "dates/second-album-revision",
        "dates/third-album-stays-revision",
        "dates/second-outbreak-stays-revision",
        "dates/second-outbreak-stays-verdict",
        "dates/museum-tower-is-another-event-revision",
        "dates/museum-tower-is-another-event-verdict",
        "dates/day-within-the-month-stays-verdict",
        "dates/impossible-day-of-the-law-revision",
        "figures_of_others/way-to-the-sun-revision",
        "figures_of_others/tongue-of-the-whale-revision",
        "figures_of_others/tongue-of-the-whale-verdict",
        "figures_of_others/seats-of-another-hall-revision",
        "figures_of_others/seats-of-another-hall-verdict",
        "figures_of_others/stops-of-the-organ-revision",
        "figures_of_others/stops-of-the-organ-verdict",
        "figures_of_others/profit-is-not-sales-revision",
        "figures_of_others/profit-is-not-sales-verdict",
        "figures_of_others/speed-of-a-lion-revision",
        "figures_of_others/speed-of-a-lion-verdict",
        "figures_of_others/tower-of-another-town-revision",
        "figures_of_others/tower-of-another-town-verdict",
        "roles_of_numbers/course-takes-the-median-revision",
        "roles_of_numbers/course-takes-the-median-verdict",
        "roles_of_numbers/first-part-takes-the-whole-way-revision",
        "roles_of_numbers/first-part-takes-the-whole-way-verdict",
        "roles_of_numbers/half-time-for-the-end-revision",
        "roles_of_numbers/half-time-for-the-end-verdict",
        "roles_of_numbers/people-of-the-southern-island-revision",
        "roles_of_numbers/people-of-the-southern-island-verdict",
        "roles_of_numbers/hill-of-the-northern-island-revision",
        "roles_of_numbers/hill-of-the-northern-island-verdict",
        "roles_of_numbers/seats-of-the-farmers-revision",
        "roles_of_numbers/seats-of-the-farmers-verdict",
        "roles_of_numbers/rest-for-baking-revision",
        "roles_of_numbers/rest-for-baking-verdict",
        "roles_of_numbers/third-class-revision",
        "roles_of_numbers/third-class-verdict",
        "roles_of_numbers/pay-after-the-strike-revision",
        "roles_of_numbers/pay-after-the-strike-verdict",
        "roles_of_numbers/year-of-the-planet-revision",
        "roles_of_numbers/year-of-the-planet-verdict",
        "other_subjects/first-novel-revision",
        "other_subjects/town-of-the-novel-contradicted",
        "other_subjects/buses-beside-trams-revision",
        "other_subjects/buses-beside-trams-verdict",
        "other_subjects/buses-beside-trams-contradicted",
        "other_subjects/another-sprinter-contradicted",
        "other_subjects/birthplace-of-the-sprinter-contradicted",
        "other_subjects/silver-beside-copper-revision",
        "other_subjects/silver-beside-copper-verdict",
        "other_subjects/silver-beside-copper-contradicted",
        "other_subjects/base-of-the-airline-contradicted",
        "other_subjects/thames-with-the-length-of-the-severn-verdict",
        "missed_spans/month-of-a-year-in-the-context-revision",
        "missed_spans/ordinals-in-words-mentions",
        "missed_spans/first-as-an-opener-mentions",
        "missed_spans/second-of-time-mentions",
    ]
)

CHECKS = {
    f"{case.id}-{name}": check for case in all_cases() for name, check in faults(case).items()
}


@pytest.mark.parametrize(
    "check",
    [
        pytest.param(
            check,
            id=name,
            marks=[pytest.mark.xfail(strict=True, raises=AssertionError, reason=WHY)]
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
