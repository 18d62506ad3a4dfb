"""What a job's row says of its failure."""

from pipeline.jobs.turns import failure_sentence
from pipeline.rarr.errors import RarrError


def test_a_failure_is_told_in_a_sentence() -> None:
    assert failure_sentence(RarrError("Said plainly.")) == "Said plainly."
    assert "no space left" in failure_sentence(OSError(28, "No space left on device"))
    assert "KeyError" in failure_sentence(KeyError("secret"))
    assert "secret" not in failure_sentence(KeyError("secret"))
