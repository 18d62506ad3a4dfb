"""Cells of a CSV file: no spreadsheet runs one as a formula, and every reader gets it whole."""

import csv
import io
from collections.abc import Iterable

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
"""What makes a spreadsheet run a cell, also in the full-width forms of East Asian text."""
TO_CHECK = frozenset(("'", *FORMULA_STARTS))
"""With what a cell begins that `neutral` may change, besides those with a NUL."""


def neutral(value: object) -> object:
    """The cell as it is safe to open: text that begins as a formula gets an apostrophe in front.

    So does text that begins with apostrophes and then as a formula; therefore one apostrophe
    less is always what stood there. A NUL, at which some readers end a cell, becomes U+FFFD.

    >>> neutral("=1+1"), neutral("'=1+1"), neutral("-"), neutral("a=b"), neutral(-1)
    ("'=1+1", "''=1+1", "'-", 'a=b', -1)
    """
    if not isinstance(value, str):
        return value
    text = value.replace("\x00", "\ufffd")
    return "'" + text if text.lstrip("'").startswith(FORMULA_STARTS) else text


class Echo:
    """A file for `csv.writer` that gives each row back and keeps none."""

    def write(self, row: str) -> str:
        return row


def table_text(columns: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    """A whole table with a byte order mark, by which spreadsheets recognise UTF-8."""
    out = io.StringIO()
    table = csv.writer(out)
    table.writerow(columns)
    table.writerows(map(neutral, row) for row in rows)
    return "\ufeff" + out.getvalue()
