"""Questions with judged documents in several files: BEIR's data sets, TREC's topics and qrels.

A folder, or a ZIP archive of one, holds questions (`queries.jsonl`, `topics*.tsv`), judgments
(`qrels/*.tsv`, `qrels*`) and documents (`corpus.jsonl`, `docs*.jsonl`). The documents that are
judged relevant to a question become its quotes, the most relevant first. Where there are
judgments, only questions that have been judged are read, with the `split` that the name of their
file tells.
"""

import re
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path, PurePosixPath
from typing import IO, Any

from pipeline.importing.corpus_files import (
    MAX_ARCHIVE_BYTES,
    is_archive,
    read_document,
    refuse_member,
)
from pipeline.importing.lines import lines_of, parse_object
from pipeline.importing.question_rows import read_topic
from pipeline.importing.rows import Fault, PassageRow, RowError, UnreadableFile, shortened

MAX_JUDGMENTS = 2_000_000
"""They, and the texts of relevant documents, are in memory while the questions are read."""
MAX_TEXT_CHARACTERS = 1_000_000_000
"""Of all relevant documents together, each once."""
MAX_QUOTES_CHARACTERS = 16_000_000
"""Of one question, as long as a line of other formats may be."""
SPLITS = ("train", "dev", "test")
RowOf = Callable[[int, dict[str, Any]], PassageRow]


@dataclass(frozen=True, slots=True, kw_only=True)
class _File:
    """One file of the set, wherever it lies."""

    name: str
    """With its folder."""
    open: Callable[[], IO[bytes]]

    @property
    def stem(self) -> str:
        return PurePosixPath(self.name).name.lower()

    @property
    def is_json(self) -> bool:
        return self.stem.endswith((".jsonl", ".json"))

    def lines(self) -> Iterator[tuple[int, str] | RowError]:
        """The lines that are not blank, with their numbers from 1."""
        with self.open() as file:
            for item in lines_of(file, name=shortened(self.name, limit=200)):
                if isinstance(item, RowError) or item[1].strip():
                    yield item


@dataclass(slots=True, kw_only=True)
class _Files:
    questions: list[_File] = field(default_factory=list)
    judgments: list[_File] = field(default_factory=list)
    documents: list[_File] = field(default_factory=list)

    def add(self, file: _File) -> None:
        path = PurePosixPath(file.name.lower())
        if any(part.startswith((".", "__macosx")) for part in path.parts):
            return
        if file.stem.startswith(("queries", "topics")):
            self.questions.append(file)
        elif file.stem.startswith(("corpus", "docs")) and file.is_json:
            self.documents.append(file)
        elif "qrels" in file.stem or "qrels" in path.parts[:-1]:
            self.judgments.append(file)


@dataclass(slots=True, kw_only=True)
class _Judged:
    """The judgments of all files."""

    relevant: dict[str, dict[str, float]] = field(default_factory=dict)
    """By question the documents above 0, with their relevance."""
    split: dict[str, str] = field(default_factory=dict)
    first: dict[str, tuple[str, int]] = field(default_factory=dict)
    """By question the file and the line that judge it first."""
    lines: int = 0

    @property
    def documents(self) -> set[str]:
        return {name for each in self.relevant.values() for name in each}


def is_set(path: Path) -> bool:
    """Whether it is a folder or a ZIP archive with questions in it."""
    try:
        with _opened(path) as files:
            return bool(files.questions)
    except (OSError, Fault, UnreadableFile):
        return False


def read(path: Path, *, row_of: RowOf) -> Iterator[PassageRow | RowError]:
    """A bare question for each that is judged, or for each where there are no judgments.

    `row_of` makes one of a line's number and object. What is wrong of a file is told with it.
    """
    try:
        with _opened(path) as files:
            judged = _Judged()
            for each in files.judgments:
                yield from _read_judgments(each, judged)
            texts: dict[str, dict[str, Any]] = {}
            yield from _read_documents(files.documents, judged, texts)
            yield from _questions(files, judged, texts, row_of)
    except Fault as fault:
        yield fault.at(path.name)


def _questions(
    files: _Files, judged: _Judged, texts: Mapping[str, dict[str, Any]], row_of: RowOf
) -> Iterator[PassageRow | RowError]:
    left = dict(judged.first)
    stored = 0
    for file in files.questions:
        for item in file.lines():
            if isinstance(item, RowError):
                yield item
                continue
            line, text = item
            try:
                row = row_of(line, parse_object(text) if file.is_json else read_topic(text))
                if files.judgments:
                    if not left.pop(row.external_id, None):
                        continue
                    row = _with_quotes(row, judged, texts)
            except Fault as fault:
                yield fault.at(file.name, line)
                continue
            # A document is stored with each question that it is relevant to.
            stored += _size_of(row.source.get("quotes", ()))
            if stored > MAX_ARCHIVE_BYTES:
                problem = f"the quotes hold more than {MAX_ARCHIVE_BYTES // 1_000_000_000} GB"
                raise Fault(problem, "split the questions and their judgments")
            yield row
    for name, (file_name, line) in list(left.items())[:1]:
        yield Fault(
            f"{len(left):,} judged questions are in no file of questions",
            "add the questions, or take the judgments out",
            field="query-id",
            value=shortened(name),
        ).at(file_name, line)


def _with_quotes(
    row: PassageRow, judged: _Judged, texts: Mapping[str, dict[str, Any]]
) -> PassageRow:
    relevant = judged.relevant.get(row.external_id, {})
    best = sorted((name for name in relevant if name in texts), key=lambda name: -relevant[name])
    quotes = [
        {"idx": place, "docid": name, **texts[name]}
        | ({} if relevant[name] == 1 else {"relevance": relevant[name]})
        for place, name in enumerate(best, start=1)
    ]
    if (size := _size_of(quotes)) > MAX_QUOTES_CHARACTERS:
        raise Fault(
            f"its relevant documents have {size:,} characters, at most {MAX_QUOTES_CHARACTERS:,} "
            "are read",
            "cut them into passages, or judge fewer of them relevant",
            field="query-id",
            value=shortened(row.external_id),
        )
    split = judged.split.get(row.external_id)
    source = row.source | ({"quotes": quotes} if quotes else {})
    return replace(row, source=source | ({"split": split} if split else {}))


def _size_of(quotes: Iterable[Mapping[str, Any]]) -> int:
    return sum(len(each["text"]) for each in quotes)


def _read_judgments(file: _File, judged: _Judged) -> Iterator[RowError]:
    split = next((part for part in SPLITS if part in re.split(r"[^a-z]+", file.stem)), "")
    for item in file.lines():
        if isinstance(item, RowError):
            yield item
            continue
        line, text = item
        cells = text.strip().split("\t") if "\t" in text else text.split()
        if line == 1 and len(cells) == 3 and _number(cells[2]) is None:
            continue  # BEIR's first line names the columns
        try:
            question, document, relevance = _judgment([cell.strip() for cell in cells])
        except Fault as fault:
            yield fault.at(file.name, line)
            continue
        judged.first.setdefault(question, (file.name, line))
        if split:
            judged.split.setdefault(question, split)
        if relevance > 0:
            judged.relevant.setdefault(question, {})[document] = relevance
        judged.lines += 1
        if judged.lines > MAX_JUDGMENTS:
            fix = "split the questions and their judgments"
            raise Fault(f"there are more than {MAX_JUDGMENTS:,} judgments", fix)


def _judgment(cells: list[str]) -> tuple[str, str, float]:
    if len(cells) not in (3, 4) or not all(cells):
        raise Fault(
            f"the line has {len(cells)} cells",
            "write the question's id, the document's id and the relevance; TREC's 0 may stand "
            "second",
        )
    relevance = _number(cells[-1])
    if relevance is None:
        problem = "the relevance is no number"
        raise Fault(problem, "write 1 or 0", field="score", value=shortened(cells[-1]))
    return cells[0], cells[-2], relevance


def _number(text: str) -> float | None:
    try:
        found = float(text)
    except ValueError:
        return None
    whole = found == found and abs(found) < 1e9
    return (int(found) if found.is_integer() else found) if whole else None


def _read_documents(
    files: Iterable[_File], judged: _Judged, texts: dict[str, dict[str, Any]]
) -> Iterator[RowError]:
    """Put title and text of the judged documents into `texts`."""
    missing = judged.documents
    held = 0
    for file in files:
        for item in file.lines() if missing else ():
            if isinstance(item, RowError):
                yield item
                continue
            line, text = item
            try:
                row = parse_object(text)
                name = str(next((row[key] for key in ("_id", "docid", "id") if key in row), ""))
                if name not in missing:
                    continue
                document = read_document(line, row).document
            except Fault as fault:
                yield fault.at(file.name, line)
                continue
            missing.discard(name)
            title = {"title": document.title} if document.title else {}
            texts[name] = {"text": document.text, **title}
            held += len(document.text)
            if held > MAX_TEXT_CHARACTERS:
                problem = (
                    f"the relevant documents have more than {MAX_TEXT_CHARACTERS:,} characters"
                )
                raise Fault(problem, "split the questions, their judgments and the documents")
    if missing:
        lost = ((question, name) for question, of in judged.relevant.items()
                for name in of if name in missing)  # fmt: skip
        question, name = next(lost)
        yield Fault(
            f"{len(missing):,} documents that are judged relevant are in no file of documents",
            "add them to corpus.jsonl, or take the judgments out",
            field="corpus-id",
            value=shortened(name),
        ).at(*judged.first[question])


@contextmanager
def _opened(path: Path) -> Iterator[_Files]:
    """The files of a folder or a ZIP archive; none of any other file. Raises `Fault`, `OSError`."""
    files = _Files()
    if path.is_dir():
        for each in sorted(path.rglob("*")):
            if each.is_file():
                name = each.relative_to(path).as_posix()
                files.add(_File(name=name, open=partial(_file, each)))
        yield files
        return
    if not is_archive(path):
        yield files
        return
    damaged = Fault("the ZIP archive is damaged", "pack it again, as an ordinary ZIP")
    try:
        archive = zipfile.ZipFile(path)
    except Exception:  # noqa: BLE001 - zipfile does not document all that it raises
        raise damaged from None
    with archive:
        members = sorted(archive.infolist(), key=lambda info: info.filename)
        if sum(info.file_size for info in members) > MAX_ARCHIVE_BYTES:
            problem = f"the archive holds more than {MAX_ARCHIVE_BYTES // 1_000_000_000} GB"
            raise Fault(problem, "split it into several archives")
        for info in members:
            if not info.filename.endswith("/"):
                files.add(_File(name=info.filename, open=partial(_member, archive, info)))
        try:
            yield files
        except (zipfile.BadZipFile, zlib.error, EOFError):
            raise damaged from None


def _file(path: Path) -> IO[bytes]:
    return path.open("rb")


def _member(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> IO[bytes]:
    """A file of the archive, read in place. Raises `Fault`."""
    refuse_member(info)
    try:
        return archive.open(info)
    except Exception:  # noqa: BLE001 - zipfile does not document all that it raises
        raise Fault("a file cannot be unpacked", "pack the archive again") from None
