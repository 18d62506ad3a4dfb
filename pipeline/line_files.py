"""A file of JSON lines in, another one out: what is checked before a line is written.

`revise` and `attribution` share it, so that both refuse the same mistakes in the same words
and leave a file that is there already as it was.
"""

import json
from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

from pipeline.importing.corpus_files import SUFFIXES
from pipeline.importing.lines import check_readable, read_objects
from pipeline.importing.rows import RowError, UnreadableFile
from pipeline.rarr.types import BadConfig

Rows = Iterator[tuple[int, dict[str, Any]] | RowError]


def open_rows(source: Path) -> Rows:
    """The objects of a file with their line numbers, and errors about single lines.

    Raises `UnreadableFile` where the file as a whole gives nothing: it cannot be opened, is
    empty or blank, or is plainly of another kind.
    """
    check_readable(source)
    rows = read_objects(source)
    first = next(rows, None)
    if first is None:
        raise UnreadableFile(f"{source.name}: there is no row in it; write one JSON object a line.")
    if isinstance(first, RowError) and not first.line:
        raise UnreadableFile(str(first))
    return chain([first], rows)


def check_output(out: Path, *, source: Path, corpus: Path | None = None) -> None:
    """Raise `BadConfig` where `out` cannot be written, or would destroy what is read.

    `corpus` is the file or folder that is searched, where it is a path.
    """
    if out.is_dir():
        raise BadConfig(f"{out} is a folder: name a file with --out.")
    if not out.resolve().parent.is_dir():
        raise BadConfig(f"There is no folder {out.parent}: make it first.")
    if _is_same(out, source):
        raise BadConfig(f"{out} is the input too: name another file with --out.")
    if corpus is None:
        return
    if _is_same(out, corpus):
        raise BadConfig(f"{out} is the corpus too: name another file with --out.")
    if (
        corpus.is_dir()
        and out.suffix.lower() in SUFFIXES
        and out.resolve().is_relative_to(corpus.resolve())
    ):
        raise BadConfig(f"{out} would be a page of the corpus {corpus}: name a file elsewhere.")


class LinesOut:
    """A file of JSON lines, begun with its first line.

    What cannot run at all, such as a model that turns out to be missing when it is first
    asked, leaves an older file as it was. Where all went well and no line was written, the
    file is made empty.
    """

    def __init__(self, path: Path, *, append: bool = False) -> None:
        self._path = path
        self._mode = "a" if append else "w"
        self._file: IO[str] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is None:
            self._opened()
        if self._file:
            self._file.close()

    def write(self, row: Mapping[str, Any]) -> None:
        """Write one line, in one go: who reads along, or comes after a crash, finds whole ones."""
        file = self._opened()
        file.write(json.dumps(row, ensure_ascii=False) + "\n")
        file.flush()

    def _opened(self) -> IO[str]:
        if self._file is None:
            self._file = self._path.open(self._mode, encoding="utf-8")
        return self._file


def in_words(error: Exception) -> str:
    """The sentence that a command says about an error."""
    if isinstance(error, OSError):
        return f"{error.filename or 'A file'}: {(error.strerror or str(error)).lower()}."
    return str(error)


def _is_same(one: Path, other: Path) -> bool:
    return one.exists() and other.exists() and one.samefile(other)
