"""Weights of the features of `word_features` and `reader_features`, "" being the bias.

Written by `training/entailment_fit.py`, which says which are set by
hand; do not edit.
"""

ENTAILED: dict[str, float] = {
    "": -1.2088,
    "whole": 0.3426,
    "near": 0.3224,
    "two": 0.3325,
    "one": 0.2305,
    "pairs": 0.2096,
    "pairs_one": 0.1514,
    "order": 0.2162,
    "numbers": 0.3253,
    "names": 0.0240,
    "missing_numbers": -0.1986,
    "missing_names": -0.1415,
    "negated": -0.0967,
    "other_subject": -0.6000,
    "entailed": 0.0316,
    "over_neutral": 0.0279,
    "over_contradiction": 0.0245,
    "doubt": -0.0101,
    "worst_doubt": -0.0152,
    "value_doubt": -0.0051,
}
CONTRADICTED: dict[str, float] = {
    "": 0.5283,
    "refuted": 0.1955,
}
