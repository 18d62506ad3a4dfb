"""The harmonic mean of two shares: F1."""


def harmonic_mean(precision: float, recall: float) -> float:
    """F1 of shares from 0.0 to 1.0; 0.0 where both are 0.

    >>> harmonic_mean(1.0, 0.5), harmonic_mean(0.0, 0.0)
    (0.6666666666666666, 0.0)
    """
    total = precision + recall
    return 2 * precision * recall / total if total > 0 else 0.0
