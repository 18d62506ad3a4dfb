"""What passes through the doors to the models."""

from pipeline.rarr.ports import Entailed


def test_scores_that_differ_by_a_processors_last_bits_are_equal() -> None:
    one = Entailed(entailed=0.76330504, contradicted=0.33444228)
    other = Entailed(entailed=0.76330512, contradicted=0.33444219)
    assert one == other == Entailed(entailed=0.7633, contradicted=0.3344)
    assert Entailed(entailed=0.5).contradicted is None
