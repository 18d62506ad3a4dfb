"""From features to calibrated probabilities."""

import math
from collections.abc import Mapping

from pipeline.backends.compact.entailment.coefficients import CONTRADICTED, ENTAILED
from pipeline.rarr.ports import Entailed


def weighed(features: Mapping[str, float]) -> Entailed:
    """The probabilities that a sentence with these features is entailed, and contradicted.

    They sum to 1.0 at most: `CONTRADICTED` gives the share of what is not entailed that is
    contradicted.
    """
    entailed = logistic(ENTAILED, features)
    return Entailed(
        entailed=entailed, contradicted=(1 - entailed) * logistic(CONTRADICTED, features)
    )


def logistic(coefficients: Mapping[str, float], features: Mapping[str, float]) -> float:
    """1 / (1 + e^-z) of the sum z of each coefficient times its feature; "" is the bias."""
    value = math.fsum(
        weight * features[name] if name else weight for name, weight in coefficients.items()
    )
    if value >= 0:
        return 1 / (1 + math.exp(-value))
    power = math.exp(value)
    return power / (1 + power)
