"""Weights of the features of `covering` and `doubting`, "" being the bias.

Written by `python -m pipeline.backends.compact.training.combining`; do not edit.
"""

ENTAILED: dict[str, float] = {
    "": -3.2, "whole": 0.7, "near": 0.7, "two": 0.7, "one": 0.4, "pairs": 0.3,
    "pairs_one": 0.3, "order": 0.4, "numbers": 0.5, "names": 0.2, "missing_numbers": -0.4,
    "missing_names": -0.3, "negated": -0.2, "other_subject": -0.1, "entailed": 0.3,
    "contradicted": 0.0, "doubt": -0.3, "worst_doubt": -0.1, "value_doubt": -0.1,
}  # fmt: skip
CONTRADICTED: dict[str, float] = {"": -0.5, "contradicted": 0.7}
