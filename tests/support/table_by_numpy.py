"""The RARR paper's Table 1 by NumPy alone.

Arrays of n passages: auto (n, 2) before and after; said (n, 2, sentences, raters) yes or no;
levels (n, raters) of intent, 2 is kept; lev (n,). T is Student's t at 0.975 for n - 1.
"""

import numpy as np

T = {24: 2.0686576104190406, 12: 2.2009851600829164}


def interval(values):
    mean = values.mean()
    half = T[values.size] * values.std(ddof=1) / np.sqrt(values.size)
    return mean, max(mean - half, 0), min(mean + half, 1)


def f1_parts(attribution, stored):
    a, p = attribution.mean(), stored.mean()
    f1 = 2 * a * p / (a + p)
    return f1 + 2 * (p / (a + p)) ** 2 * (attribution - a) + 2 * (a / (a + p)) ** 2 * (stored - p)


def table(auto, message, levels, lev):
    ais, intent = message.mean(axis=(2, 3)), (levels == 2).mean(axis=1)
    sides = {"before": 0, "after": 1}
    figures = {f"attr_auto_{side}": auto[:, at] for side, at in sides.items()}
    figures |= {f"attr_ais_{side}": ais[:, at] for side, at in sides.items()}
    figures |= {"pres_intent": intent, "pres_lev": lev, "pres_comb": intent * lev}
    human = f1_parts(ais[:, 1], intent * lev)
    return figures | {"f1_auto": f1_parts(auto[:, 1], lev), "f1_human": human}
