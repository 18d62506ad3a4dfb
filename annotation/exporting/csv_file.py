"""A table with a row a judgment, for statistics and for spreadsheets.

UTF-8 with a byte order mark, by which spreadsheets know the encoding; comma; lines end in
CR LF. A cell that a spreadsheet would run as a formula begins with an apostrophe.
"""

import csv
from collections.abc import Iterator

from annotation.exporting.export import Format
from annotation.exporting.reading import Answer, Counts, JudgedItem, Work, pseudonym, read_items
from annotation.models import Campaign, Judgment

COLUMNS = (
    "campaign", "item", "passage", "side", "criterion", "target_kind", "target_index",
    "target_text", "rater", "value", "slot", "late", "submitted_at", "comment",
)  # fmt: skip
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
"""What makes a spreadsheet run a cell, also in the full-width forms of East Asian text."""


def lines(campaign: Campaign, counts: Counts) -> Iterator[str]:
    """The header, then a row a judgment of each submitted assignment, late ones marked.

    A rater who submitted without an answer to anything has one row, with no target.
    """
    table = csv.writer(_Echo())
    yield "\ufeff" + table.writerow(COLUMNS)
    for item in read_items(campaign, counts):
        for work in item.work:
            for answer in work.answers or [None]:
                counts.lines += 1
                yield table.writerow(map(neutral, _row(campaign, item, work, answer)))


CSV = Format(name="csv", suffix=".csv", content_type="text/csv; charset=utf-8", lines=lines)


def neutral(value: object) -> object:
    """The cell as it is safe to open in a spreadsheet.

    >>> neutral("=1+1"), neutral("-"), neutral("a=b"), neutral(-1)
    ("'=1+1", "'-", 'a=b', -1)
    """
    if isinstance(value, str) and value.startswith(FORMULA_STARTS):
        return "'" + value
    return value


class _Echo:
    """A file for `csv.writer` that gives each row back and keeps none."""

    def write(self, row: str) -> str:
        return row


def _row(
    campaign: Campaign, item: JudgedItem, work: Work, answer: Answer | None
) -> tuple[str | int, ...]:
    about = ("", "", "", "") if answer is None else (answer.criterion, *_target(item, answer))
    return (
        campaign.slug,
        item.position,
        item.passage_id,
        item.side,
        *about,
        pseudonym(campaign, work.rater_id),
        "" if answer is None else int(answer.value),
        "" if work.slot is None else work.slot,
        int(work.is_late),
        work.submitted_at.isoformat(timespec="seconds"),
        work.comment,
    )


def _target(item: JudgedItem, answer: Answer) -> tuple[str, int, str]:
    """What the answer is about: its kind, its index from 0, its text."""
    if answer.criterion == Judgment.Criterion.USEFUL:
        kind, texts = "evidence", [each["text"] for each in item.evidence]
    else:
        kind, texts = "sentence", list(item.sentences)
    return kind, answer.target, texts[answer.target] if answer.target < len(texts) else ""
