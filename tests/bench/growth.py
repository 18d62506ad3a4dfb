"""How the time of reading hostile texts grows: `python -m tests.bench.growth [NAME]`.

A text four times as long should take four times the CPU time; a ratio near 16 is the square.
NAME selects one reader. There is no ratio where the longer text takes less than 20 ms.
"""

import argparse
import json
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from pipeline.backends.compact.coreference.decontextualizer import CompactDecontextualizer
from pipeline.backends.compact.questions.generator import CompactQueryGenerator
from pipeline.backends.compact.text.spans import mentions
from pipeline.backends.sentences import SpacySplitter
from pipeline.diff.lines import line_diff
from pipeline.diff.words import word_diff
from pipeline.importing.corpus_files import read_corpus
from pipeline.importing.passages import read_passages
from pipeline.rarr.dialog import turns_of
from pipeline.rarr.types import Document, Passage
from pipeline.rarr.windows import slide_windows
from tests.support.hostile_texts import UNITS, hostile_text

SPLITTER = SpacySplitter()
FOLDER = Path(tempfile.mkdtemp(prefix="rarrweb-growth-"))
MEASURABLE = 0.02
"""Seconds."""


def passage(text: str) -> Passage:
    return Passage(id="1", text=text, context="")


def decontextualize(text: str) -> object:
    given = passage(text)
    sentences = [span.of(text) for span in SPLITTER.split(text)]
    return CompactDecontextualizer().decontextualize(passage=given, sentences=sentences)


def slide(text: str) -> object:
    page = Document(id="1", title="", url="", text=text)
    return slide_windows(page, splitter=SPLITTER, sentences=4, stride=2)


def read_file(suffix: str, text: str) -> object:
    path = FOLDER / f"text{suffix}"
    rows = {
        ".jsonl": json.dumps({"id": "1", "title": "", "url": "", "text": text}),
        ".csv": f"text\n{text}",
    }
    path.write_text(rows.get(suffix, text), "utf-8")
    return read_passages(path, format="csv") if suffix == ".csv" else read_corpus(path)


READERS: dict[str, tuple[int, Callable[[str], Any]]] = {
    "turns": (50_000, turns_of),
    "word-diff": (50_000, lambda text: word_diff(text, f"New {text[:-9]} end")),
    "line-diff": (50_000, lambda text: line_diff(text, f"New {text[:-9]} end")),
    "windows": (5_000, slide),
    "mentions": (2_000, mentions),
    "queries": (
        2_000,
        lambda text: CompactQueryGenerator(SPLITTER).generate(
            passage(text), samples=1, temperature=0.0
        ),
    ),
    "decontextualize": (2_000, decontextualize),
    **{
        f"file{suffix}": (50_000, partial(read_file, suffix))
        for suffix in (".txt", ".md", ".html", ".jsonl", ".csv")
    },
}
"""Name to the characters of the shorter text, and what reads it."""


def seconds(read: Callable[[str], Any], text: str) -> float:
    began = time.process_time()
    result = read(text)
    if isinstance(result, Iterator):
        list(result)
    return time.process_time() - began


def main() -> None:
    arguments = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    arguments.add_argument("name", nargs="?", choices=READERS, help="one reader")
    name = arguments.parse_args().name
    print(f"{'reader':16}{'unit':16}{'chars':>10}{'CPU s':>9}{'ratio':>8}")
    for label, (size, read) in READERS.items():
        for unit_name, unit in UNITS.items() if name in (None, label) else ():
            seconds(read, "Ada Hart built it.")  # loads what all texts need
            short = seconds(read, hostile_text(unit, size))
            # Another letter, so that no cache knows the longer text's sentences.
            long = seconds(read, "x" + hostile_text(unit, 4 * size))
            ratio = f"{long / short:8.1f}" if long > MEASURABLE else ""
            print(f"{label:16}{unit_name:16}{4 * size:>10,}{long:9.2f}{ratio}", flush=True)


if __name__ == "__main__":
    main()
