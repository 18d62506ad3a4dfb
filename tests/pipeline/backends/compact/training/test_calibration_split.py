"""About one premise in twelve is kept back, whatever its spaces and marks."""

from pipeline.backends.compact.training.calibration_split import ONE_IN, is_kept_back


def test_about_one_in_twelve_is_kept_back() -> None:
    kept = sum(is_kept_back(f"Mill number {i} was built in {1500 + i}.") for i in range(2400))
    assert 0.8 * 2400 / ONE_IN < kept < 1.2 * 2400 / ONE_IN


def test_spaces_and_marks_change_nothing() -> None:
    for i in range(60):
        assert is_kept_back(f"Mill {i} , so") == is_kept_back(f"mill {i}, so ")
