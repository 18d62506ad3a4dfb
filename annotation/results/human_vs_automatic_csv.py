"""Human against automatic decisions, as CSV."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipeline.pages.table_files import ENDS, cells_of_estimate
from rarrweb.web.csv import table_text

if TYPE_CHECKING:
    from annotation.results.human_vs_automatic import HumanVsAutomatic

_COUNTS = ("n", "clusters", "both_yes", "only_people", "only_automatic", "both_no")
_DECISIONS = ("accuracy", "kappa", "negative_recall", "negative_precision")
_FIGURES = ("people", "automatic", "pearson", "spearman")


def csv_text(compared: HumanVsAutomatic) -> str:
    """Return a row for each kind of decision and each figure; estimates are -1.0 to 1.0."""
    heads = ["of", *_COUNTS, *(name + end for name in (*_DECISIONS, *_FIGURES) for end in ENDS)]
    rows: list[list[object]] = [
        [
            each.name,
            *(getattr(each.validity, name) for name in _COUNTS),
            *(c for name in _DECISIONS for c in cells_of_estimate(getattr(each.validity, name))),
            *[None] * (len(_FIGURES) * len(ENDS)),
        ]
        for each in compared.decisions
    ]
    rows += [
        [
            each.name,
            *(each.n if name == "n" else None for name in _COUNTS),
            *[None] * (len(_DECISIONS) * len(ENDS)),
            *(cell for name in _FIGURES for cell in cells_of_estimate(getattr(each, name))),
        ]
        for each in compared.figures
    ]
    return table_text(heads, rows)
