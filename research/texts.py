"""The training files' texts: a row a line, cut into sentences, spaced as people space them."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_BREAK = re.compile(r"(?<=[.!?])[\"”’)]?\s+(?=[\"“‘(]?[A-Z0-9])")


def rows(path: Path) -> Iterator[dict[str, Any]]:
    """The lines of a JSONL file."""
    with path.open(encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


def sentences(text: str) -> list[str]:
    """Roughly: whatever ends in a mark before a capital or a digit is one."""
    return [part for part in _BREAK.split(text) if part.strip()]


def untokenised(text: str) -> str:
    """FEVER and Natural Questions set spaces before marks; people do not.

    >>> untokenised("the film , set in 1902 ( or so ) , is Berg 's")
    "the film, set in 1902 (or so), is Berg's"
    """
    text = re.sub(r"(?<!\s)\s+([,.;:?!)\]]|'s\b|n't\b)", r"\1", text)
    text = re.sub(r"([(\[])\s+", r"\1", text)
    return re.sub(r"(\w) - (\w)", r"\1-\2", text).replace("`` ", '"').replace(" ''", '"')
