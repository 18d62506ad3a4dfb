"""Read a table of judgments, one answer a row, against a campaign's items."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple

from annotation.judging.answers import COMMENT_LIMIT
from annotation.models import Assignment, Campaign, Item
from annotation.quality_control.reference_answers import checkable
from annotation.questionnaires import questionnaire_of
from annotation.questionnaires.types import Criterion, InvalidAnswer
from annotation.results.labels import AnswerKey
from pipeline.importing.columns import LABELS, column_in, flat, guess_columns, names_of, samples_of
from pipeline.importing.file_shape import Choices, FileShape, shape_of
from pipeline.importing.inspection import read_with_sample, require_columns
from pipeline.importing.lines import check_characters, rows_of_records
from pipeline.importing.packed_files import PackedFile
from pipeline.importing.records import data_files
from pipeline.importing.rows import MAX_ERRORS, NO_ROWS, Fault, RowError, shortened
from rarrweb.accounts.models import User
from rarrweb.web.csv import original

ADJUDICATION = "adjudication"
"""In place of a rater in rows of adjudicated answers."""
FIELDS = {
    "passage": "The passage’s id in its dataset, or its whole text.",
    "item": "The item’s number in this campaign, if there is no passage.",
    "side": "before, after or pair, if the campaign has several sides.",
    "system": "If the campaign has several runs.",
    "dataset": "Its address, if two datasets have the same id.",
    "run": "Its number, if the system is not enough.",
    "criterion": "What was asked. Without one: the questionnaire’s main question.",
    "sentence": "The number from 1, or the text, of a sentence, snippet or citation.",
    "target_index": "The same as a number from 0, as in exports.",
    "rater": f"Without one: all are of one rater. “{ADJUDICATION}” adjudicates.",
    "value": "The number or the label of a level; yes or no. Empty: no answer.",
    "text": "A written answer.",
    "comment": "The rater’s comment, or the reason for an adjudicated or reference answer.",
}
"""Field of a row → description."""
NAMES = {each: each for each in FIELDS if each != "text"} | {
    "passage": "passage passageid",
    "target_index": "targetindex",
    "rater": "rater annotator worker coder raterid annotatorid workerid coderid completedby",
    "value": "value label attributionlabel",
    "comment": "comment why",
}
"""Usual names of each field's column."""
MAX_REPORTED = 100
"""Errors that pages and replies list."""
ORIGIN = {
    "side": "side",
    "system": "revision.run.system",
    "dataset": "revision.run.dataset.slug",
    "run": "revision.run_id",
}
"""Field that tells items of one passage apart → the item's attribute."""


class FileAnswer(NamedTuple):
    value: int
    text: str
    comment: str
    line: int
    item: int
    """The item that the row names; it can share the answers of another."""


@dataclass(slots=True, kw_only=True)
class RaterWork:
    """One rater's answers about one item in a file."""

    item: Item
    rater: str
    line: int
    """The first."""
    answers: dict[AnswerKey, FileAnswer] = field(default_factory=dict)
    comments: dict[str, None] = field(default_factory=dict)
    assignment: Assignment | None = None
    """From an earlier import, with `known` answers."""
    known: int = 0
    is_complete: bool = True


@dataclass(slots=True, kw_only=True)
class JudgmentFile:
    """A file's judgments; with `errors` nothing can be imported."""

    name: str
    columns: dict[str, str] = field(default_factory=dict)
    """Field → column, "" for none."""
    header: list[str] = field(default_factory=list)
    """All columns of the file."""
    samples: dict[str, list[str]] = field(default_factory=dict)
    """First values by column."""
    reading: dict[str, Any] = field(default_factory=dict)
    """How the file is read; see `FileShape.reading`."""
    work: dict[tuple[int, str], RaterWork] = field(default_factory=dict)
    """By item and rater."""
    accounts: dict[str, User] = field(default_factory=dict)
    """By rater, new ones unsaved."""
    errors: list[RowError] = field(default_factory=list)

    def refuse(self, fault: Fault, line: int = 0) -> None:
        self.errors.append(fault.at(self.name, line))

    @property
    def unused(self) -> list[str]:
        return [name for name in self.header if name not in self.columns.values()]

    @property
    def counts(self) -> list[tuple[str, str, int]]:
        """Rater, criterion and number of answers."""
        keys = ((rater, key[0]) for (_, rater), each in self.work.items() for key in each.answers)
        return sorted((rater, criterion, n) for (rater, criterion), n in Counter(keys).items())

    @property
    def incomplete(self) -> int:
        return sum(not each.is_complete for each in self.work.values())

    @property
    def has_valid_rows(self) -> bool:
        return bool(self.work) and all(each.line for each in self.errors)

    def __str__(self) -> str:
        """Return the counts as a sentence."""
        counts = {
            "answers": sum(len(each.answers) for each in self.work.values()),
            "known before": sum(each.known for each in self.work.values()),
            "raters": len({rater for _, rater in self.work} - {ADJUDICATION, ""}),
            "items not submitted, as answers are missing": self.incomplete,
        }
        return ", ".join(f"{name}: {count:,}" for name, count in counts.items() if count)


class JudgmentReader:
    """Reads rows into a `JudgmentFile`; a wrong one becomes an error."""

    def __init__(self, campaign: Campaign, path: Path, *, use: str, chosen: Choices) -> None:
        self.file = JudgmentFile(name=path.name)
        self._path, self._use, self._chosen = path, use, chosen
        self._questionnaire = questionnaire_of(campaign)
        known = checkable(campaign) if use else self._questionnaire.criteria
        self._criteria = {each.name: each for each in known}
        self._items: dict[tuple[str, str], list[Item]] = defaultdict(list)
        self._judged: dict[int | None, Item] = {}
        items = campaign.items.select_related("passage", "revision__run__dataset").only(
            *("position", "side", "use", "phase", "text", "sentences", "evidence", "citations"),
            *("shared_with", "passage__external_id", "revision__run__system"),
            "revision__run__dataset__slug",
        )
        for item in items:  # judged ones first
            item.campaign = campaign
            self._judged[item.pk] = self._judged.get(item.shared_with_id, item)
            self._items["passage", item.passage.external_id].append(item)
            self._items["text", item.text.strip()].append(item)
            self._items["item", str(item.position)].append(item)

    def read(self) -> JudgmentFile:
        file = self.file
        try:
            with data_files(self._path) as packed:
                for each in packed:
                    self._read(each)
        except Fault as fault:
            file.refuse(fault)
        for name, column in (self._chosen.get("columns") or {}).items():
            if column and file.header and not column_in(file.header, column):
                fix = f"choose one of {shortened(', '.join(file.header), limit=300)}"
                missing = Fault("the file has no such column", fix, field=name, value=column)
                file.errors = [missing.at(file.name)]
        file.work = {key: each for key, each in file.work.items() if each.answers or each.comments}
        if not file.work and not file.errors:
            problem = "no row has an answer", "choose the column of the answers as value"
            file.refuse(Fault(*(problem if file.header else NO_ROWS)))
        return file

    def _read(self, packed: PackedFile) -> None:
        shape = shape_of(packed, self._chosen, is_json=True, is_one_record=True)
        self.file.reading = shape.reading
        shape, sample, records = read_with_sample(packed, shape)
        cells_of = partial(_cells, is_csv=shape.container == "csv")
        columns = self._columns(shape, [cells for record in sample for cells in cells_of(record)])
        by_criterion = [
            (each, columns | {"value": columns[each]}) for each in self._criteria if each in columns
        ]

        def add(line: int, record: dict[str, Any]) -> Iterator[Fault]:
            for cells in cells_of(record):
                self.file.header += [name for name in cells if name not in self.file.header]
                for criterion, names in by_criterion or [("", columns)]:
                    row = {each: cells.get(name) for each, name in names.items()}
                    try:
                        self._add(line, row | ({"criterion": criterion} if criterion else {}))
                    except Fault as fault:
                        fault.field = names.get(fault.field, fault.field)
                        yield fault

        errors = rows_of_records(records, add, name=packed.name)
        self.file.errors += islice(errors, MAX_ERRORS)
        if len(self.file.errors) >= MAX_ERRORS:
            raise Fault(f"reading stopped after {MAX_ERRORS:,} errors", "correct these")

    def _columns(self, shape: FileShape, rows: Sequence[Mapping[str, Any]]) -> dict[str, str]:
        """Return the column of each field, and of each criterion if there is none of answers.

        Raises `Fault` if one has to be chosen.
        """
        chosen = self._chosen.get("columns") or {}
        names = self.file.header = names_of(rows)
        self.file.samples = samples_of(rows)
        columns = self.file.columns = self._guess(rows, names, chosen)
        needed = self._needed(rows, columns)
        all_columns = dict.fromkeys(FIELDS, "") | columns
        shape = replace(shape, names=tuple(names), columns=all_columns, is_sure=not needed)
        is_wide = needed == "value" and "rater" not in columns
        hint = "if each rater has a column, write a row for each answer; else " * is_wide
        require_columns(shape, self._chosen, needed=needed, hint=hint)
        # A key can be missing in the first rows.
        return {each: each for each in NAMES if each not in chosen} | columns

    def _guess(
        self, rows: Sequence[Mapping[str, Any]], names: Sequence[str], chosen: Mapping[str, str]
    ) -> dict[str, str]:
        """Return the columns of fields and criteria that the rows have."""
        columns, _ = guess_columns(rows, fields=NAMES, chosen=chosen)
        for each in columns.keys() - chosen.keys():
            columns[each] = columns[each] or column_in(names, each)  # empty in the first rows
        if not columns["passage"] and not columns["item"] and "passage" not in chosen:
            columns["passage"] = self._passage_column(
                rows, [name for name in names if name not in columns.values()]
            )
        if any(each.is_text for each in self._criteria.values()) or chosen.get("text"):
            columns["text"] = column_in(names, chosen.get("text", "text"))
        if not columns["value"] and not columns["criterion"]:
            columns |= {each: column_in(names, each) for each in self._criteria}
        return {each: name for each, name in columns.items() if name}

    def _passage_column(self, rows: Sequence[Mapping[str, Any]], names: Sequence[str]) -> str:
        """Return the column in which most rows name a passage; "" if there is none."""
        known = Counter(name for row in rows for name in names if self._knows(row.get(name)))
        return next((name for name, n in known.most_common(1) if n * 2 > len(rows)), "")

    def _needed(self, rows: Sequence[Mapping[str, Any]], columns: Mapping[str, str]) -> str:
        """Return the field whose column has to be chosen; "" for none."""
        if not rows:
            return ""
        if columns.keys().isdisjoint({"passage", "item"}):
            return "passage"
        if columns.keys().isdisjoint({"value", "text", *self._criteria}):
            return "value"
        if "rater" in columns or self._use:
            return ""
        places = columns.keys() - {"value", "text", "comment", *self._criteria}
        seen = {tuple(str(row.get(columns[each])) for each in places) for row in rows}
        return "rater" if len(seen) < len(rows) else ""

    def _knows(self, cell: Any) -> bool:
        """Return whether the cell is the id or the text of a passage."""
        text = str(cell).strip()
        return ("passage", text) in self._items or ("text", text) in self._items

    def _add(self, line: int, row: Mapping[str, Any]) -> None:
        cells = {name: _text(name, row[name]) for name in FIELDS if name in row}
        named, rater = self._item(cells), "" if self._use else cells.get("rater") or "rater"
        item = self._judged[named.pk]
        new = RaterWork(item=item, rater=rater, line=line)
        work = self.file.work.setdefault((item.pk, rater), new)
        comment, text = cells.get("comment", ""), cells.get("text", "")
        if comment:
            work.comments[comment] = None
        if not cells.get("value") and not text:
            return
        criterion = self._criterion(cells.get("criterion") or self._questionnaire.result_criterion)
        key = criterion.name, _target(criterion, item, cells)
        value = 1 if criterion.is_text else _level(criterion, cells.get("value", ""))
        try:
            self._questionnaire.check(item, criterion=key[0], target=key[1], value=value, text=text)
        except InvalidAnswer as error:
            problem, _, fix = str(error).rstrip(".").partition(": ")
            raise Fault(problem[:1].lower() + problem[1:], fix, field="text") from None
        if known := work.answers.get(key):
            if known.item != named.pk and known[:2] == (value, text):
                return
            problem = f"line {known.line} answers the same for this rater"
            raise Fault(problem, "keep one of the two", field="rater", value=rater)
        work.answers[key] = FileAnswer(value, text, comment, line, named.pk)

    def _item(self, cells: Mapping[str, str]) -> Item:
        name = "passage" if cells.get("passage") else "item"
        key = cells.get(name, "")
        if not key:
            fix = "fill in the passage, or the item’s number"
            raise Fault("the row names no passage", fix, field="passage")
        items = self._items.get((name, key), [])
        if name == "passage" and not items:
            items = self._items.get(("text", key), [])
        for field_name, path in ORIGIN.items():
            # Datasets and runs may have other names where the file comes from.
            counts = field_name in {"side", "system"} or len(items) > 1
            if counts and (value := cells.get(field_name)):
                items = [item for item in items if str(attrgetter(path)(item)) == value]
        if len({self._judged[each.pk] for each in items}) == 1:
            return items[0]
        problem = f"the campaign has {len(items)} items of this passage"
        fix = "add its side, system or run"
        if not items:
            problem = "the campaign has no such item"
            fix = "correct it, or choose a campaign over these passages"
        raise Fault(problem, fix, field=name, value=shortened(key))

    def _criterion(self, name: str) -> Criterion:
        if name.lower() in self._criteria:
            return self._criteria[name.lower()]
        problem = "the questionnaire has no such criterion"
        fix = f"write one of {', '.join(self._criteria)}"
        raise Fault(problem, fix, field="criterion", value=shortened(name))


def _cells(row: dict[str, Any], *, is_csv: bool) -> Iterator[dict[str, Any]]:
    # Exports of right answers list those of an item.
    answers = [each for each in row.get("answers") or () if isinstance(each, dict)]
    for answer in answers or [{}]:
        numbered = {"target_index": answer["target"]} if "target" in answer else {}
        cells = flat({**row, **answer, **numbered})
        # Without the apostrophe that exports put before formulas.
        texts = {k: original(v) for k, v in cells.items() if is_csv and isinstance(v, str)}
        yield cells | texts


def _text(name: str, value: Any) -> str:
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, str | int | float | None):
        text = check_characters("" if value is None else str(value).strip(), field=name)
        if name == "comment" and len(text) > COMMENT_LIMIT:
            raise Fault("the comment is too long", f"shorten it to {COMMENT_LIMIT:,}", field=name)
        return text
    raise Fault("this is a list or an object", "write a text or a number", field=name)


def _number(text: str) -> int | None:
    """Read a whole number.

    >>> _number("2"), _number("1.0"), _number("1.5"), _number("two")
    (2, 1, None, None)
    """
    whole = text.removesuffix(".0")
    return int(whole) if whole.removeprefix("-").isdecimal() else None


def _target(criterion: Criterion, item: Item, cells: Mapping[str, str]) -> int:
    count = criterion.target_count(item)
    name = "target_index" if cells.get("target_index") else "sentence"
    given = cells.get(name, "")
    if criterion.targets == "item" or (count == 1 and not given):
        return 0
    index = _number(given)
    if index is None:
        texts = [criterion.target_text(item, target) for target in range(count)]
        same = [target for target, text in enumerate(texts) if text.split() == given.split()]
        index = same[0] if len(same) == 1 else -1
    elif name == "sentence":
        index -= 1
    if not 0 <= index < count:
        fix = f"write its number, from 1 to {count}, or its exact text"
        raise Fault(f"the item has no such {criterion.noun}", fix, field=name, value=given)
    return index


def _level(criterion: Criterion, given: str) -> int:
    values = [level.value for level in criterion.levels]
    names = LABELS | {criterion.name: 1, f"not {criterion.name}": 0}
    labels = {name: value for name, value in names.items() if {*values} == {0, 1}}
    labels |= {level.label.casefold(): level.value for level in criterion.levels}
    value = labels.get(given.casefold(), _number(given))
    if value not in values:
        known = ", ".join(f"{level.value} ({level.label})" for level in criterion.levels)
        problem = f"{criterion.name} has no such level"
        raise Fault(problem, f"write one of {known}", field="value", value=shortened(given))
    return value
