"""The text of a document, split at its headings."""

import re

HEADING = re.compile(r"^(#{1,6} .*)$", re.MULTILINE)


def blocks_of(text: str) -> list[tuple[bool, str]]:
    """Split the text into blocks of (is a heading, text)."""
    blocks = (
        (True, part.lstrip("#").strip()) if position % 2 else (False, part.strip("\n"))
        for position, part in enumerate(HEADING.split(text))
    )
    return [block for block in blocks if block[1].strip()]


def without_headings(text: str) -> str:
    return " ".join(block for is_heading, block in blocks_of(text) if not is_heading) or text
