"""What is remembered is bounded, by number or by weight."""

from collections.abc import Sequence

from pipeline.backends.memory import Memory


def computed_keys(memory: Memory[str, str], *keys: str) -> list[str]:
    """Which of `keys` had to be computed."""
    computed: list[str] = []

    def compute(unknown: list[str]) -> Sequence[str]:
        computed.extend(unknown)
        return [each * 2 for each in unknown]

    assert memory.answers(keys, compute) == [each * 2 for each in keys]
    return computed


def test_the_latest_answers_are_stored() -> None:
    memory: Memory[str, str] = Memory(2)
    assert computed_keys(memory, "a", "b", "a") == ["a", "b"]
    assert computed_keys(memory, "a", "c") == ["c"]
    assert computed_keys(memory, "a", "b") == ["b"]


def test_a_weight_limits_what_is_stored_except_for_the_latest() -> None:
    memory: Memory[str, str] = Memory(8, weigh=len)
    assert computed_keys(memory, "aa", "b") == ["aa", "b"]
    assert computed_keys(memory, "c", "aa") == ["c"]
    assert computed_keys(memory, "dd") == ["dd"]
    assert computed_keys(memory, "c", "dd") == []
    assert computed_keys(memory, "aa") == ["aa"]
    assert computed_keys(memory, "c", "much too heavy") == ["c", "much too heavy"]
    assert computed_keys(memory, "much too heavy") == []
    assert computed_keys(memory, "c") == ["c"]
    assert computed_keys(memory, "much too heavy") == ["much too heavy"]
