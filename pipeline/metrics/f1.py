"""F1_AP of the RARR paper, section 2.3: attribution and preservation in one figure."""


def f1_ap(attribution: float | None, preservation: float | None) -> float | None:
    """The harmonic mean of attribution and preservation, from 0.0 to 1.0.

    None where either is unknown; 0.0 where both are 0.

    >>> f1_ap(1.0, 0.5)
    0.6666666666666666
    >>> f1_ap(0.0, 0.0)
    0.0
    >>> f1_ap(None, 1.0) is None
    True
    """
    if attribution is None or preservation is None:
        return None
    total = attribution + preservation
    return 2 * attribution * preservation / total if total else 0.0
