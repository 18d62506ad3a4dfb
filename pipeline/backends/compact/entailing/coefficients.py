"""Weights of the features of `covering` and `doubting`, "" being the bias.

Written by `python -m pipeline.backends.compact.training.combining`. That has not run to its end
on the first weights: the words' weights are its own, the reader's and both biases were set by
hand on three dev files (docs/compact.md).
"""

ENTAILED: dict[str, float] = {
    "": -1.3300,
    "whole": 0.2823,
    "near": 0.2653,
    "two": 0.2733,
    "one": 0.1905,
    "pairs": 0.1804,
    "pairs_one": 0.1357,
    "order": 0.1820,
    "numbers": 0.2635,
    "names": 0.0224,
    "missing_numbers": -0.1716,
    "missing_names": -0.1162,
    "negated": -0.0783,
    "other_subject": -0.6000,
    "entailed": 0.0300,
    "over_neutral": 0.0300,
    "over_contradiction": 0.0000,
    "doubt": -0.1000,
    "worst_doubt": 0.0000,
    "value_doubt": 0.0000,
}
CONTRADICTED: dict[str, float] = {
    "": -0.5000,
    "refuted": 0.7000,
}
