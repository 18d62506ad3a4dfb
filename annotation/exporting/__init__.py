"""Export a campaign as datasets, one file per format."""

from dataclasses import dataclass
from itertools import groupby

from django.utils.module_loading import import_string

from annotation.exporting.export import Export, Format, UnsuitableFormat
from annotation.models import Campaign

FORMATS: dict[str, str] = {
    "hagrid": "annotation.exporting.hagrid.HAGRID",
    "alce": "annotation.exporting.alce.ALCE",
    "gold_edits": "annotation.exporting.gold_edits.GOLD_EDITS",
    "csv": "annotation.exporting.judgments_csv.CSV",
    "parquet": "annotation.exporting.judgments_parquet.PARQUET",
    "skips": "annotation.exporting.skips.SKIPS",
    "checks": "annotation.exporting.checks.CHECKS",
    "reference_answers": "annotation.exporting.checks.REFERENCE_ANSWERS",
}
"""Name to the dotted path of a `Format`, in the order of the page."""


@dataclass(frozen=True, slots=True)
class Offer:
    """A table that a campaign can export, in one format or several."""

    formats: list[Format]
    rows: int

    @property
    def title(self) -> str:
        return self.formats[0].title

    @property
    def about(self) -> str:
        return self.formats[0].about


class UnknownFormat(ValueError):
    """No export format has this name."""


def load_format(name: str) -> Format:
    if name not in FORMATS:
        raise UnknownFormat(f"{name!r} is no export format: choose one of {', '.join(FORMATS)}.")
    loaded: Format = import_string(FORMATS[name])
    return loaded


def formats_for(campaign: Campaign) -> list[Format]:
    return [each for each in map(load_format, FORMATS) if each.suits(campaign)]


def offers_for(campaign: Campaign) -> list[Offer]:
    """Return what suits the campaign, also without rows."""
    of_title = groupby(formats_for(campaign), key=lambda each: each.title)
    grouped = [list(formats) for _, formats in of_title]
    return [Offer(formats, formats[0].count(campaign)) for formats in grouped]
