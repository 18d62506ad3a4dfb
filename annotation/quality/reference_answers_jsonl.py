"""Right answers as JSON lines: the whole file is checked before a row of it is taken.

A line names an item by its number in the campaign or by its passage, and says what is right:
`{"item": 12, "use": "gold", "answers": [{"criterion": "attributable", "target": 0, "value": 1,
"why": "…"}]}`. docs/training-and-gold.md has the rules.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeGuard

from django.db import transaction

from annotation.models import Campaign, Item
from annotation.quality.reference_answers import (
    WHY_LIMIT,
    Right,
    TakesNoRightAnswer,
    Target,
    check_answers,
    checkable,
    use_item,
)
from annotation.questionnaires import questionnaire_of
from annotation.questionnaires.types import TargetOutOfRange, UnknownCriterion, UnknownLevel
from pipeline.importing.lines import kind_of, read_objects
from pipeline.importing.rows import Fault, RowError, shortened
from rarrweb.accounts.models import User

LINE_FIELDS = {"item", "passage", "side", "run", "use", "answers"}
ANSWER_FIELDS = {"criterion", "target", "value", "why"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A valid line."""

    item: Item
    use: str
    answers: Mapping[Target, Right]


def check_file(
    path: Path, *, campaign: Campaign, use: str, name: str = ""
) -> tuple[list[Row], list[RowError]]:
    """The rows of a file, and its errors; `use` is for lines that do not name one.

    Raises `UnreadableFile`.
    """
    rows: list[Row] = []
    errors: list[RowError] = []
    seen: dict[int, int] = {}
    name = name or path.name
    for found in read_objects(path, name=name):
        if isinstance(found, RowError):
            errors.append(found)
            continue
        line, plain = found
        try:
            row = _row(plain, campaign, use)
            if first := seen.get(row.item.pk):
                raise _fault("item", None, f"line {first} has this item too", "keep one of them")
        except Fault as fault:
            errors.append(fault.at(name, line))
            continue
        seen[row.item.pk] = line
        rows.append(row)
    if not rows and not errors:
        errors.append(Fault("there is no row in it", "write one a line").at(name))
    return rows, errors


@transaction.atomic
def take(rows: list[Row], *, by: User | None) -> None:
    """Put the item of every row into use, all or none; `by` is None if a command does it."""
    for row in rows:
        use_item(row.item, use=row.use, answers=row.answers, by=by)


def plain_rows(items: Iterator[Item], *, by_run: bool) -> Iterator[dict[str, Any]]:
    """Items in use as lines that `check_file` takes, in another campaign too.

    With `by_run` they name the run, for a passage and a side alone may not identify an item.
    """
    for item in items:
        yield {
            "passage": item.revision.passage.external_id,
            "side": item.side,
            **({"run": item.revision.run_id} if by_run else {}),
            "use": item.use,
            "answers": [
                {
                    "criterion": row.criterion,
                    "target": row.target,
                    "value": row.value,
                    "why": row.why,
                }
                for row in item.right_answers.all()
            ],
        }


def _row(plain: Mapping[str, Any], campaign: Campaign, use: str) -> Row:
    for field in sorted(plain.keys() - LINE_FIELDS):
        fix = f"choose of {', '.join(sorted(LINE_FIELDS))}"
        raise _fault(field, None, "there is no such field", fix)
    use = plain.get("use", use)
    if use not in Item.Use.values:
        raise _fault("use", use, "an item has no such use", 'write "training" or "gold"')
    item = _item(plain, campaign)
    return Row(item=item, use=use, answers=_answers(plain.get("answers"), item))


def _item(plain: Mapping[str, Any], campaign: Campaign) -> Item:
    items = campaign.items.select_related("campaign")
    if "item" in plain:
        number = plain["item"]
        if not _is_whole(number):
            problem = f"the item's number is {kind_of(number)}"
            raise _fault("item", number, problem, "write it as in the list of items: 12")
        found = items.filter(position=number).first()
        if found is None:
            problem = "the campaign has no item of that number"
            raise _fault("item", number, problem, "look it up in the list of items")
        return found
    passage = plain.get("passage")
    if not isinstance(passage, str) or not passage:
        fix = "name the item by its number, or the passage by its id"
        raise _fault("item", None, "no item is named", fix)
    of_passage = items.filter(revision__passage__external_id=passage)
    if "side" in plain:
        of_passage = of_passage.filter(side=str(plain["side"]))
    if "run" in plain:
        number = plain["run"]
        if not _is_whole(number):
            problem = f"the run's number is {kind_of(number)}"
            raise _fault("run", number, problem, "write it as on the campaign's page: 3")
        of_passage = of_passage.filter(revision__run=number)
    matches = list(of_passage[:2])
    if not matches:
        where = f" on the side {plain['side']}" if "side" in plain else ""
        where += f" of run {plain['run']}" if "run" in plain else ""
        problem = f"the campaign has no item of that passage{where}"
        raise _fault("passage", passage, problem, "look up its id in the dataset")
    if len(matches) > 1:
        problem = "the campaign has more than one item of that passage"
        fix = 'say which: "before" or "after"'
        if len({item.revision_id for item in matches}) > 1:
            raise _fault("run", None, problem, "say which by the number of its run")
        raise _fault("side", None, problem, fix)
    return matches[0]


def _answers(plain: Any, item: Item) -> dict[Target, Right]:
    if not isinstance(plain, list) or not plain:
        problem = "there is no right answer" if plain in (None, []) else f"it is {kind_of(plain)}"
        raise _fault("answers", None, problem, "write a list of answers, one a target")
    names = [criterion.name for criterion in checkable(item.campaign)]
    found: dict[Target, Right] = {}
    for place, answer in enumerate(plain):
        field = f"answers[{place}]"
        if not isinstance(answer, dict):
            fix = 'write {"target": 0, "value": 1}'
            raise _fault(field, answer, f"it is {kind_of(answer)}", fix)
        for unknown in sorted(answer.keys() - ANSWER_FIELDS):
            fix = f"choose of {', '.join(sorted(ANSWER_FIELDS))}"
            raise _fault(f"{field}.{unknown}", None, "there is no such field", fix)
        key, right = _answer(answer, field, item, names)
        if key in found:
            raise _fault(field, None, "this target has an answer above", "keep one of them")
        found[key] = right
    return found


def _answer(
    plain: Mapping[str, Any], field: str, item: Item, names: list[str]
) -> tuple[Target, Right]:
    criterion = plain.get("criterion", names[0] if len(names) == 1 else None)
    if criterion not in names:
        known = f"choose one of {', '.join(names)}" if names else "this campaign asks for texts"
        raise _fault(f"{field}.criterion", criterion, "it has no right answer", known)
    target, value, why = plain.get("target", 0), plain.get("value"), plain.get("why", "")
    if not _is_whole(target):
        problem = f"the target is {kind_of(target)}"
        raise _fault(f"{field}.target", target, problem, "count from 0")
    if not _is_whole(value):
        levels = questionnaire_of(item.campaign).criterion(criterion).levels
        known = ", ".join(f"{level.value} ({level.label})" for level in levels)
        problem = "there is no value" if value is None else f"the value is {kind_of(value)}"
        raise _fault(f"{field}.value", value, problem, f"write one of {known}")
    if not isinstance(why, str) or len(why) > WHY_LIMIT:
        fix = f"write a text of at most {WHY_LIMIT:,} characters"
        raise _fault(f"{field}.why", None, "the explanation is no text of that length", fix)
    right = Right(value=value, why=why)
    try:
        check_answers(item, {(criterion, target): right})
    except TargetOutOfRange as error:
        raise _fault(f"{field}.target", target, _problem(error), "count from 0") from None
    except (UnknownLevel, UnknownCriterion, TakesNoRightAnswer) as error:
        fix = "look up the levels in the export's manifest"
        raise _fault(f"{field}.value", value, _problem(error), fix) from None
    return (criterion, target), right


def _fault(field: str, value: object, problem: str, fix: str) -> Fault:
    return Fault(problem, fix, field=field, value="" if value is None else shortened(value))


def _problem(error: Exception) -> str:
    """A sentence of ours, to be used as a part of another."""
    text = str(error).rstrip(".")
    return text[:1].lower() + text[1:]


def _is_whole(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**31
