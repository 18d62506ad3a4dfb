"""`bertscore`: HAGRID's Figure 3b out of a file of answers."""

import csv
import itertools
import json
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from annotation.charts.registry import answers_of
from pipeline.engine.loading import load_splitter
from pipeline.management.commands import bertscore
from pipeline.metrics.bertscore import Vectors
from tests.support.answers import judged_answers
from tests.support.commands import run_command
from tests.support.hagrid import QUOTES
from tests.support.tiny_models import bert_config, make_classifier


class Words:
    """A vector for each word: two texts of the same words are the same."""

    def __init__(self) -> None:
        self.received: list[str] = []
        self.numbers = defaultdict[str, int](itertools.count().__next__)

    def vectors(self, texts: Sequence[str]) -> list[Vectors]:
        self.received += texts
        identity = np.eye(97, dtype=np.float32)
        words = (text.lower().strip(".").split() for text in texts)
        return [identity[[self.numbers[word] for word in each]] for each in words]


def write_answers(path: Path, **labels: int | None) -> Path:
    """One question with two answers."""
    texts = ["The bridge opened in 1932 [1]. It carries two railway [2].", "Nobody knows [2]."]
    answers = [{"answer": text, "answer_type": "long", **labels} for text in texts]
    line = {"query": "When?", "query_id": 1, "quotes": QUOTES, "answers": answers}
    path.write_text(json.dumps(line) + "\n")
    return path


@pytest.mark.django_db
def test_each_sentence_is_compared_with_the_most_similar_one_it_cites() -> None:
    encoder = Words()
    answers = answers_of(judged_answers())
    splitter = load_splitter("blank")
    first, second = bertscore.similarities(answers, encode=encoder.vectors, splitter=splitter)
    assert (len(first), len(second)) == (2, 1)
    # "It carries two railway" is four of the six words that it cites.
    assert first[1] == pytest.approx(2 * (1 * 4 / 6) / (1 + 4 / 6))
    assert len(encoder.received) == len(set(encoder.received))


def test_the_figure_and_its_table_are_written(tmp_path: Path) -> None:
    make_classifier(tmp_path, bert_config(["a", "b"]))
    source = write_answers(tmp_path / "in.jsonl", informative=1, attributable=0)
    with source.open("a") as file:
        file.write("no JSON\n")
    status, _, err = run_command(
        "bertscore", source, "--out", tmp_path / "3b.svg", "--encoder", f"hf:{tmp_path}"
    )
    assert status == 1
    assert "in.jsonl, line 2" in err
    assert "Median F1" in err
    assert (tmp_path / "3b.svg").read_text().count("<svg") == 1
    with (tmp_path / "3b.csv").open(encoding="utf-8-sig") as file:
        counts = [(row["Label"], row["n"]) for row in csv.DictReader(file)]
    assert counts == [("not attributable", "2"), ("informative", "2")]


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        (["--out", "3b.png"], "let the name of the figure end with .svg."),
        (["--out", "3b.svg"], "in.jsonl has no labelled answer that cites a quote."),
        (["--out", "3b.svg", "--encoder", "hf:nowhere/at-all"], "cannot be loaded"),
        (["--out", "3b.svg", "--encoder", "bert"], "compact, hf"),
    ],
)
def test_what_cannot_be_drawn_is_refused(
    more: list[str], expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    source = write_answers(tmp_path / "in.jsonl", informative=None, attributable=None)
    status, _, err = run_command("bertscore", source, *more)
    assert status == 2
    assert expected in err
    assert not list(tmp_path.glob("3b.*"))
