"""Questions with judged documents in several files: BEIR's data sets, TREC's topics and qrels.

A folder, or a ZIP archive of one, holds questions (`queries.jsonl`, `topics*.tsv`), judgments
(`qrels/*.tsv`, `qrels*`) and documents (`corpus.jsonl`, `docs*.jsonl`). The documents that are
judged relevant to a question become its quotes, the most relevant first. Where there are
judgments, only questions that have been judged are read, with the `split` that the name of their
file tells.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any

from pipeline.importing.corpus_files import read_document
from pipeline.importing.lines import parse_object, rows_of_lines
from pipeline.importing.packed_files import (
    MAX_ARCHIVE_BYTES,
    PackedFile,
    files_of,
    is_archive,
    refuse_large,
)
from pipeline.importing.question_rows import bare_question, read_topic
from pipeline.importing.rows import Fault, PassageRow, RowError, UnreadableFile, shortened
from pipeline.rarr.types import Document

MAX_JUDGMENTS = 2_000_000
"""They, and the texts of relevant documents, are in memory while the questions are read."""
MAX_TEXT_CHARACTERS = 1_000_000_000
"""Of all relevant documents together, each once."""
MAX_QUOTES_CHARACTERS = 16_000_000
"""Of one question, as long as a line of other formats may be."""
SPLITS = ("train", "dev", "test")
KINDS = ("judgments", "documents", "questions")
Parse = Callable[[str], dict[str, Any]]


def is_set(path: Path) -> bool:
    """Whether it is a folder or a ZIP archive with questions in it."""
    try:
        if not (path.is_dir() or is_archive(path)):
            return False
        with files_of(path) as files:
            return any(_kind(each) == "questions" for each in files)
    except (OSError, Fault, UnreadableFile):
        return False


def read(path: Path) -> Iterator[PassageRow | RowError]:
    """A bare question for each that is judged, or for each where there are no judgments.

    What is wrong of a file is told with it.
    """
    try:
        with files_of(path) as files:
            refuse_large(sum(each.unpacked_bytes for each in files))
            kinds = {kind: [each for each in files if _kind(each) == kind] for kind in KINDS}
            judged = _Judged()
            yield from judged.read_judgments(kinds["judgments"])
            yield from judged.read_documents(kinds["documents"])
            yield from judged.read_questions(kinds["questions"], every=not kinds["judgments"])
    except Fault as fault:
        yield fault.at(path.name)


def _kind(file: PackedFile) -> str:
    path = PurePosixPath(file.name.lower())
    if path.name.startswith(("queries", "topics")):
        return "questions"
    if path.name.startswith(("corpus", "docs")) and _is_json(file):
        return "documents"
    return "judgments" if "qrels" in path.name or "qrels" in path.parts[:-1] else ""


def _is_json(file: PackedFile) -> bool:
    return file.name.lower().endswith((".jsonl", ".json"))


@dataclass(slots=True, kw_only=True)
class _Judged:
    """The judgments of all files, and the texts of the documents that they find relevant."""

    relevant: dict[str, dict[str, float]] = field(default_factory=dict)
    """By question the documents above 0, with their relevance."""
    split: dict[str, str] = field(default_factory=dict)
    first: dict[str, tuple[str, int]] = field(default_factory=dict)
    """By question the file and the line that judge it first."""
    texts: dict[str, dict[str, str]] = field(default_factory=dict)
    """By document its text, and its title where it has one."""

    def read_judgments(self, files: Iterable[PackedFile]) -> Iterator[RowError]:
        judgments = 0
        for file in files:
            words = re.split(r"[^a-z]+", PurePosixPath(file.name).name.lower())
            split = next((part for part in SPLITS if part in words), "")
            for item in rows_of_lines(file.lines(), _judgment, name=file.shown):
                if isinstance(item, RowError):
                    yield item
                    continue
                line, question, document, relevance = item
                self.first.setdefault(question, (file.shown, line))
                if split:
                    self.split.setdefault(question, split)
                if relevance > 0:
                    self.relevant.setdefault(question, {})[document] = relevance
                judgments += 1
                if judgments > MAX_JUDGMENTS:
                    fix = "split the questions and their judgments"
                    raise Fault(f"there are more than {MAX_JUDGMENTS:,} judgments", fix)

    def read_documents(self, files: Iterable[PackedFile]) -> Iterator[RowError]:
        missing = {name for each in self.relevant.values() for name in each}
        held = 0

        def relevant(line: int, text: str) -> Iterator[tuple[str, Document]]:
            row = parse_object(text)
            name = str(next((row[key] for key in ("_id", "docid", "id") if key in row), ""))
            if name in missing:
                yield name, read_document(line, row).document

        for file in files if missing else ():
            for item in rows_of_lines(file.lines(), relevant, name=file.shown):
                if isinstance(item, RowError):
                    yield item
                    continue
                name, document = item
                missing.discard(name)
                title = {"title": document.title} if document.title else {}
                self.texts[name] = {"text": document.text, **title}
                held += len(document.text)
                if held > MAX_TEXT_CHARACTERS:
                    raise Fault(
                        f"the relevant documents have more than {MAX_TEXT_CHARACTERS:,} characters",
                        "split the questions, their judgments and the documents",
                    )
        if missing:
            question, name = next(
                (question, name)
                for question, documents in self.relevant.items()
                for name in documents
                if name in missing
            )
            yield Fault(
                f"{len(missing):,} documents that are judged relevant are in no file of documents",
                "add them to corpus.jsonl, or take the judgments out",
                field="corpus-id",
                value=shortened(name),
            ).at(*self.first[question])

    def read_questions(
        self, files: Iterable[PackedFile], *, every: bool
    ) -> Iterator[PassageRow | RowError]:
        left = dict(self.first)
        stored = 0

        def judged(parse: Parse, line: int, text: str) -> Iterator[PassageRow]:
            row = bare_question(line, parse(text))
            if every:
                yield row
            elif left.pop(row.external_id, None):
                yield self._with_quotes(row)

        for file in files:
            rows_of = partial(judged, parse_object if _is_json(file) else read_topic)
            for item in rows_of_lines(file.lines(), rows_of, name=file.shown):
                if isinstance(item, PassageRow):
                    # A document is stored with each question that it is relevant to.
                    stored += _size_of(item.source.get("quotes", ()))
                    if stored > MAX_ARCHIVE_BYTES:
                        problem = f"the quotes hold more than {MAX_ARCHIVE_BYTES // 10**9} GB"
                        raise Fault(problem, "split the questions and their judgments")
                yield item
        for name, place in list(left.items())[:1]:
            yield Fault(
                f"{len(left):,} judged questions are in no file of questions",
                "add the questions, or take the judgments out",
                field="query-id",
                value=shortened(name),
            ).at(*place)

    def _with_quotes(self, row: PassageRow) -> PassageRow:
        relevant = self.relevant.get(row.external_id, {})
        best = sorted(filter(self.texts.get, relevant), key=lambda name: -relevant[name])
        quotes = [
            {"idx": place, "docid": name, **self.texts[name]}
            | ({} if relevant[name] == 1 else {"relevance": relevant[name]})
            for place, name in enumerate(best, start=1)
        ]
        if (size := _size_of(quotes)) > MAX_QUOTES_CHARACTERS:
            raise Fault(
                f"its relevant documents have {size:,} characters, at most "
                f"{MAX_QUOTES_CHARACTERS:,} are read",
                "cut them into passages, or judge fewer of them relevant",
                field="query-id",
                value=shortened(row.external_id),
            )
        split = self.split.get(row.external_id)
        told = ({"quotes": quotes} if quotes else {}) | ({"split": split} if split else {})
        return replace(row, source=row.source | told)


def _size_of(quotes: Iterable[Mapping[str, Any]]) -> int:
    return sum(len(each["text"]) for each in quotes)


def _judgment(line: int, text: str) -> list[tuple[int, str, str, float]]:
    """Line, question, document and relevance. Raises `Fault`."""
    cells = [cell.strip() for cell in (text.strip().split("\t") if "\t" in text else text.split())]
    if line == 1 and len(cells) == 3 and _number(cells[2]) is None:
        return []  # BEIR's first line names the columns
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
    return [(line, cells[0], cells[-2], relevance)]


def _number(text: str) -> float | None:
    try:
        found = float(text)
    except ValueError:
        return None
    whole = found == found and abs(found) < 1e9
    return (int(found) if found.is_integer() else found) if whole else None
