"""What the values between the steps tell of themselves."""

from pipeline.rarr.types import Agreement, Verdict


def test_only_a_disagreement_opens_the_gate() -> None:
    opening = [verdict for verdict in Verdict if Agreement(verdict=verdict, reason="").is_open]
    assert opening == [Verdict.DISAGREES]
