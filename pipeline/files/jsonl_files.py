"""JSON lines in and out of commands."""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import IO, Any

from pipeline.importing.corpus_files import SUFFIXES
from pipeline.importing.lines import check_readable
from pipeline.importing.records import read_objects
from pipeline.importing.rows import RowError, UnreadableFile
from pipeline.rarr.errors import BadConfig
from rarrweb.private_files import apply_umask

Rows = Iterator[tuple[int, dict[str, Any]] | RowError]


def open_rows(source: Path) -> Rows:
    """Read objects with line numbers, and errors of single lines.

    Raises `UnreadableFile` for a blank, binary or missing file.
    """
    check_readable(source)
    rows = read_objects(source, is_one_record=True)
    first = next(rows, None)
    if first is None:
        raise UnreadableFile(f"{source.name}: there is no row in it; write one JSON object a line.")
    if isinstance(first, RowError) and not first.line:
        raise UnreadableFile(str(first))
    return chain([first], rows)


def check_output(out: Path, *, source: Path, corpus: str = "") -> None:
    """Raise `BadConfig` if `out` cannot be written, or would overwrite an input.

    `corpus` is a path or a name.
    """
    if out.is_dir():
        raise BadConfig(f"{out} is a folder: name a file with --out.")
    if not out.resolve().parent.is_dir():
        raise BadConfig(f"There is no folder {out.parent}: make it first.")
    searched = Path(corpus).expanduser()
    for path, noun in ((source, "input"), (searched, "corpus")):
        if out.exists() and path.exists() and out.samefile(path):
            raise BadConfig(f"{out} is the {noun} too: name another file with --out.")
    if (
        corpus
        and searched.is_dir()
        and out.suffix.lower() in SUFFIXES
        and out.resolve().is_relative_to(searched.resolve())
    ):
        raise BadConfig(f"{out} would be a page of the corpus {searched}: name a file elsewhere.")


@contextmanager
def lines_out(path: Path, *, append: bool = False) -> Iterator[Callable[[Mapping[str, Any]], None]]:
    """Yield a function that writes a JSON line; the first call creates the file.

    A failure before that leaves an older file unchanged. Success without a line empties the file.
    """
    opened: list[IO[str]] = []

    def open_file() -> IO[str]:
        if not opened:
            is_new = not path.exists()
            opened.append(path.open("a" if append else "w", encoding="utf-8"))
            if is_new:
                apply_umask(path)
        return opened[0]

    def write(row: Mapping[str, Any]) -> None:
        # One call, so that readers see whole lines, even after a crash.
        file = open_file()
        file.write(json.dumps(row, ensure_ascii=False) + "\n")
        file.flush()

    try:
        yield write
        open_file()
    finally:
        for file in opened:
            file.close()


def cut_half_line(path: Path) -> None:
    """Remove an incomplete last line that a crash left."""
    whole = 0
    with path.open("r+b") as file:
        for raw in file:
            if not raw.endswith(b"\n"):
                break
            whole += len(raw)
        file.truncate(whole)
