"""CSV cells that no spreadsheet runs as a formula."""

import csv
import io
from collections.abc import Iterable

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
"""Beginnings of formulas, also in the full-width forms of East Asian text."""
TO_CHECK = frozenset(("'", *FORMULA_STARTS))
"""Beginnings of cells that `neutral` may change, besides those with a NUL."""


def neutral(value: object) -> object:
    """Prefix formulas, also after apostrophes, with an apostrophe; replace NUL by U+FFFD.

    >>> neutral("=1+1"), neutral("'=1+1"), neutral("-"), neutral("a=b"), neutral(-1)
    ("'=1+1", "''=1+1", "'-", 'a=b', -1)
    """
    if not isinstance(value, str):
        return value
    text = value.replace("\x00", "\ufffd")
    return "'" + text if text.lstrip("'").startswith(FORMULA_STARTS) else text


def original(cell: str) -> str:
    """Undo `neutral`.

    >>> original("'=1+1"), original("'tis"), original(original(neutral("'=1+1")))
    ('=1+1', "'tis", '=1+1')
    """
    is_changed = cell.startswith("'") and cell.lstrip("'").startswith(FORMULA_STARTS)
    return cell[1:] if is_changed else cell


class Echo:
    def write(self, row: str) -> str:
        return row


def table_text(columns: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    """Return a table with a byte order mark, by which spreadsheets recognise UTF-8."""
    out = io.StringIO()
    table = csv.writer(out)
    table.writerow(columns)
    table.writerows(map(neutral, row) for row in rows)
    return "\ufeff" + out.getvalue()
