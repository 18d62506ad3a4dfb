"""The arithmetic of the RARR paper's tables (Gao et al. 2023), from their own columns."""

import pytest

from pipeline.metrics.attribution import f1_ap, f1_ap_of_means
from pipeline.metrics.inference import ratio_estimate
from pipeline.metrics.preservation import preservation_combined
from tests.support.estimates import known

TABLE_1 = {
    # AIS after, Pres_intent, Pres_Lev, Pres_comb, F1_AP, in percent
    "EFEC, NQ": (48.3, 16.0, 39.1, 10.4, 17.1),
    "LaMDA, NQ": (30.4, 26.0, 39.6, 21.1, 24.9),
    "RARR, NQ": (43.4, 90.0, 89.6, 83.1, 57.0),
    "EFEC, SQA": (51.7, 6.0, 31.0, 3.8, 7.1),
    "LaMDA, SQA": (27.0, 40.0, 46.4, 33.7, 30.0),
    "RARR, SQA": (31.5, 92.6, 89.9, 84.6, 45.9),
    "EFEC, QReCC": (48.7, 39.7, 39.4, 23.7, 31.9),
    "LaMDA, QReCC": (27.1, 21.3, 24.8, 12.0, 16.6),
    "RARR, QReCC": (28.3, 95.6, 80.2, 78.1, 41.5),
}
TABLE_5 = {
    # Attr_auto after, Pres_Lev, F1_AP: what needs no rater
    "EFEC, SummEval": (34.6, 20.9, 26.0),
    "LaMDA, SummEval": (28.8, 28.1, 28.4),
    "RARR, SummEval": (16.9, 92.9, 28.6),
    "EFEC, ELI5": (41.2, 17.2, 24.2),
    "LaMDA, ELI5": (40.1, 31.2, 35.1),
    "RARR, ELI5": (18.9, 97.2, 31.7),
}
TABLE_2 = [(54.9, 89.6, 68.1), (45.1, 89.9, 60.0), (29.4, 80.2, 43.1), (30.3, 98.8, 46.4)]
ROUNDING = 0.05
"""Of a printed figure, in percent; an error of it in both parts moves F1_AP by at most twice it."""


PRINTED = [*((row[0], row[3], row[4]) for row in TABLE_1.values()), *TABLE_5.values(), *TABLE_2]


@pytest.mark.parametrize(("attribution", "preservation", "printed"), PRINTED)
def test_f1_ap_is_the_printed_one(attribution: float, preservation: float, printed: float) -> None:
    lowest = f1_ap(attribution - ROUNDING, preservation - ROUNDING)
    highest = f1_ap(attribution + ROUNDING, preservation + ROUNDING)
    assert known(lowest) - ROUNDING <= printed <= known(highest) + ROUNDING


@pytest.mark.parametrize("name", TABLE_1)
def test_passages_with_the_printed_means_have_the_printed_pres_comb_and_f1_ap(name: str) -> None:
    """Pres_comb is the mean of products, not the product of the means.

    90.0 % times 89.6 % is 80.6 %, printed is 83.1 %: texts whose intent is preserved change less.
    """
    attribution, intent, lev, comb, f1 = (figure / 100 for figure in TABLE_1[name])
    stored = round(1000 * intent)
    # Where intent is kept, Pres_Lev has to be comb / intent, and the rest makes up its mean.
    of_stored, of_lost = 1000 * comb / stored, 1000 * (lev - comb) / (1000 - stored)
    assert 0 <= of_stored <= 1
    assert 0 <= of_lost <= 1
    passages = [(1.0, of_stored)] * stored + [(0.0, of_lost)] * (1000 - stored)
    levenshtein = ratio_estimate([mine for _, mine in passages], lowest=0, highest=1)
    combined = [preservation_combined(*each) or 0.0 for each in passages]
    both = ratio_estimate(combined, lowest=0, highest=1)
    summary = f1_ap_of_means([(attribution, each) for each in combined])
    assert known(levenshtein).value == pytest.approx(lev, abs=1e-9)
    assert known(both).value == pytest.approx(comb, abs=1e-9)
    assert 100 * known(summary).value == pytest.approx(100 * f1, abs=3 * ROUNDING)
