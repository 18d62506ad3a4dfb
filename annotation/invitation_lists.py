"""A list of people to invite, as a CSV file: read and checked whole before a link is made."""

import csv
import io
import re
from collections.abc import Mapping
from dataclasses import dataclass

from django.core.exceptions import ValidationError
from django.core.validators import validate_email

from annotation.models import Membership

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
        """By what the person is known again: the role, and the address or else the name."""
        return key_of(role=self.role, email=self.email, name=self.name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """What is wrong, where, and what to do."""

    line: int
    field: str
    text: str


class BadList(ValueError):
    """The file cannot be taken: nothing of it is."""

    def __init__(self, problems: list[Problem]) -> None:
        super().__init__(f"{len(problems)} problems in the list")
        self.problems = problems


def key_of(*, role: str, email: str, name: str) -> tuple[str, str]:
    return role, (email or name).strip().casefold()


def read_list(data: bytes) -> list[Row]:
    """The rows of the file; raises `BadList` with everything that is wrong in it."""
    table = csv.reader(io.StringIO(_text(data), newline=""), delimiter=_delimiter(data))
    try:
        header = [cell.strip().casefold() for cell in next(table, [])]
        _check_header(header)
        rows, problems = _rows(table, header)
    except csv.Error as error:
        raise BadList([Problem(line=table.line_num, field="", text=_broken(error))]) from None
    if not rows and not problems:
        problems = [Problem(line=2, field="", text="The list is empty: write a line a person.")]
    problems += _doubles(rows)
    if problems:
        raise BadList(sorted(problems, key=lambda each: each.line))
    return rows


def _text(data: bytes) -> str:
    if len(data) > BYTES_LIMIT:
        text = f"The file is larger than {BYTES_LIMIT // 1_000_000} MB: part it."
        raise BadList([Problem(line=1, field="", text=text)])
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        text = "This is not UTF-8: save the file as “CSV UTF-8”."
        raise BadList([Problem(line=line, field="", text=text)]) from None


def _delimiter(data: bytes) -> str:
    """A comma, or what spreadsheets write where the comma is a decimal sign."""
    header = data.split(b"\n", 1)[0]
    return ";" if header.count(b";") > header.count(b",") else ","


def _check_header(header: list[str]) -> None:
    unknown = [name for name in header if name and name not in COLUMNS]
    text = ""
    if not {"email", "name"} & set(header):
        text = "The first line names the columns: email or name, and role if you like."
    elif unknown:
        text = f"“{unknown[0]}” is no column of this list: take email, name and role only."
    elif len(set(header)) < len(header):
        text = "A column stands there twice: leave one of them out."
    if text:
        raise BadList([Problem(line=1, field="", text=text)])


def _rows(table: "csv._reader", header: list[str]) -> tuple[list[Row], list[Problem]]:
    rows, problems = [], []
    before = table.line_num
    for cells in table:
        line, before = before + 1, table.line_num
        if not any(cell.strip() for cell in cells):
            continue
        if len(rows) >= ROWS_LIMIT:
            text = f"More than {ROWS_LIMIT:,} people: part the list."
            return rows, [*problems, Problem(line=line, field="", text=text)]
        row = _row(line, header, cells, problems)
        rows.append(row)
    return rows, problems


def _row(line: int, header: list[str], cells: list[str], problems: list[Problem]) -> Row:
    if len(cells) > len(header) and any(cell.strip() for cell in cells[len(header) :]):
        text = f"{len(cells)} cells, but {len(header)} columns: put a cell with a comma in quotes."
        problems.append(Problem(line=line, field="", text=text))
    given = dict(zip(header, (cell.strip() for cell in cells), strict=False))
    email, name, role = (given.get(column, "") for column in COLUMNS)
    for column in COLUMNS:
        if CONTROL.search(given.get(column, "")):
            text = "A line break or another invisible sign stands in it: take it out."
            problems.append(Problem(line=line, field=column, text=text))
    if not email and not name:
        problems.append(
            Problem(line=line, field="email", text="Neither an address nor a name: write one.")
        )
    if email and not _is_email(email):
        problems.append(
            Problem(line=line, field="email", text=f"“{email[:100]}” is no e-mail address.")
        )
    if len(name) > 200:
        problems.append(Problem(line=line, field="name", text="Longer than 200 characters."))
    if role.casefold() not in ROLES:
        text = f"“{role[:100]}” is no role here: write rater or adjudicator."
        problems.append(Problem(line=line, field="role", text=text))
    return Row(
        line=line,
        email=email,
        name=name,
        role=ROLES.get(role.casefold(), Membership.Role.ANNOTATOR.value),
    )


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


def _broken(error: csv.Error) -> str:
    return f"The line cannot be read as CSV ({error}): look for a quotation mark left open."
