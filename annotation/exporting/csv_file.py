"""A table with a row a judgment, for statistics and for spreadsheets.

UTF-8 with a byte order mark, by which spreadsheets know the encoding; comma; lines end in
CR LF. A cell that a spreadsheet would run as a formula begins with an apostrophe.
"""

import csv
from collections.abc import Iterator, Mapping
from functools import cache

from annotation.exporting.export import Format
from annotation.exporting.reading import (
    Answer,
    Counts,
    JudgedItem,
    SettledAnswer,
    Work,
    pseudonym,
    read_items,
)
from annotation.models import Campaign
from annotation.questionnaires import load_questionnaire

COLUMNS = (
    "campaign", "item", "passage", "side", "criterion", "target_kind", "target_index",
    "target_text", "rater", "value", "slot", "late", "submitted_at", "comment", "text",
    "edited_at", "active_seconds", "idle_seconds", "clicks", "keys", "phase", "weight",
    "guidelines", "participant", "dataset", "system", "run",
)  # fmt: skip
ADJUDICATION = "adjudication"
"""Stands where a rater's made-up name does: this row is what was settled, and no judgment."""
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
"""What makes a spreadsheet run a cell, also in the full-width forms of East Asian text."""


def lines(campaign: Campaign, counts: Counts) -> Iterator[str]:
    """The header, then a row a judgment of each submitted assignment, late ones marked.

    A rater who submitted without an answer to anything has one row, with no target. After an
    item's judgments stand its settled answers, whose rater is `ADJUDICATION`.
    """
    table = csv.writer(Echo())
    yield "\ufeff" + table.writerow(COLUMNS)
    for item in read_items(campaign, counts):
        for work in item.work:
            for answer in work.answers or [None]:
                counts.lines += 1
                yield table.writerow(map(neutral, _row(campaign, item, work, answer)))
        for settled in item.settled:
            counts.lines += 1
            yield table.writerow(map(neutral, _settled_row(campaign, item, settled)))


CSV = Format(name="csv", suffix=".csv", content_type="text/csv; charset=utf-8", lines=lines)


def neutral(value: object) -> object:
    """The cell as it is safe to open in a spreadsheet.

    >>> neutral("=1+1"), neutral("-"), neutral("a=b"), neutral(-1)
    ("'=1+1", "'-", 'a=b', -1)
    """
    if isinstance(value, str) and value.startswith(FORMULA_STARTS):
        return "'" + value
    return value


class Echo:
    """A file for `csv.writer` that gives each row back and keeps none."""

    def write(self, row: str) -> str:
        return row


def _row(
    campaign: Campaign, item: JudgedItem, work: Work, answer: Answer | None
) -> tuple[str | int | float, ...]:
    about = (
        ("", "", "", "") if answer is None else (answer.criterion, *_target(campaign, item, answer))
    )
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
        "" if answer is None else answer.text,
        work.edited_at.isoformat(timespec="seconds") if work.edited_at else "",
        *_effort(work),
        item.phase,
        item.weight,
        "" if answer is None or answer.guidelines is None else answer.guidelines,
        work.participant,
        *item.origin.values(),
    )


def _effort(work: Work) -> tuple[str | int | float, ...]:
    """Time, clicks and keys; empty where nobody measured, which is not none."""
    if not work.is_timed:
        return ("",) * 4
    return (round(work.active_ms / 1000, 1), round(work.idle_ms / 1000, 1), work.clicks, work.keys)


def _settled_row(
    campaign: Campaign, item: JudgedItem, settled: SettledAnswer
) -> tuple[str | int | float, ...]:
    """As a judgment's, but of nobody's slot; the comment is the reason."""
    return (
        campaign.slug,
        item.position,
        item.passage_id,
        item.side,
        settled.criterion,
        *_target(campaign, item, settled),
        ADJUDICATION,
        settled.value,
        "",
        0,
        settled.updated_at.isoformat(timespec="seconds"),
        settled.reason,
        "",
        *[""] * 5,
        item.phase,
        item.weight,
        "",
        "",
        *item.origin.values(),
    )


def _target(
    campaign: Campaign, item: JudgedItem, answer: Answer | SettledAnswer
) -> tuple[str, int, str]:
    """What the answer is about: its kind, its index from 0, its text."""
    kind = _targets(campaign.questionnaire, tuple(campaign.options)).get(answer.criterion, "item")
    if kind == "evidence":
        texts = [each["text"] for each in item.evidence]
    elif kind == "sentences":
        texts = list(item.sentences)
    elif kind == "citations":
        texts = [
            f"{item.sentences[each['sentence']]} \N{LEFTWARDS ARROW} "
            f"{item.evidence[each['evidence']]['text']}"
            for each in item.citations
        ]
    else:
        texts = [item.text]
    name = {"sentences": "sentence", "citations": "citation"}.get(kind, kind)
    return name, answer.target, texts[answer.target] if answer.target < len(texts) else ""


@cache
def _targets(questionnaire: str, options: tuple[str, ...]) -> Mapping[str, str]:
    """Criterion to what it is about."""
    criteria = load_questionnaire(questionnaire).with_options(options).criteria
    return {criterion.name: criterion.targets for criterion in criteria}
