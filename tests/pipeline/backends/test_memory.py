"""What is remembered is bounded, by number or by weight."""

from collections.abc import Sequence

from pipeline.backends.memory import Memory


def asked(memory: Memory[str, str], *keys: str) -> list[str]:
    """Which of `keys` had to be computed."""
    computed: list[str] = []

    def compute(unknown: list[str]) -> Sequence[str]:
        computed.extend(unknown)
        return [each * 2 for each in unknown]

    assert memory.answers(keys, compute) == [each * 2 for each in keys]
    return computed


def test_the_latest_answers_are_kept() -> None:
    memory: Memory[str, str] = Memory(2)
    assert asked(memory, "a", "b", "a") == ["a", "b"]
    assert asked(memory, "a", "c") == ["c"]
    assert asked(memory, "a", "b") == ["b"]


def test_results_are_kept_by_what_they_weigh_and_the_latest_in_any_case() -> None:
    memory: Memory[str, str] = Memory(8, weigh=len)
    assert asked(memory, "aa", "b") == ["aa", "b"]
    assert asked(memory, "c", "aa") == ["c"]
    assert asked(memory, "dd") == ["dd"]
    assert asked(memory, "c", "dd") == []
    assert asked(memory, "aa") == ["aa"]
    assert asked(memory, "c", "much too heavy") == ["c", "much too heavy"]
    assert asked(memory, "much too heavy") == []
    assert asked(memory, "c") == ["c"]
    assert asked(memory, "much too heavy") == ["much too heavy"]
