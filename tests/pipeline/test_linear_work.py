"""Work on a hostile text grows linearly with its length, by counted operations."""

import json
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from pipeline.backends.prompted.agreement import read_agreement
from pipeline.backends.prompted.editing import read_edit
from pipeline.backends.prompted.query_generation import read_queries
from pipeline.diff.words import word_diff
from pipeline.generation.prompting import read_answer
from pipeline.importing.corpus_files import read_corpus
from pipeline.importing.passages import read_passages
from pipeline.metrics.citation_marks import with_citations, without_citations
from pipeline.rarr.dialog import parse_dialog
from pipeline.rarr.errors import UnreadableReply
from pipeline.text.sentences import split_sentences
from rarrweb.web.markdown import render
from tests.support.hostile_texts import UNITS, hostile_text, operations

SHORT, LONG = 1_000, 4_000
MOST_GROWTH = 6
"""Four times the text is four times the work; the square would be sixteen times."""


def read(reader: Callable[[str], Any], text: str) -> None:
    with suppress(UnreadableReply):
        reader(text)


FUNCTIONS: dict[str, Callable[[str], Any]] = {
    "turns": parse_dialog,
    "sentences": split_sentences,
    "citations": lambda text: list(
        with_citations(text, [(each.start, each.end) for each in split_sentences(text)])
    ),
    "without citations": without_citations,
    "edit": lambda text: read(partial(read_edit, current="A fell."), text),
    "queries": lambda text: read(read_queries, text),
    "verdict": lambda text: read(read_agreement, text),
    "answer with citations": lambda text: read(read_answer, text),
    "word diff": lambda text: word_diff(text, f"New {text[:-9]} end"),
    "Markdown": render,
}


def assert_linear(work: Callable[[str], Any], unit: str) -> None:
    work(hostile_text(unit, 100))  # loads and caches what all texts share
    short, long = (operations(partial(work, hostile_text(unit, size))) for size in (SHORT, LONG))
    assert long <= MOST_GROWTH * max(short, LONG)


@pytest.mark.parametrize("unit", UNITS.values(), ids=UNITS)
@pytest.mark.parametrize("function", FUNCTIONS.values(), ids=FUNCTIONS)
def test_the_work_on_a_text_grows_in_step_with_it(
    function: Callable[[str], Any], unit: str
) -> None:
    assert_linear(function, unit)


@pytest.mark.parametrize("unit", UNITS.values(), ids=UNITS)
@pytest.mark.parametrize("suffix", [".md", ".html", ".jsonl", ".csv"])
def test_the_work_on_a_file_grows_in_step_with_it(suffix: str, unit: str, tmp_path: Path) -> None:
    def read(text: str) -> None:
        path = tmp_path / f"{len(text)}{suffix}"
        row = {"id": "1", "title": "", "url": "", "text": text}
        written = {".jsonl": json.dumps(row), ".csv": f"text\n{text}"}
        path.write_text(written.get(suffix, text), "utf-8")
        if suffix == ".csv":
            read_passages(path, format="csv")
        else:
            read_corpus(path)

    assert_linear(read, unit)


def test_the_square_of_a_text_is_noticed() -> None:
    def quadratic(text: str) -> None:
        for end in range(0, len(text), 10):
            for _ in range(0, end, 10):
                pass

    with pytest.raises(AssertionError):
        assert_linear(quadratic, "a")
