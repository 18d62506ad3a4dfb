"""Documents of a folder, a ZIP archive, or one file."""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import Annotated, Any

from pydantic import BaseModel, Field

from pipeline.importing import csv_table
from pipeline.importing.fields import NotBlank, Storable, validate
from pipeline.importing.limited_process import ProcessFailed
from pipeline.importing.lines import read_lines, read_rows, with_nested
from pipeline.importing.packed_files import file_at, files_of, is_archive, refuse_large
from pipeline.importing.rows import (
    DOCUMENT_COLUMNS,
    MAX_DOCUMENT_CHARACTERS,
    MAX_DOCUMENT_ID_CHARACTERS,
    MAX_TITLE_CHARACTERS,
    MAX_URL_CHARACTERS,
    DocumentRow,
    Fault,
    RowError,
    UnreadableFile,
    check_whole_file,
    content_id,
    displayed_fields,
    shortened,
)
from pipeline.rarr.errors import RarrError
from pipeline.rarr.types import Document

SUFFIXES = {".txt", ".md", ".markdown", ".html", ".htm"}
MAX_FILE_BYTES = 20_000_000
"""Of one .txt, .md or .html file; markup is much longer than its text."""
MAX_FILES = 1_000_000
_HEADING = re.compile(r"^#{1,6}[ \t]+(\S.*)$", re.MULTILINE)


def read_documents(path: Path) -> Iterator[Document]:
    """Read all documents; raises `RarrError` with the first error."""
    for item in read_corpus(path):
        if isinstance(item, RowError):
            raise RarrError(str(item))
        yield item.document


def read_corpus(
    path: Path, *, columns: Mapping[str, str] | None = None
) -> Iterator[DocumentRow | RowError]:
    """Stream each document at `path`, or its error, with one file in memory at a time.

    In a folder (recursive, sorted) or ZIP archive, each .txt, .md or .html file is a document with
    its path as id; others are skipped. Any other file is CSV or JSON lines of `{"id", "title",
    "url", "text"}` (`docid` in MIRACL's), or what `columns` maps to these fields; without an id,
    the other fields give one. Raises `UnreadableFile`.
    """
    if not path.exists():
        raise UnreadableFile(f"There is no file or folder {path}: check its name.")
    if path.suffix.lower() in SUFFIXES and not path.is_dir():
        rows = iter([read_file(path.name, partial(file_at(path).read, MAX_FILE_BYTES + 1))])
    elif path.is_dir() or is_archive(path):
        rows = _packed(path)
    elif table_format(path) == "csv":
        columns = columns or DOCUMENT_COLUMNS
        known = [*filter(None, columns.values())]
        rows = csv_table.read_table(path, partial(_row, columns), text=columns["text"], known=known)
    else:
        rows = read_rows(path, lambda line, row: [_line_document(line, with_nested(row), columns)])
    yield from check_whole_file(
        rows,
        file=path.name,
        most_rows=MAX_FILES,
        empty=Fault(
            "there is no document in it", "give .txt, .md or .html files, CSV or JSON lines"
        ),
    )


def table_format(path: Path) -> str:
    """Return "csv" or "jsonl" for a file of many documents, "" for any other."""
    if path.is_dir() or path.suffix.lower() in SUFFIXES or is_archive(path):
        return ""
    if path.suffix.lower() in {".csv", ".tsv"}:
        return "csv"
    for item in islice(read_lines(path), 50):
        if isinstance(item, RowError):
            return "jsonl"
        if first := item[1].strip():
            names = csv_table.column_names(first)
            return "csv" if not first.startswith(("{", "[")) and "text" in names else "jsonl"
    return "jsonl"


def _packed(path: Path) -> Iterator[DocumentRow | RowError]:
    unpacked = 0
    try:
        with files_of(path) as files:
            for file in files:
                if PurePosixPath(file.name).suffix.lower() not in SUFFIXES:
                    continue
                unpacked += file.unpacked_bytes
                refuse_large(unpacked)
                yield read_file(file.name, partial(file.read, MAX_FILE_BYTES + 1))
    except Fault as fault:
        yield fault.at(_display_name(path.name))


def read_file(name: str, read: Callable[[], bytes]) -> DocumentRow | RowError:
    """Read the document of one file; errors shorten `name`."""
    raw = b""
    try:
        raw = read()
        return DocumentRow(line=0, document=_file_document(name, raw))
    except UnicodeDecodeError as error:
        position = f"byte 0x{raw[error.start]:02X} at offset {error.start}"
        fault = Fault("the file is not UTF-8 text", "save it as UTF-8", value=position)
        return fault.at(_display_name(name), raw.count(b"\n", 0, error.start) + 1)
    except Fault as fault:
        return fault.at(_display_name(name))


def _file_document(name: str, raw: bytes) -> Document:
    """Raises `Fault` and `UnicodeDecodeError`."""
    if len(raw) > MAX_FILE_BYTES:
        problem = f"the file is larger than {MAX_FILE_BYTES // 1_000_000} MB"
        raise Fault(problem, "split it into several files")
    if not raw.strip():
        raise Fault("the file is empty", "write its text, or take it out")
    path = PurePosixPath(name)
    stem = path.stem.replace("_", " ").replace("-", " ").strip()
    if path.suffix.lower() in {".html", ".htm"}:
        # trafilatura takes a second to import.
        from pipeline.importing.html_text import MOST_TAGS, read_page

        if raw.count(b"<") > MOST_TAGS:
            raise Fault(f"the page has more than {MOST_TAGS:,} tags", "split it into several files")
        try:
            page = read_page(raw)
        except ProcessFailed as failure:
            raise Fault(str(failure), "split it into several files, or save it as .txt") from None
        title, url, text = page.title or stem, page.url, page.text
        if not text.strip():
            raise Fault("the page has no readable text", "take it out")
    else:
        text = raw.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
        if path.suffix.lower() != ".txt":
            text = _markdown(text)
        heading = _HEADING.search(text)
        title, url = (heading[1].rstrip("#").rstrip() if heading else "") or stem, ""
    return _checked(
        {
            "id": name,
            "title": title[:MAX_TITLE_CHARACTERS],
            "url": url[:MAX_URL_CHARACTERS],
            "text": text.strip(),
        }
    )


def _markdown(text: str) -> str:
    """Remove front matter; only headings keep a leading `#`."""
    lines = text.split("\n")
    if lines[0].rstrip() == "---":
        end = next((i for i, line in enumerate(lines[1:200], 1) if line.rstrip() == "---"), 0)
        lines = lines[end + 1 :] if end else lines
    out: list[str] = []
    in_code = False
    for line in lines:
        if line.lstrip().startswith(("```", "~~~")):
            in_code = not in_code
        is_underline = len(line.strip()) >= 2 and set(line.strip()) in ({"="}, {"-"})
        if in_code:
            out.append(f" {line}" if line.startswith("#") else line)
        elif is_underline and out and out[-1].strip() and not out[-1].startswith(("#", "-", "|")):
            out[-1] = f"{'#' if line.strip()[0] == '=' else '##'} {out[-1].strip()}"
        else:
            out.append(line)
    return "\n".join(out)


class _CorpusDocument(BaseModel):
    id: Annotated[str, Field(max_length=MAX_DOCUMENT_ID_CHARACTERS), Storable, NotBlank]
    title: Annotated[str, Field(max_length=MAX_TITLE_CHARACTERS), Storable] = ""
    url: Annotated[str, Field(max_length=MAX_URL_CHARACTERS), Storable] = ""
    text: Annotated[str, Field(max_length=MAX_DOCUMENT_CHARACTERS), Storable, NotBlank]


LINE_FIX = 'write {"id": "…", "title": "…", "url": "…", "text": "…"}'
FIXES = {
    "missing": LINE_FIX,
    "string_type": LINE_FIX,
    "text.string_too_long": "split the document",
    "string_too_long": "write a shorter one",
    "blank": "write it, or take the document out",
}


def _line_document(
    line: int, row: Mapping[str, Any], columns: Mapping[str, str] | None
) -> DocumentRow:
    if columns:
        return _row(columns, line, row)
    name = "docid" if "docid" in row and "id" not in row else "id"
    return _row({**DOCUMENT_COLUMNS, "id": name}, line, row)


def _row(columns: Mapping[str, str], line: int, row: Mapping[str, Any]) -> DocumentRow:
    """Raises `Fault`."""
    given = {field: row[column] for field, column in columns.items() if column and column in row}
    given = {key: value for key, value in given.items() if key == "text" or value is not None}
    name = given.get("id")
    if isinstance(name, str | int) and not isinstance(name, bool):
        given["id"] = str(name).strip()
    try:
        if not columns["id"]:
            given["id"] = _content_id(given)
        document = _checked(given, names={field: name for field, name in columns.items() if name})
    except Fault as fault:
        fault.row = displayed_fields(given)
        raise
    return DocumentRow(line=line, document=document)


def _content_id(content: Mapping[str, Any]) -> str:
    texts = [str(content.get(field) or "") for field in ("text", "title", "url")]
    return content_id(texts[0], "\n".join(texts[1:]))


def _checked(given: dict[str, Any], *, names: Mapping[str, str] | None = None) -> Document:
    return Document(**validate(_CorpusDocument, given, fixes=FIXES, names=names).model_dump())


def _display_name(name: str) -> str:
    return shortened(name, limit=MAX_DOCUMENT_ID_CHARACTERS)
