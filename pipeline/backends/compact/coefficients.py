"""Constants of the few linear rules.

The coefficients (a bias, then one for each of `FEATURES`) are what tests/bench/fit_compact.py
prints; it reads train data only. The thresholds were chosen on the tuning half of the swap set of
tests/bench/swaps.py, and the signs that the entailment coefficients may have were fixed after a
look at the dev figures: see docs/decisions/0005-compact-without-weights.md.
"""

COUNTERPART: dict[str, tuple[float, ...]] = {
    # 692 choices, 412 with an answer
    "number": (
        -4.56, 1.76, 1.06, 1.81, 0.89, 0.96, 0.76, -0.50, -0.22, 0.09, 0.97, 0.00, 0.00, 0.00,
        0.77, 0.72, 0.00, 0.02, 0.00, 0.33, -1.09, -0.03, 0.00, 0.00, 0.00, 0.80, 0.40, 0.15,
        -0.01, 0.55, 0.00, 1.35, 0.16, 0.00, 0.77,
    ),
    # 1013 choices, 668 with an answer
    "date": (
        -4.83, 0.24, 1.55, 2.32, 1.06, 0.62, 0.69, 0.00, 0.00, 2.63, 0.00, 0.00, 0.00, 0.00,
        -0.44, 0.89, 1.96, 0.04, 0.00, 0.13, -1.92, 0.74, 0.00, 0.00, 0.00, -0.09, 0.43, 0.41,
        0.00, 0.04, 0.00, 1.14, 0.53, 0.00, 0.36,
    ),
    # 6900 choices, 3212 with an answer
    "name": (
        -4.32, 0.95, 1.65, 1.12, 1.49, 1.34, 1.08, 0.00, 0.00, 0.16, 0.20, 0.20, 2.65, -0.09,
        0.18, 0.64, 0.00, 0.88, -0.12, 0.25, -1.38, 0.46, -0.64, 0.38, -1.01, 0.55, 0.59,
        0.58, 0.00, 0.32, -0.15, 0.99, -0.12, 0.79, 0.31,
    ),
}  # fmt: skip
THRESHOLD: dict[str, float] = {"number": 0.3, "date": 0.25, "name": 0.25}
"""How likely a counterpart must be to open the gate, 0.0 to 1.0."""

# 14775 rows, log loss 0.625 (chance 0.693)
ENTAILMENT: tuple[float, ...] = (
    -0.90, 0.54, 0.43, 0.00, 0.13, 0.00, -0.94, -0.56, 0.00, -0.25, -0.34, 0.83, 0.00,
)  # fmt: skip
