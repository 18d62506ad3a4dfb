"""Constants of the agreement gate, chosen on the swap sets of research/swaps.py.

What is fitted, and not chosen, stands in `ranking_coefficients.py`.
"""

THRESHOLD: dict[str, float] = {"number": 0.3, "date": 0.25, "name": 0.38}
"""How likely it must be that any of the candidates is the answer, to open the gate, 0.0 to 1.0."""
THRESHOLD_HALF = 0.2
"""The same where the best candidate shares the beginning or the end of the passage's name."""
THRESHOLD_NEAR: dict[str, float] = {"number": 0.75, "date": 0.5, "name": 0.57}
"""The same where the evidence has the passage's own value too."""
LIKELY_FROM = 0.1
"""How likely the best counterpart itself must be, whatever the others add up to."""
SUPPORTED_FROM = 0.9
"""Where the reader finds a sentence entailed as likely as this, nothing disagrees with it."""
