"""Datasets out of a campaign: one file a format, streamed, with a manifest beside it."""

from importlib import import_module

from annotation.exporting.export import Export, Format, UnsuitableFormat

__all__ = ["FORMATS", "Export", "Format", "UnknownFormat", "UnsuitableFormat", "load_format"]

FORMATS: dict[str, str] = {
    "hagrid": "annotation.exporting.hagrid.HAGRID",
    "csv": "annotation.exporting.csv_file.CSV",
    "alce": "annotation.exporting.alce.ALCE",
    "gold_edits": "annotation.exporting.gold_edits.GOLD_EDITS",
    "skips": "annotation.exporting.skips.SKIPS",
    "checks": "annotation.exporting.checks.CHECKS",
    "right_answers": "annotation.exporting.right_answers.RIGHT_ANSWERS",
}
"""Name to the dotted path of a `Format`."""


class UnknownFormat(ValueError):
    """There is no export format of that name."""


def load_format(name: str) -> Format:
    """The format called `name`; raises `UnknownFormat`."""
    if name not in FORMATS:
        raise UnknownFormat(f"{name!r} is no export format: choose one of {', '.join(FORMATS)}.")
    module, _, attribute = FORMATS[name].rpartition(".")
    found: Format = getattr(import_module(module), attribute)
    return found
