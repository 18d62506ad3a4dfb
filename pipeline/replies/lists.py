"""Items of lists in a reply."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from pipeline.replies.cleaning import json_fields
from pipeline.replies.markup import RULE, without_markup, without_quotes

_ITEM_LABEL = (
    r"(?:search )?(?:q|questions?|query|claim|sub-?claim|statement|fact|item|search(?: for)?)"
    r"(?: ?#?\d{1,2}[*_]{0,2} ?[:.)–-]|[*_]{0,2} ?:)"
)
_ITEM_MARK = re.compile(
    r"(?P<indent>[ \t]{0,40})(?P<heading>#{1,6}[ \t]+)?(?:>[ \t]*)?(?:[*_]{2})?"
    r"(?P<bullet>(?:[-*•–—+·●▪➤→✅]|[🔍❓🔎])[ \t]+)?(?:\[[ x]\][ \t]*)?(?:[*_]{2})?"
    r"(?P<number>\(?(?:\d{1,2}|[a-z])[.):](?=[\s*_\"“A-Z])[*_]{0,2}[ \t]*)?[*_]{0,3}"
    rf"(?P<label>(?:I googled ?:|{_ITEM_LABEL})[*_]{{0,2}}[ \t]*)?",
    re.IGNORECASE,
)
_NUMBER_IN_LINE = re.compile(
    r"(?:^[ \t]{0,40}|(?<=[.?!:\"”])[ \t]{1,3})(?P<number>\(?\d{1,2}[.)])(?=[ \t]{1,3}[\w\"“*])"
)
_EXAMPLE_LINE = (
    r"^[^\w\n<{{\[(]{{0,6}}(?:\(?\d{{1,2}}[.)] )?"
    r"(?:passage|context|text|evidence|document|user|human|you said|example|{ends})[*_]{{0,2}}:"
)
_LISTED_LINE = re.compile(r"^[ \t]{0,9}(?:[-*•–]|\(?\d{1,2}[.)])[ \t]+\S", re.MULTILINE)
_BOLD_LEAD = re.compile(r"(?:\*\*)?[^*\n?]{1,80}(?::\*\*|\*\*[ \t]*[:–—-])[ \t]*(?P<rest>\S.*)")


@dataclass(frozen=True, slots=True, kw_only=True)
class ListItem:
    """A line of a reply, or an entry of a JSON list in it."""

    text: str
    """Without list mark, Markdown and quotation marks."""
    number: int | None = None
    """From a numbered or lettered list."""
    is_listed: bool = False
    """Has a number, bullet or label."""
    is_nested: bool = False
    """Belongs to the item above."""
    is_heading: bool = False
    """A heading, or all bold."""


def list_items(text: str, keys: str = "", *, ends: str = "(?!)") -> list[ListItem]:
    """Return the non-blank lines of a reply, or the values of its JSON, as items.

    If any JSON key matches `keys`, only its values are items. A line labelled like an input, or as
    `ends`, begins an example and ends the list.

    >>> [item.text for item in list_items('Sure:\\n1. **Year**: It fell. 2. "It rose."')]
    ['Sure:', 'It fell.', 'It rose.']
    """
    pairs, outside = json_fields(text)
    if pairs:
        named = [value for key, value in pairs if re.fullmatch(keys, key)]
        values = named or [value for _, value in pairs]
        return [
            ListItem(text=value, is_listed=True)
            for each in values
            if (value := without_markup(each))
        ]
    items: list[ListItem] = []
    outside = _before_example(outside, ends)
    first: tuple[int, bool] | None = None
    for line in _split_numbers(RULE.sub("", outside)):
        mark = _ITEM_MARK.match(line)
        if mark is None:
            continue
        is_table = line.lstrip().startswith("|")
        body = _table_cell(line) if is_table else line[mark.end() :]
        is_listed = is_table or bool(mark["label"] or mark["number"] or mark["bullet"])
        has_number = bool(mark["label"] or mark["number"])
        indent = len(mark["indent"].expandtabs(4))
        if is_listed and first is None:
            first = indent, has_number
        is_nested = (
            is_listed
            and first is not None
            and (indent > first[0] + 1 or (first[1] and not has_number))
        )
        bare = body.strip(" *_`#")
        if not bare:
            continue
        if lead := _BOLD_LEAD.match(body.strip()):
            body = lead["rest"]
        items.append(
            ListItem(
                text=without_quotes(without_markup(body.strip().removesuffix("**"))).strip(),
                number=_number(mark["number"]),
                is_listed=is_listed,
                is_nested=is_nested,
                is_heading=bool(mark["heading"])
                or (body.strip().startswith("**") and body.strip().endswith("**"))
                or bare.endswith(":"),
            )
        )
    return items


def _before_example(text: str, ends: str) -> str:
    starts = [text.find("?") % (len(text) + 1)]
    if listed := _LISTED_LINE.search(text):
        starts.append(listed.start())
    example = re.compile(_EXAMPLE_LINE.format(ends=ends), re.IGNORECASE | re.MULTILINE)
    first = example.search(text, min(starts))
    return text[: first.start()] if first else text


def _split_numbers(text: str) -> Iterator[str]:
    """Split lines, and lists on a single line where their numbers are consecutive."""
    for line in text.split("\n"):
        start, last = 0, None
        for mark in _NUMBER_IN_LINE.finditer(line):
            number = _number(mark["number"])
            if mark.start() == 0 or number == 1 or number == (last or 0) + 1:
                if line[start : mark.start()].strip():
                    yield line[start : mark.start()]
                start, last = mark.start(), number
        if line[start:].strip():
            yield line[start:]


def _number(mark: str | None) -> int | None:
    name = (mark or "").strip(" ().:*_").lower()
    if not name:
        return None
    return int(name) if name.isdecimal() else ord(name[0]) - ord("a") + 1


def _table_cell(line: str) -> str:
    cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
    return next((cell for cell in cells if cell.endswith(("?", "."))), "")
