"""Detection of a file's container, encoding, delimiter and header."""

import codecs
import csv
import io
import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath
from typing import Any, Literal, TypedDict

from pipeline.importing.columns import KNOWN_NAMES, plain_name
from pipeline.importing.json_documents import first_row, holds_records
from pipeline.importing.lines import MAX_LINE_BYTES, UTF_8, read_lines
from pipeline.importing.packed_files import PackedFile
from pipeline.importing.rows import Fault, RowError, UnreadableFile

Container = Literal["jsonl", "json", "csv", "parquet", "text"]
DELIMITERS = ",;\t|"
SAMPLE_LINES = 50
SAMPLE_CHARACTERS = 1_000_000
"""Of each line of the sample."""
ENCODING_BYTES = 50_000
"""To guess an encoding from."""
MAX_NAME_CHARACTERS = 60
"""A longer first cell is data."""
SEPARATOR_LINE = re.compile(r'"?sep=(.)"?\s*', re.IGNORECASE)
"""Excel's first line that names the delimiter."""
_OTHER_KINDS = {
    rb"PK\x03\x04": ("it is a ZIP archive or an office document", "unpack it, or export it as CSV"),
    rb"\x1f\x8b": ("it is compressed by gzip", "unpack it"),
    rb"(?s:.{257})ustar": ("it is a tar archive", "unpack it"),
    rb"%PDF": ("it is a PDF", "convert it to text"),
    rb"SQLite format 3": ("it is a database", "export its rows as CSV or JSON lines"),
    rb"\xd0\xcf\x11\xe0": ("it is an old office document", "export it as CSV"),
    rb"ARROW1|\xff{4}": ("it is an Arrow file", "write it with to_parquet"),
    rb"\x80[\x02-\x05]": ("it is a Python pickle", "write its rows as CSV or JSON lines"),
    rb"version https://git-lfs.github.com/": (
        "this is a Git LFS pointer, not the file",
        "get the file itself with git lfs pull",
    ),
    rb"(?i:<\?xml|<!doctype|<html)": (
        "it is XML or HTML",
        "write its texts as CSV or JSON lines; pages belong into a corpus, as .html",
    ),
    rb"@\w+\s*\{": ("it is BibTeX", "write its texts as CSV or JSON lines"),
    rb"\S+\s+(Q0|0)\s+\S+\s+-?\d+(\s+-?[\d.e-]+\s+\S+)?\s*\n": (
        "it is a TREC run or qrels",
        "choose the file with the texts",
    ),
    rb"- \w+: .*\n +\w+: ": ("it is YAML", "write it as JSON"),
    rb"\{'\w+': ": ("it holds Python dicts, and not JSON", "write them with json.dumps"),
}
"""By a pattern of their first bytes."""
_BYTE_ORDER_MARKS = {
    codecs.BOM_UTF8: UTF_8,
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
"""Longer marks before those that they begin with."""
_COMMENT = re.compile(r"# |##|#[^,;\t|]*$")
_SENTENCE = re.compile(r"[.!?…][\"'”’)\]]*\s*$")


class Choices(TypedDict, total=False):
    """What users choose about a file; the rest is detected or guessed."""

    format: str
    """One of `passages.FORMATS`, or "auto"."""
    columns: Mapping[str, str]
    """Column by field, "" for none."""
    encoding: str
    delimiter: str
    has_header: bool | None
    """Whether the first row of cells names the columns."""
    sources: Sequence[str]
    """Columns of sources, if there are several."""
    ignored: Collection[str]
    """Columns that are not kept."""
    dialog: bool
    """Whether bare lines of a context are the turns of a dialog, as with a record's `turns`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileShape:
    """How a file is read: detected, or chosen."""

    container: Container
    encoding: str = UTF_8
    encoding_is_guessed: bool = False
    newline: str = "\n"
    """A carriage return in files of old spreadsheets."""
    delimiter: str = ""
    """Of a table as text."""
    has_header: bool | None = None
    """Whether the first row of cells names the columns; None if there are no such rows."""
    preamble: int = 0
    """Lines above a table that are not part of it: Excel's `sep=;`, and comments."""
    has_quotes: bool = True
    """False if quotation marks in a table are ordinary characters."""
    format: str = ""
    """One of `passages.FORMATS`; "" if none was recognized, and for documents."""
    columns: dict[str, str] = field(default_factory=dict)
    """Column by field, "" for none; only of formats with columns to choose."""
    sources: tuple[str, ...] = ()
    """All columns of sources, if there are several; the first is in `columns`, too."""
    is_sure: bool = True
    """False if no name tells which column holds the text, or whether any does."""
    json_columns: frozenset[str] = frozenset()
    """Columns whose texts are lists or objects."""
    names: tuple[str, ...] = ()
    """All columns of the first rows."""
    id_columns: tuple[str, ...] = ()
    """Columns with a different value in each of the first rows."""
    unread_texts: tuple[str, ...] = ()
    """Columns of long texts that no field reads; the longest first."""
    long_texts: tuple[str, ...] = ()
    repeated_id: str = ""
    """A column called as an id, of which rows share values."""
    samples: dict[str, list[str]] = field(default_factory=dict)
    """Two values of each column."""

    @property
    def reading(self) -> dict[str, Any]:
        """What users can choose about the whole file, and whether its encoding is a guess."""
        return {
            **({} if self.container == "parquet" else {"encoding": self.encoding}),
            **({"encoding_is_guessed": True} if self.encoding_is_guessed else {}),
            **({"delimiter": self.delimiter} if self.delimiter else {}),
            **({} if self.has_header is None else {"has_header": self.has_header}),
        }

    def lines(self, file: PackedFile) -> Iterator[tuple[int, str] | RowError]:
        return read_lines(file.open(), name=file.name, encoding=self.encoding, newline=self.newline)


def shape_of(
    file: PackedFile,
    chosen: Choices,
    *,
    is_table: bool = False,
    is_json: bool = False,
    is_one_record: bool = False,
) -> FileShape:
    """Detect the shape of a file, except for what is chosen.

    `is_table` and `is_json` decide if the content does not; `is_one_record` reads a single object
    as a record, and not as one that holds records. Raises `Fault`, and `UnreadableFile` for an
    unknown encoding.
    """
    with file.open() as opened:
        head = opened.read(SAMPLE_CHARACTERS)
    if not head:
        raise Fault("the file is empty", "choose another")
    start = head.removeprefix(codecs.BOM_UTF8).lstrip()
    for pattern, (problem, fix) in _OTHER_KINDS.items():
        if re.match(pattern, start):
            raise Fault(problem, fix)
    if head.startswith(b"PAR1"):
        return FileShape(container="parquet")
    if len(chosen.get("delimiter", "")) > 1:
        raise UnreadableFile("A delimiter is one character, such as a comma.")
    is_guessed = False
    if encoding := chosen.get("encoding", ""):
        encoding = _known_encoding(encoding)
        if encoding in {"utf-16", "utf-32"} and marked_encoding(head) != encoding:
            encoding += "-le"  # without a byte order mark
    else:
        encoding, is_guessed = _detect_encoding(file, head)
    newline = "\r" if b"\r" in head and b"\n" not in head else "\n"
    lines = _first_lines(file, encoding, newline)
    suffix = PurePosixPath(file.name).suffix.lower()
    is_table = is_table or suffix in {".csv", ".tsv"}
    container = _container(lines, is_table=is_table, is_json=is_json or "json" in suffix)
    if is_one_record and container == "json" and len(lines) == 1 and lines[0].startswith("{"):
        container = "jsonl"
    shape = FileShape(
        container=container, encoding=encoding, encoding_is_guessed=is_guessed, newline=newline
    )
    if container == "csv":
        preamble = _preamble(lines)
        delimiter, rows = _table(lines, chosen.get("delimiter", ""))
        has_quotes = delimiter != "\t" or _is_quoted(lines[preamble:])
        shape = replace(shape, preamble=preamble, delimiter=delimiter, has_quotes=has_quotes)
    elif not (rows := [[str(cell) for cell in first_row("".join(lines))]])[0]:
        return shape
    has_header = chosen.get("has_header")
    if rows and {*rows[0]} & {*filter(None, (chosen.get("columns") or {}).values())}:
        has_header = True
    return replace(shape, has_header=_is_header(rows) if has_header is None else has_header)


def _known_encoding(name: str) -> str:
    try:
        b"ab".decode(name, "replace")
        known = codecs.lookup(name).name
    except (LookupError, ValueError):
        raise UnreadableFile(
            f"There is no encoding {name!r}: write one such as utf-8, utf-16 or cp1252."
        ) from None
    return UTF_8 if known == "utf-8-sig" else known


def _detect_encoding(file: PackedFile, head: bytes) -> tuple[str, bool]:
    """Return the encoding, and whether it is a guess.

    JSON is UTF-8 by its standard: single lines that are not are errors.
    """
    if (marked := marked_encoding(head)) != UTF_8:
        return marked, False
    lines = wrong = 0
    sample = bytearray()
    with file.open() as opened:
        while len(sample) < ENCODING_BYTES and (line := opened.readline(MAX_LINE_BYTES)):
            lines += 1
            if line.isascii():
                continue
            try:
                line.decode()
            except UnicodeDecodeError:
                wrong += 1
                sample += line[:ENCODING_BYTES]
            else:
                return UTF_8, False
            if len(line) == MAX_LINE_BYTES:
                break
    if not wrong or (head.lstrip()[:1] in {b"{", b"["} and wrong * 2 < lines):
        return UTF_8, False
    return _guess_encoding(bytes(sample)), True


def marked_encoding(head: bytes) -> str:
    """Return UTF-16 or UTF-32 if the bytes show it, else UTF-8.

    >>> marked_encoding("Ribble".encode("utf-16-le")), marked_encoding(b"Ribble")
    ('utf-16-le', 'utf-8')
    """
    for mark, encoding in _BYTE_ORDER_MARKS.items():
        if head.startswith(mark):
            return encoding
    even, odd = head[::2].count(0), head[1::2].count(0)
    if max(even, odd) > max(len(head) / 10, 3) and min(even, odd) * 10 < max(even, odd):
        return "utf-16-le" if odd > even else "utf-16-be"
    return UTF_8


def _guess_encoding(sample: bytes) -> str:
    """Prefer Western European among equally likely encodings."""
    from charset_normalizer import from_bytes

    matches = from_bytes(sample, cp_exclusion=["utf_16", "utf_32"])
    best = matches.best()
    if not best:
        return "cp1252"
    likely = [match for match in matches if match.chaos <= best.chaos]
    known = {name for match in likely for name in match.could_be_from_charset}
    return "cp1252" if "cp1252" in known else best.encoding


def _first_lines(file: PackedFile, encoding: str, newline: str) -> list[str]:
    """Read the first lines that are not blank; long ones are cut."""
    lines: list[str] = []
    with (
        file.open() as opened,
        io.TextIOWrapper(opened, encoding, errors="replace", newline=newline) as text,
    ):
        while len(lines) < SAMPLE_LINES and (line := text.readline(SAMPLE_CHARACTERS)):
            end = line
            while end and not end.endswith(newline):
                end = text.readline(SAMPLE_CHARACTERS)
            if not lines:
                line = line.removeprefix("\ufeff")
            if line.strip():
                lines.append(line)
    return lines


def _container(lines: Sequence[str], *, is_table: bool, is_json: bool) -> Container:
    if not lines:
        return "text"
    first = lines[0].strip()
    is_cut = isinstance(_parsed(first.removesuffix(",")), dict)  # out of a list
    values = [_parsed(line.strip().removesuffix("," if is_cut else "")) for line in lines]
    objects = sum(isinstance(value, dict) for value in values)
    if len(lines) > 1 and objects * 2 >= len(lines):
        return "jsonl"
    if first.startswith("[") and not is_table:
        return "json"
    if first.startswith("{"):
        if len(lines) == 1:
            is_document = isinstance(values[0], dict) and holds_records(values[0])
            return "json" if is_document or len(first) >= SAMPLE_CHARACTERS - 10 else "jsonl"
        goes_on = first[-1] in "{[,:" or (not objects and _parsed(first) is ...)
        return "json" if goes_on else "jsonl"
    if is_table or _is_table(lines):
        return "csv"
    return "jsonl" if is_json or objects else "text"


def _parsed(line: str) -> object:
    """Return the JSON value of a line; None if it is not JSON, `...` if it goes on."""
    try:
        return json.loads(line)
    except json.JSONDecodeError as error:
        return ... if error.pos >= len(line) else None
    except (ValueError, RecursionError):
        return None


def _is_table(lines: Sequence[str]) -> bool:
    delimiter, rows = _table(lines)
    if not rows:
        return False
    if SEPARATOR_LINE.fullmatch(lines[0]) or _has_known_name(rows[0]):
        return True
    widths = [len(row) for row in rows]
    alike = sum(width == widths[0] for width in widths)
    return bool(delimiter) and widths[0] > 1 and len(rows) > 1 and alike * 10 >= len(rows) * 9


def _table(lines: Sequence[str], delimiter: str = "") -> tuple[str, list[list[str]]]:
    """Return the likeliest delimiter, unless one is chosen, and the first rows."""
    if separator := SEPARATOR_LINE.fullmatch(lines[0]):
        delimiter = delimiter or separator[1]
    lines = lines[_preamble(lines) :]
    if delimiter:
        return delimiter, _rows(lines, delimiter)

    def likelihood(delimiter: str) -> tuple[bool, float, int]:
        rows = _rows(lines, delimiter)
        width = len(rows[0]) if rows else 0
        alike = sum(len(row) == width for row in rows) / max(len(rows), 1)
        return width > 1 and _has_known_name(rows[0]), alike if width > 1 else 0.0, width

    delimiter = max(DELIMITERS, key=likelihood)
    return delimiter, _rows(lines, delimiter)


def _preamble(lines: Sequence[str]) -> int:
    """Return the number of first lines that belong to no table.

    >>> _preamble(["# Rivers, of 2026", "id,text"]), _preamble(["#,text", "1,One."])
    (1, 0)
    """
    number = int(bool(lines) and bool(SEPARATOR_LINE.fullmatch(lines[0])))
    while number + 1 < len(lines) and _COMMENT.match(lines[number]):
        number += 1
    return number


def _rows(lines: Sequence[str], delimiter: str) -> list[list[str]]:
    rows: list[list[str]] = []
    with suppress(csv.Error):  # reading gives the error
        rows += csv.reader(lines, delimiter=delimiter)
    return [[cell.strip() for cell in row] for row in rows]


def _is_quoted(lines: Sequence[str]) -> bool:
    """Return whether quotation marks enclose cells of a table with tabs."""
    try:
        list(csv.reader(lines, delimiter="\t", strict=True))
    except csv.Error as error:
        return "unexpected end" in str(error) and len(lines) == SAMPLE_LINES
    return True


def _has_known_name(row: Sequence[str]) -> bool:
    return any(plain_name(cell) in KNOWN_NAMES for cell in row if cell)


def _is_header(rows: Sequence[Sequence[str]]) -> bool:
    """Return whether the first row names the columns.

    >>> _is_header([["r1", "It ends in the sea."]]), _is_header([["Nr", "Antwort"], ["1", "Ja."]])
    (False, True)
    """
    if not rows or _has_known_name(rows[0]):
        return True
    names = [cell for cell in rows[0] if cell]
    are_names = all(
        len(name) <= MAX_NAME_CHARACTERS and not _SENTENCE.search(name) and not _is_number(name)
        for name in names
    )
    return bool(names) and are_names and len({*names}) == len(names)


def _is_number(text: str) -> bool:
    try:
        float(text.replace(",", "."))
    except ValueError:
        return False
    return True
