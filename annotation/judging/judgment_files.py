"""Read a table of judgments, one answer a row, against a campaign's items."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple

from annotation.judging.answers import COMMENT_LIMIT
from annotation.models import Assignment, Campaign, Item
from annotation.quality_control.reference_answers import checkable
from annotation.questionnaires import questionnaire_of
from annotation.questionnaires.types import Criterion, InvalidAnswer
from annotation.results.labels import AnswerKey
from pipeline.importing.columns import LABELS, plain_name
from pipeline.importing.lines import check_characters, rows_of_records, with_nested
from pipeline.importing.records import read_objects
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
_RATER = ("rater", "annotator", "worker", "raterid", "annotatorid", "workerid")
ALIASES = {**dict.fromkeys(_RATER, "rater"), "label": "value", "why": "comment"}
"""Field by the last part of a column's name."""
MAX_REPORTED = 100
"""Errors that pages and replies list."""
ORIGIN = {
    "side": "side",
    "system": "revision.run.system",
    "dataset": "revision.run.dataset.slug",
    "run": "revision.run_id",
}
"""Field that tells items of one passage apart → the item's attribute."""
YES_OR_NO = {label: value for label, value in LABELS.items() if value is not None}


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
    criteria: list[str] = field(default_factory=list)
    """Columns called as a criterion, if no column has the values."""
    work: dict[tuple[int, str], RaterWork] = field(default_factory=dict)
    """By item and rater."""
    accounts: dict[str, User] = field(default_factory=dict)
    """By rater, new ones unsaved."""
    errors: list[RowError] = field(default_factory=list)

    def refuse(self, fault: Fault, line: int = 0) -> None:
        self.errors.append(fault.at(self.name, line))

    @property
    def unused(self) -> list[str]:
        used = {*self.columns.values(), *self.criteria}
        return [name for name in self.header if name not in used]

    @property
    def counts(self) -> list[tuple[str, str, int]]:
        """Rater, criterion and number of answers."""
        keys = ((rater, key[0]) for (_, rater), each in self.work.items() for key in each.answers)
        return sorted((rater, criterion, n) for (rater, criterion), n in Counter(keys).items())

    @property
    def incomplete(self) -> int:
        return sum(not each.is_complete for each in self.work.values())

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

    def __init__(self, campaign: Campaign, path: Path, *, use: str) -> None:
        self.file = JudgmentFile(name=path.name)
        self._path, self._use = path, use
        self._questionnaire = questionnaire_of(campaign)
        known = checkable(campaign) if use else self._questionnaire.criteria
        self._criteria = {each.name: each for each in known}
        self._has_texts = any(each.is_text for each in known)
        self._items: dict[tuple[str, str], list[Item]] = defaultdict(list)
        self._judged: dict[int | None, Item] = {}
        items = campaign.items.select_related("passage", "revision__run__dataset").only(
            *("position", "side", "use", "phase", "text", "sentences", "evidence", "citations"),
            *(
                "shared_with",
                "passage__external_id",
                "revision__run__system",
                "revision__run__dataset__slug",
            ),
        )
        for item in items:  # judged ones first
            item.campaign = campaign
            self._judged[item.pk] = self._judged.get(item.shared_with_id, item)
            self._items["passage", item.passage.external_id].append(item)
            self._items["text", item.text.strip()].append(item)
            self._items["item", str(item.position)].append(item)

    def read(self, chosen: Mapping[str, str]) -> JudgmentFile:
        file = self.file
        for row in _rows(self._path):
            if isinstance(row, RowError):
                file.errors.append(row)
            else:
                number, cells = row
                for name in cells:
                    if name not in file.header:
                        file.header.append(name)
                        known = name.strip().lower()
                        field = ALIASES.get(plain_name(known.rpartition(".")[2]), known)
                        if field in FIELDS and (field != "text" or self._has_texts):
                            file.columns.setdefault(field, name)
                        elif known in self._criteria and name not in chosen.values():
                            file.criteria.append(name)
                file.columns |= chosen
                if file.columns.get("value"):
                    file.criteria = []
                if (fault := self._lack(cells)) and not file.work and not file.errors:
                    file.refuse(fault)
                    return file
                values = {
                    name: cells.get(column) for name, column in file.columns.items() if column
                }
                try:
                    for name in file.criteria:
                        self._add(number, values | {"criterion": name, "value": cells.get(name)})
                    if not file.criteria:
                        self._add(number, values)
                except Fault as fault:
                    fault.field = file.columns.get(fault.field) or fault.field
                    file.refuse(fault, number)
            if len(file.errors) >= MAX_ERRORS:
                break
        for name, column in chosen.items():
            if column and file.header and column not in file.header:
                fix = f"choose one of {shortened(', '.join(file.header), limit=300)}"
                missing = Fault("the file has no such column", fix, field=name, value=column)
                file.errors.insert(0, missing.at(file.name))
        if not file.work and not file.errors:
            file.refuse(Fault(*NO_ROWS))
        return file

    def _lack(self, cells: Mapping[str, Any]) -> Fault | None:
        """Return an error if no column of a row names the passage, or has the answers."""
        columns, there = self.file.columns, shortened(", ".join(self.file.header), limit=300)
        if not (columns.get("passage") or columns.get("item")):
            ids = {key for kind, key in self._items if kind != "item"}
            likely = (name for name, value in cells.items() if str(value).strip() in ids)
            fix = f"choose it: --map passage={next(likely, 'COLUMN')}"
            return Fault(f"no column names the passage (the columns are {there})", fix)
        if not (self.file.criteria or {"value", "text", "comment"} & columns.keys()):
            fix = "write one answer a row, and choose their column: --map value=COLUMN"
            return Fault(f"no column holds the answers (the columns are {there})", fix)
        return None

    def _add(self, line: int, row: Mapping[str, Any]) -> None:
        cells = {name: _text(name, value) for name, value in row.items()}
        named, rater = self._item(cells), "" if self._use else cells.get("rater") or "rater"
        item = self._judged[named.pk]
        work = self.file.work.setdefault(
            (item.pk, rater), RaterWork(item=item, rater=rater, line=line)
        )
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


def _rows(path: Path) -> Iterator[tuple[int, dict[str, Any]] | RowError]:
    is_csv = path.suffix.lower() == ".csv"

    def rows(line: int, row: dict[str, Any]) -> Iterator[tuple[int, dict[str, Any]]]:
        # Exports of right answers list those of an item.
        answers = row.get("answers")
        for answer in answers if isinstance(answers, list) else [{}]:
            if not isinstance(answer, dict):
                fix = "write one answer a line"
                raise Fault("an answer is not an object", fix, field="answers")
            numbered = {"target_index": answer["target"]} if "target" in answer else {}
            cells = with_nested({**row, **answer, **numbered})
            # Without the apostrophe that exports put before formulas.
            texts = {k: original(v) for k, v in cells.items() if is_csv and isinstance(v, str)}
            yield line, cells | texts

    return rows_of_records(read_objects(path, is_one_record=True), rows, name=path.name)


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
    names = {**YES_OR_NO, criterion.name: 1, f"not {criterion.name}": 0}
    labels = names if {*values} == {0, 1} else {}
    labels |= {level.label.casefold(): level.value for level in criterion.levels}
    value = labels.get(given.casefold(), _number(given))
    if value not in values:
        known = ", ".join(f"{level.value} ({level.label})" for level in criterion.levels)
        problem = f"{criterion.name} has no such level"
        raise Fault(problem, f"write one of {known}", field="value", value=shortened(given))
    return value
