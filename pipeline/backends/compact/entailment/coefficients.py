"""Weights of features, "" being the bias, written by `research/entailment_fit.py`."""

ENTAILED: dict[str, float] = {
    "": -1.2285,
    "whole": 0.3329,
    "near": 0.3138,
    "two": 0.3233,
    "one": 0.2262,
    "pairs": 0.1980,
    "pairs_one": 0.1419,
    "order": 0.2091,
    "numbers": 0.2996,
    "names": 0.0381,
    "missing_numbers": -0.1862,
    "missing_names": -0.1317,
    "negated": -0.0944,
    "other_subject": -0.6000,
    "entailed": 0.0477,
    "over_neutral": 0.0382,
    "over_contradiction": 0.0446,
    "doubt": -0.0073,
    "worst_doubt": -0.0185,
    "value_doubt": -0.0032,
}
CONTRADICTED: dict[str, float] = {
    "": -2.3639,
    "refuted": 1.3085,
    "doubt": -0.9877,
    "other_subject": -2.0000,
}
