"""Documents of a corpus out of a folder, a ZIP archive, one file, or JSON lines."""

import hashlib
import re
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import IO, Any

from pipeline.importing.lines import bad_character, check_readable, kind_of, read_objects
from pipeline.importing.rows import (
    MAX_DOCUMENT_CHARACTERS,
    MAX_DOCUMENT_ID_CHARACTERS,
    MAX_TITLE_CHARACTERS,
    MAX_URL_CHARACTERS,
    DocumentRow,
    RowError,
    UnreadableFile,
    shortened,
)
from pipeline.rarr.types import Document, RarrError

SUFFIXES = {".txt", ".md", ".markdown", ".html", ".htm"}
HTML_SUFFIXES = {".html", ".htm"}
MAX_FILE_BYTES = 20_000_000
"""One .txt, .md or .html file; a page's markup is much longer than its text."""
MAX_ARCHIVE_BYTES = 8_000_000_000
"""What the files of a ZIP archive may come to, unpacked."""
MAX_FILES = 1_000_000
_HEADING = re.compile(r"^#{1,6}[ \t]+(\S.*?)[ \t]*#*$", re.MULTILINE)


def read_documents(path: Path) -> Iterator[Document]:
    """The documents at `path`, for a reader that cannot go on without one of them.

    Raises `RarrError` with the sentence of the first row that is not right.
    """
    for item in read_corpus(path):
        if isinstance(item, RowError):
            raise RarrError(str(item))
        yield item.document


def read_corpus(path: Path) -> Iterator[DocumentRow | RowError]:
    """Each document at `path`, or why it is none; streamed, one file in memory at a time.

    A folder (with its sub-folders, in the order of their names) or a .zip gives a document a
    .txt, .md or .html file, whose id is its path inside; other files are passed over. Any
    other file is read as JSON lines of `{"id", "title", "url", "text"}`. Raises
    `UnreadableFile`.
    """
    if path.is_dir():
        rows = _folder(path)
    elif not path.exists():
        raise UnreadableFile(f"There is no file or folder {path}: check its name.")
    elif path.suffix.lower() in SUFFIXES:
        rows = iter([_read_one(path, name=path.name)])
    elif _is_archive(path):
        rows = _archive(path)
    else:
        rows = (_json_row(item, file=path.name) for item in read_objects(path))
    yield from _unique(rows, file=path.name)


def content_hash(document: Document) -> str:
    """SHA-256 of all that a document says but its id."""
    parts = f"{document.title}\0{document.url}\0{document.text}"
    return hashlib.sha256(parts.encode()).hexdigest()


def _unique(
    rows: Iterable[DocumentRow | RowError], *, file: str
) -> Iterator[DocumentRow | RowError]:
    seen: dict[int, int] = {}
    empty = True
    for item in rows:
        empty = False
        if isinstance(item, RowError):
            yield item
            continue
        name = item.document.id.encode()
        key = int.from_bytes(hashlib.blake2b(name, digest_size=8).digest())
        if key in seen:
            yield RowError(
                file=file,
                line=item.line,
                field="id",
                value=shortened(item.document.id),
                problem=f"line {seen[key]} has the same id"
                if item.line
                else "the name comes twice",
                fix="give each document an id of its own",
            )
            continue
        if len(seen) >= MAX_FILES:
            yield RowError(
                file=file,
                line=item.line,
                problem=f"there are more than {MAX_FILES:,} documents",
                fix="split them into several corpora",
            )
            return
        seen[key] = item.line
        yield item
    if empty:
        yield RowError(
            file=file,
            line=0,
            problem="there is no document in it",
            fix="give .txt, .md or .html files, or JSON lines",
        )


def _folder(folder: Path) -> Iterator[DocumentRow | RowError]:
    # rglob does not follow links to folders, so a loop of links ends.
    files = sorted(
        path
        for path in folder.rglob("*")
        if path.suffix.lower() in SUFFIXES and path.is_file() and not _is_hidden(path, folder)
    )
    for path in files:
        yield _read_one(path, name=path.relative_to(folder).as_posix())


def _is_hidden(path: Path, folder: Path) -> bool:
    return any(part.startswith(".") for part in path.relative_to(folder).parts)


def _read_one(path: Path, *, name: str) -> DocumentRow | RowError:
    try:
        with path.open("rb") as file:
            return _file_row(name, file)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        return _error(name, f"the file cannot be read: {reason}", "check its permissions")


def _is_archive(path: Path) -> bool:
    check_readable(path)
    with path.open("rb") as file:
        return file.read(4) in {b"PK\x03\x04", b"PK\x05\x06"}


def _archive(path: Path) -> Iterator[DocumentRow | RowError]:
    """The archive's files, read in place: nothing is unpacked, so no name can lead astray."""
    left = MAX_ARCHIVE_BYTES
    try:
        opened = zipfile.ZipFile(path)
    except (zipfile.BadZipFile, OSError, ValueError):
        yield _error(path.name, "the ZIP archive is damaged", "pack it again")
        return
    with opened as archive:
        for info in sorted(archive.infolist(), key=lambda info: info.filename):
            pure = PurePosixPath(info.filename.replace("\\", "/"))
            if info.is_dir() or pure.suffix.lower() not in SUFFIXES:
                continue
            parts = [part for part in pure.parts if part not in {"/", ".."}]
            if not parts or any(part.startswith(".") for part in parts) or "__MACOSX" in parts:
                continue
            name = "/".join(parts)
            left -= info.file_size
            if left < 0:
                yield _error(
                    path.name,
                    f"the archive holds more than {MAX_ARCHIVE_BYTES // 1_000_000_000} GB",
                    "split it into several archives",
                )
                return
            try:
                with archive.open(info) as file:
                    yield _file_row(name, file)
            except (zipfile.BadZipFile, zlib.error, RuntimeError, EOFError, OSError):
                # Damaged, encrypted, or packed in a way that Python does not know.
                yield _error(name, "the file cannot be unpacked", "pack the archive again, as ZIP")


def _file_row(name: str, file: IO[bytes]) -> DocumentRow | RowError:
    raw = file.read(MAX_FILE_BYTES + 1)
    if len(raw) > MAX_FILE_BYTES:
        limit = f"{MAX_FILE_BYTES // 1_000_000} MB"
        return _error(name, f"the file is larger than {limit}", "split it into several files")
    if not raw.strip():
        return _error(name, "the file is empty", "write its text, or take it out")
    suffix = PurePosixPath(name).suffix.lower()
    stem = PurePosixPath(name).stem.replace("_", " ").replace("-", " ").strip()
    if suffix in HTML_SUFFIXES:
        # trafilatura takes a second to import, and most corpora have no page in them.
        from pipeline.importing.html_text import read_page

        page = read_page(raw)
        title, url, text = page.title or stem, page.url, page.text
        if not text.strip():
            return _error(name, "the page has no readable text", "take it out")
    else:
        try:
            text = raw.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            return RowError(
                file=name,
                line=raw.count(b"\n", 0, error.start) + 1,
                value=f"byte 0x{raw[error.start]:02X} at offset {error.start}",
                problem="the file is not UTF-8 text",
                fix="save it as UTF-8",
            )
        text = text.replace("\r\n", "\n").replace("\r", "\n")
        if suffix != ".txt":
            text = _markdown(text)
        heading = _HEADING.search(text)
        title, url = (heading[1] if heading else stem), ""
    document = Document(
        id=name,
        title=title[:MAX_TITLE_CHARACTERS],
        url=url[:MAX_URL_CHARACTERS],
        text=text.strip(),
    )
    return _checked(document, file=name, line=0)


def _markdown(text: str) -> str:
    """Markdown with its front matter off, and every heading, but nothing else, a `#` line."""
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


def _json_row(item: tuple[int, dict[str, Any]] | RowError, *, file: str) -> DocumentRow | RowError:
    if isinstance(item, RowError):
        return item
    line, row = item
    name = row.get("id")
    if isinstance(name, int) and not isinstance(name, bool):
        name = str(name)
    given = {"id": name, **{key: row.get(key) for key in ("title", "url", "text")}}
    values: dict[str, str] = {}
    for field, value in given.items():
        if isinstance(value, str):
            values[field] = value.strip() if field == "id" else value
        elif value is None and field in {"title", "url"}:
            values[field] = ""
        else:
            missing = field not in row
            return RowError(
                file=file,
                line=line,
                field=field,
                value="" if missing else shortened(value),
                problem=f"there is no {field}" if missing else f"{field} is {kind_of(value)}",
                fix='write {"id": "…", "title": "…", "url": "…", "text": "…"}',
            )
    return _checked(Document(**values), file=file, line=line)


def _checked(document: Document, *, file: str, line: int) -> DocumentRow | RowError:
    def error(field: str, problem: str, fix: str, value: str = "") -> RowError:
        return RowError(
            file=file, line=line, field=field, value=shortened(value), problem=problem, fix=fix
        )

    limits = {
        "id": MAX_DOCUMENT_ID_CHARACTERS,
        "title": MAX_TITLE_CHARACTERS,
        "url": MAX_URL_CHARACTERS,
        "text": MAX_DOCUMENT_CHARACTERS,
    }
    for field, limit in limits.items():
        value: str = getattr(document, field)
        if len(value) > limit:
            return error(
                field,
                f"{field} has {len(value):,} characters, the limit is {limit:,}",
                "split the document" if field == "text" else "write a shorter one",
                value,
            )
        if fault := bad_character(value):
            return error(field, *fault)
    for field in ("id", "text"):
        if not getattr(document, field).strip():
            return error(field, f"{field} is empty", "write it, or take the document out")
    return DocumentRow(line=line, document=document)


def _error(name: str, problem: str, fix: str) -> RowError:
    return RowError(file=name, line=0, problem=problem, fix=fix)
