"""Sentence splitters beside each other: `python -m tests.bench.sentences [DATA_FOLDER]`.

What the product splits pages with (pySBD), the plain patterns that run before every parse, and
the parser's and the `senter`'s boundaries of compact's spaCy pipeline, in one run.

With DATA_FOLDER it first counts boundaries that are right. Gold: rows of DATA_FOLDER/dev that
were handed out as one sentence, five of one file joined by a space; a boundary is where a row
begins. Only rows that begin with a capital or a figure and end with a stop are taken, each once.
A row that holds two sentences counts against whoever splits it.

Then how long each takes on one text of growing length, with pySBD alone beside them.
"""

import argparse
import json
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pysbd
import spacy

from pipeline.backends.compact.text import parsing
from pipeline.backends.compact.text.sentences import sentences_of
from pipeline.backends.sentences import SpacySplitter

TEXT = "The mill on the Ribble was built in 1852 by J. Hart. It burned down (twice) in 1890. "
SOURCES = ("attributionbench_dev", "wice_claim_fulldoc", "citint", "qags_cnndm")
JOINED = 5
MOST = 1_000
"""Sentences of a source."""
Split = Callable[[str], Sequence[int]]
"""From a text to where its sentences begin."""


def splitters() -> dict[str, Split]:
    ours, parser = SpacySplitter("blank"), SpacySplitter(parsing.name())
    senter = spacy.load(
        parsing.name(), exclude=["tagger", "parser", "attribute_ruler", "lemmatizer", "ner"]
    )
    senter.enable_pipe("senter")

    def by_senter(text: str) -> list[int]:
        cut = [text[at : at + senter.max_length] for at in range(0, len(text), senter.max_length)]
        return [each.start_char for part in cut for each in senter(part).sents]

    return {
        "pySBD (ours)": lambda text: [span.start for span in ours.split(text)],
        "plain patterns": lambda text: [start for start, _ in sentences_of(text)],
        "parser": lambda text: [span.start for span in parser.split(text)],
        "senter": by_senter,
    }


def sentences(folder: Path, name: str) -> list[str]:
    with (folder / "dev" / f"{name}.jsonl").open(encoding="utf-8") as lines:
        rows = [" ".join(json.loads(line)["hypothesis"].split()) for line in lines]
    whole = [row for row in rows if row[:1].isupper() or row[:1].isdigit()]
    return [row for row in dict.fromkeys(whole) if row.endswith((".", "!", "?"))][:MOST]


def joined(rows: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    for at in range(0, len(rows), JOINED):
        yield " ".join(rows[at : at + JOINED]), list(rows[at : at + JOINED])


def accuracy(split: Split, rows: Sequence[str]) -> tuple[float, float, float, float]:
    """(precision, recall, F1 of inner boundaries, CPU seconds)."""
    right = found = wanted = 0
    began = time.process_time()
    for text, parts in joined(rows):
        starts = {sum(len(part) + 1 for part in parts[:n]) for n in range(1, len(parts))}
        cuts = set(split(text)) - {0}
        right, found, wanted = right + len(cuts & starts), found + len(cuts), wanted + len(starts)
    taken = time.process_time() - began
    precision, recall = right / found, right / wanted
    return precision, recall, 2 * precision * recall / (precision + recall), taken


def compare(folder: Path, by: dict[str, Split]) -> None:
    print(f"{'source':22}{'splitter':16}{'n':>6}{'P':>8}{'R':>8}{'F1':>8}{'chars/CPU s':>13}")
    for name in SOURCES:
        rows = sentences(folder, name)
        for label, split in by.items():
            precision, recall, f1, taken = accuracy(split, rows)
            rate = sum(map(len, rows)) / taken
            print(
                f"{name:22}{label:16}{len(rows):6}{precision:8.3f}{recall:8.3f}{f1:8.3f}{rate:13,.0f}"
            )


def seconds(split: Callable[[str], object], page: str) -> float:
    started = time.process_time()
    split(page)
    return time.process_time() - started


def main() -> None:
    arguments = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    arguments.add_argument("data", type=Path, nargs="?", help="the folder that holds dev/")
    given = arguments.parse_args()
    by = splitters()
    for split in by.values():
        split(TEXT)  # loads it
    if given.data:
        compare(given.data, by)
        print()
    alone = pysbd.Segmenter(language="en", clean=False, char_span=True).segment
    timed: dict[str, Callable[[str], object]] = {**by, "pySBD alone": alone}
    print(f"{'CPU s for characters':>20}" + "".join(f"{label:>16}" for label in timed))
    for size in (1_000, 10_000, 100_000):
        page = (TEXT * (size // len(TEXT) + 1))[:size]
        print(f"{size:>20,}" + "".join(f"{seconds(f, page):16.3f}" for f in timed.values()))


if __name__ == "__main__":
    main()
