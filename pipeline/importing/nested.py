"""Keys of JSON lines that stand in an object under another key, by their dotted names."""

from collections.abc import Mapping
from typing import Any


def with_nested(row: Mapping[str, Any]) -> dict[str, Any]:
    """The row, and what its objects hold, one level deep; a key that is so spelled comes first.

    >>> with_nested({"meta": {"question": "Q?"}, "meta.id": 7})
    {'meta.question': 'Q?', 'meta': {'question': 'Q?'}, 'meta.id': 7}
    """
    inner = {
        f"{name}.{key}": value
        for name, each in row.items()
        if isinstance(each, dict)
        for key, value in each.items()
    }
    return {**inner, **row}
