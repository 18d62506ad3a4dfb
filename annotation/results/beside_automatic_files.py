"""People's answers beside automatic ones, as CSV."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipeline.pages.table_files import ENDS, cells_of_estimate
from rarrweb.web.csv import table_text

if TYPE_CHECKING:
    from annotation.results.beside_automatic import BesideAutomatic

_DECISIONS = ("accuracy", "kappa", "noes_found", "noes_right")
_FIGURES = ("people", "automatic", "pearson", "spearman")
_COUNTS = ("n", "clusters", "both_yes", "only_people", "only_automatic", "both_no")


def csv_text(found: BesideAutomatic) -> str:
    """A row for each kind of decision and for each figure of answers; every figure from -1 to 1
    with what its interval is over."""
    heads = ["of", *_COUNTS, *(name + end for name in (*_DECISIONS, *_FIGURES) for end in ENDS)]
    rows: list[list[object]] = [
        [
            each.name,
            *(getattr(each.found, name) for name in _COUNTS),
            *(cell for name in _DECISIONS for cell in cells_of_estimate(getattr(each.found, name))),
            *[None] * (len(_FIGURES) * len(ENDS)),
        ]
        for each in found.decisions
    ]
    rows += [
        [
            each.name,
            *(each.n if name == "n" else None for name in _COUNTS),
            *[None] * (len(_DECISIONS) * len(ENDS)),
            *(cell for name in _FIGURES for cell in cells_of_estimate(getattr(each, name))),
        ]
        for each in found.figures
    ]
    return table_text(heads, rows)
