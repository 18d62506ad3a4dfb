"""A list of people to invite, as a CSV file: all of it is checked before a link is made."""

import csv
import io
import re
from _csv import Reader
from collections.abc import Mapping
from dataclasses import dataclass

from django.core.exceptions import ValidationError
from django.core.validators import validate_email

from annotation.models import Membership
from pipeline.importing.csv_table import broken_row
from rarrweb.accounts.names import username_key
from rarrweb.names import name_error

ROWS_LIMIT = 2_000
BYTES_LIMIT = 1_000_000
PROBLEMS_SHOWN = 50
COLUMNS = ("email", "name", "role")
ROLES: Mapping[str, str] = {
    "": Membership.Role.ANNOTATOR.value,
    "rater": Membership.Role.ANNOTATOR.value,
    "annotator": Membership.Role.ANNOTATOR.value,
    "adjudicator": Membership.Role.ADJUDICATOR.value,
}
CONTROL = re.compile(r"[\x00-\x1f\x7f]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One person of the list."""

    line: int
    """Where it begins in the file, from 1."""
    email: str
    name: str
    role: str

    @property
    def key(self) -> tuple[str, str]:
        """What identifies the person: the role, and the address or else the name."""
        return key_of(role=self.role, email=self.email, name=self.name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """What is wrong, where, and what to do."""

    line: int
    field: str
    text: str


class BadList(ValueError):
    """The file has problems, so nothing of it is taken."""

    def __init__(self, problems: list[Problem]) -> None:
        super().__init__(f"{len(problems)} problems in the list")
        self.problems = problems


def key_of(*, role: str, email: str, name: str) -> tuple[str, str]:
    return role, username_key(email or name)


def read_list(data: bytes) -> list[Row]:
    """The rows of the file; raises `BadList` with everything that is wrong in it."""
    text = io.StringIO(_text(data), newline="")
    # Strict: else a quotation mark that is never closed swallows the people below it in silence.
    table = csv.reader(text, delimiter=_delimiter(data), strict=True)
    try:
        header = [cell.strip().casefold() for cell in next(table, [])]
    except csv.Error as error:
        raise BadList([_whole(1, _broken(error))]) from None
    _check_header(header)
    rows, problems = _rows(table, header)
    if not rows and not problems:
        problems = [_whole(2, "The list is empty: write a line a person.")]
    problems += _doubles(rows)
    if problems:
        raise BadList(sorted(problems, key=lambda each: each.line))
    return rows


def _text(data: bytes) -> str:
    if len(data) > BYTES_LIMIT:
        text = f"The file is larger than {BYTES_LIMIT // 1_000_000} MB: part it."
        raise BadList([_whole(1, text)])
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        text = "This is not UTF-8: save the file as “CSV UTF-8”."
        raise BadList([_whole(line, text)]) from None


def _delimiter(data: bytes) -> str:
    """A comma, or the semicolon of spreadsheets whose decimal sign is a comma."""
    header = data.split(b"\n", 1)[0]
    return ";" if header.count(b";") > header.count(b",") else ","


def _check_header(header: list[str]) -> None:
    unknown = [name for name in header if name and name not in COLUMNS]
    text = ""
    if not {"email", "name"} & set(header):
        text = "The first line names the columns: email or name, and role if you like."
    elif unknown:
        text = f"“{unknown[0][:100]}” is no column of this list: take email, name and role only."
    elif len(set(header)) < len(header):
        text = "A column stands there twice: leave one of them out."
    if text:
        raise BadList([_whole(1, text)])


def _rows(table: Reader, header: list[str]) -> tuple[list[Row], list[Problem]]:
    rows: list[Row] = []
    problems: list[Problem] = []
    while True:
        line = table.line_num + 1
        try:
            cells = next(table)
        except StopIteration:
            return rows, problems
        except csv.Error as error:
            return rows, [*problems, _whole(line, _broken(error))]
        if not any(cell.strip() for cell in cells):
            continue
        if len(rows) >= ROWS_LIMIT:
            text = f"More than {ROWS_LIMIT:,} people: part the list."
            return rows, [*problems, _whole(line, text)]
        rows.append(_row(line, header, cells, problems))


def _row(line: int, header: list[str], cells: list[str], problems: list[Problem]) -> Row:
    given = dict(zip(header, (cell.strip() for cell in cells), strict=False))
    email, name, role = (given.get(column, "") for column in COLUMNS)
    found: list[tuple[str, str]] = []
    if any(cell.strip() for cell in cells[len(header) :]):
        text = f"{len(cells)} cells, but {len(header)} columns: put a cell with a comma in quotes."
        found.append(("", text))
    for column in COLUMNS:
        if CONTROL.search(given.get(column, "")):
            text = "A line break or another invisible sign stands in it: take it out."
            found.append((column, text))
    if not email and not name:
        found.append(("email", "Neither an address nor a name: write one."))
    if email and not _is_email(email):
        found.append(("email", f"“{email[:100]}” is no e-mail address."))
    if name and not CONTROL.search(name) and (error := name_error(name)):
        found.append(("name", error))
    if len(name) > 200:
        found.append(("name", "Longer than 200 characters."))
    if role.casefold() not in ROLES:
        found.append(("role", f"“{role[:100]}” is no role here: write rater or adjudicator."))
    problems += [Problem(line=line, field=field, text=text) for field, text in found]
    return Row(line=line, email=email, name=name, role=ROLES.get(role.casefold(), ROLES[""]))


def _doubles(rows: list[Row]) -> list[Problem]:
    first: dict[tuple[str, str], Row] = {}
    problems = []
    for row in rows:
        known = first.setdefault(row.key, row)
        if known is not row and row.key[1]:
            field = "email" if row.email else "name"
            text = f"The same as in line {known.line}: take one of them out" + (
                "." if row.email else ", or tell them apart by an address or a number."
            )
            problems.append(Problem(line=row.line, field=field, text=text))
    return problems


def _is_email(text: str) -> bool:
    try:
        validate_email(text)
    except ValidationError:
        return False
    return True


def _whole(line: int, text: str) -> Problem:
    return Problem(line=line, field="", text=text)


def _broken(error: csv.Error) -> str:
    problem, fix = broken_row(error)
    return f"From here it cannot be read: {problem}; {fix}."
