"""Documents of a folder, a ZIP archive, or one file."""

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Annotated, Any, Unpack

from pydantic import BaseModel, Field

from pipeline.importing.columns import DOCUMENT_FIELDS
from pipeline.importing.fields import NotBlank, Storable, validate
from pipeline.importing.file_shape import Choices, FileShape, marked_encoding, shape_of
from pipeline.importing.inspection import read_rows, read_with_sample, with_columns
from pipeline.importing.limited_process import ProcessFailed
from pipeline.importing.lines import FIX_ENCODING, with_nested
from pipeline.importing.packed_files import (
    PackedFile,
    file_at,
    files_of,
    is_archive,
    refuse_large,
)
from pipeline.importing.records import Records
from pipeline.importing.rows import (
    MAX_DOCUMENT_CHARACTERS,
    MAX_DOCUMENT_ID_CHARACTERS,
    MAX_TITLE_CHARACTERS,
    MAX_URL_CHARACTERS,
    DocumentRow,
    Fault,
    FileNotes,
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
    path: Path, *, notes: FileNotes | None = None, **chosen: Unpack[Choices]
) -> Iterator[DocumentRow | RowError]:
    """Stream each document at `path`, or its error, with one file in memory at a time.

    In a folder (recursive, sorted) or ZIP archive, each .txt, .md or .html file is a document with
    its path as id; others are skipped. Any other file has records of `{"id", "title", "url",
    "text"}` (`docid` in MIRACL's), or what `columns` maps to these fields; without an id, the
    other fields give one. Raises `UnreadableFile`.
    """
    notes, encoding = notes or FileNotes(), chosen.get("encoding", "")
    if not path.exists():
        raise UnreadableFile(f"There is no file or folder {path}: check its name.")
    if path.suffix.lower() in SUFFIXES and not path.is_dir():
        rows = iter(
            [read_file(path.name, partial(file_at(path).read, MAX_FILE_BYTES + 1), encoding)]
        )
    elif path.is_dir() or is_archive(path):
        rows = _packed(path, encoding)
    else:
        rows = read_rows(
            file_at(path),
            chosen,
            notes,
            inspect=_inspect,
            rows_of=lambda shape: lambda line, row: [_row(shape.columns, line, with_nested(row))],
        )
    yield from check_whole_file(
        rows,
        file=path.name,
        most_rows=MAX_FILES,
        empty=Fault("there is no document in it", "give .txt, .md or .html files, a table or JSON"),
        notes=notes,
    )


def inspect_table(path: Path, **chosen: Unpack[Choices]) -> FileShape | None:
    """Detect how a file of many documents is read; None for texts, a folder or an archive.

    Raises `Fault` and `UnreadableFile`.
    """
    if path.is_dir() or path.suffix.lower() in SUFFIXES or is_archive(path):
        return None
    return _inspect(file_at(path), chosen)[0]


def _inspect(file: PackedFile, chosen: Choices) -> tuple[FileShape, Records]:
    shape = shape_of(file, chosen, is_json=True)
    shape, sample, records = read_with_sample(file, shape)
    shape = with_columns(shape, sample, file=file, fields=DOCUMENT_FIELDS, choices=chosen)
    return shape, records


def _packed(path: Path, encoding: str) -> Iterator[DocumentRow | RowError]:
    unpacked = 0
    try:
        with files_of(path) as files:
            for file in files:
                if PurePosixPath(file.name).suffix.lower() not in SUFFIXES:
                    continue
                unpacked += file.unpacked_bytes
                refuse_large(unpacked)
                yield read_file(file.name, partial(file.read, MAX_FILE_BYTES + 1), encoding)
    except Fault as fault:
        yield fault.at(_display_name(path.name))


def read_file(name: str, read: Callable[[], bytes], encoding: str = "") -> DocumentRow | RowError:
    """Read the document of one file; errors shorten `name`."""
    raw = b""
    try:
        raw = read()
        return DocumentRow(line=0, document=_file_document(name, raw, encoding))
    except UnicodeDecodeError as error:
        position = f"byte 0x{raw[error.start]:02X} at offset {error.start}"
        kind = "UTF-8" if error.encoding == "utf-8" else error.encoding
        fault = Fault(f"the file is not {kind} text", FIX_ENCODING, value=position)
        return fault.at(_display_name(name), raw.count(b"\n", 0, error.start) + 1)
    except Fault as fault:
        return fault.at(_display_name(name))


def _file_document(name: str, raw: bytes, encoding: str) -> Document:
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
        text = (
            raw.decode(encoding or marked_encoding(raw))
            .removeprefix("\ufeff")
            .replace("\r\n", "\n")
            .replace("\r", "\n")
        )
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


def _row(columns: Mapping[str, str], line: int, row: Mapping[str, Any]) -> DocumentRow:
    """Raises `Fault`."""
    given = {field: row[column] for field, column in columns.items() if column and column in row}
    given = {key: value for key, value in given.items() if key == "text" or value is not None}
    name = given.get("id")
    if isinstance(name, str | int | float) and not isinstance(name, bool):
        is_whole = isinstance(name, float) and name.is_integer()
        given["id"] = str(int(name) if is_whole else name).strip()
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
    return content_id(hashlib.sha256("\0".join(texts).encode(errors="replace")).hexdigest())


def _checked(given: dict[str, Any], *, names: Mapping[str, str] | None = None) -> Document:
    return Document(**validate(_CorpusDocument, given, fixes=FIXES, names=names).model_dump())


def _display_name(name: str) -> str:
    return shortened(name, limit=MAX_DOCUMENT_ID_CHARACTERS)
