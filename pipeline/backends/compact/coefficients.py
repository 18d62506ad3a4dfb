"""Constants of the few linear rules.

The coefficients (a bias, then one for each of `FEATURES`) are what tests/bench/fit_compact.py
prints; it reads train data only. The thresholds were chosen on the swap sets of
tests/bench/swaps.py, and the signs that the entailment coefficients may have were fixed after a
look at the dev figures: see docs/compact.md.
"""

COUNTERPART: dict[str, tuple[float, ...]] = {
    # 653 choices, 427 with an answer
    "number": (
        -4.11, 1.25, -0.36, 0.65, 0.50, -0.31, 0.04, -0.17, -1.26, -0.08, 1.02, 0.00, 0.00,
        0.00, 0.22, 0.53, 0.00, 0.31, 0.00, 1.71, -1.66, -1.34, 0.00, 0.00, 0.00, 0.45,
        0.71, 0.58, -0.38, 0.14, 0.00, 0.68, 0.77, 0.00, -0.39, 0.98, 0.11, -0.31, 0.00,
        -0.50, 0.92, -1.12, 0.97,
    ),
    # 1181 choices, 675 with an answer
    "date": (
        -5.16, -0.15, 0.34, 1.74, 0.65, 0.54, 0.96, 0.00, 0.00, 1.54, 0.00, 0.00, 0.00,
        0.00, -0.53, 0.61, 1.45, 0.08, 0.00, 1.33, -0.94, 0.46, 0.00, 0.00, 0.00, -0.14,
        0.20, 0.66, 0.00, -0.18, 0.00, 0.64, 0.64, 0.00, 0.09, 0.58, -0.03, -0.76, 0.00,
        -0.34, 0.06, 0.00, 0.71,
    ),
    # 6908 choices, 3009 with an answer
    "name": (
        -5.51, 0.24, 0.66, -0.13, 1.20, 0.93, 0.77, 0.00, 0.00, 0.28, 0.03, 0.03, 3.37,
        -0.59, 0.09, 0.42, 0.00, -0.16, -0.09, 1.10, -0.76, 0.11, -0.49, 0.38, -0.90, 0.46,
        0.75, 0.24, 0.00, 0.20, 0.15, 1.12, 0.43, 0.69, 0.44, 0.75, -0.34, 0.28, -0.85,
        -0.36, 0.03, 0.00, 0.54,
    ),
}  # fmt: skip
THRESHOLD: dict[str, float] = {"number": 0.25, "date": 0.25, "name": 0.25}
"""How likely it must be that any of the candidates is the answer, to open the gate, 0.0 to 1.0."""

# 14775 rows, log loss 0.625 (chance 0.693)
ENTAILMENT: tuple[float, ...] = (
    -0.90, 0.54, 0.43, 0.00, 0.13, 0.00, -0.94, -0.56, 0.00, -0.25, -0.34, 0.83, 0.00,
)  # fmt: skip
