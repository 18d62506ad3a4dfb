"""`downstream`: short answers before and after, against gold answers."""

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pipeline.files.downstream import DownstreamExample, read_case
from pipeline.importing.rows import RowError
from tests.support.commands import run_command, write_lines
from tests.support.llm_server import LlmServer, error, installed


def answer(prompt: str) -> str:
    """The year that the last passage names, or yes; nothing readable of a passage about fog."""
    passage = prompt.rsplit("Passage: ", 1)[-1].splitlines()[0]
    if "fog" in passage:
        return "?"
    years = [word.strip(".") for word in passage.split() if word.strip(".").isdigit()]
    return f"Answer: {years[0] if years else 'yes' if 'is' in passage else 'unknown'}"


@pytest.fixture
def server(settings: Any, state_folder: None) -> Iterator[LlmServer]:
    with installed(answer, settings) as running:
        yield running


def line(before: str, after: str, **values: Any) -> dict[str, Any]:
    revision = {"text": before, "context": "when?", "revisions": [{"revised_text": after}]}
    return {"context": "when?", **values, "result": revision}


OPENED = line("It opened in 1902.", "It opened in 1904.", answers=["1904"])


def downstream(folder: Path, rows: list[Any], *more: object) -> tuple[int, str, str]:
    return run_command("downstream", write_lines(folder / "in.jsonl", rows), *more)


def test_the_gain_has_an_interval(server: LlmServer, tmp_path: Path) -> None:
    rows = [line("It is old.", "It is very old.", answer=True)]
    for y in range(1902, 1905):
        rows.append(line(f"It opened in {y}.", f"It opened in {y + 50}.", answers=[f"{y + 50}"]))
        rows.append(line(f"It shut in {y}.", f"It shut in {y}.", answers=[f"{y}", "31"]))
    status, out, err = downstream(tmp_path, rows)
    assert status == 0
    assert err.startswith("The language model was asked 11 times: ")
    table = [text.split() for text in out.splitlines()]
    assert table[1][:4] == ["accuracy,", "yes/no", "1", "1.000"]
    expected = "exact match 6 0.500 [0.188, 0.812] 1.000 [0.610, 1.000] +0.500 [-0.075, +1.000]"
    assert " ".join(table[2]) == expected
    assert len(server.requests) == 11  # an unchanged passage is read once


def test_answers_are_cached_until_a_refresh(server: LlmServer, tmp_path: Path) -> None:
    first, again = downstream(tmp_path, [OPENED]), downstream(tmp_path, [OPENED])
    assert first[:2] == again[:2]
    assert again[2] == "The language model was not asked. 2 answers were known already.\n"
    assert len(server.requests) == 2
    assert downstream(tmp_path, [OPENED], "--refresh") == first
    assert len(server.requests) == 4


def test_the_answers_can_be_written_down(server: LlmServer, tmp_path: Path) -> None:
    rows = [line("It opened in 1902.", "It opened.", id="a", gold="1902")]
    out = tmp_path / "out.jsonl"
    downstream(tmp_path, rows, "--gold", "gold", "--out", out)
    answers = {"answer_before": "1902", "answer_after": ""}
    written = json.loads(out.read_text())
    assert written == {"id": "a", "question": "when?", "gold": ["1902"], **answers}


def test_the_figures_are_drawn_and_their_numbers_written(server: LlmServer, tmp_path: Path) -> None:
    shut = line("It shut in 1931.", "It shut in 1931.", answers=["1931"])
    rows = [OPENED, shut, line("It is old.", "It is very old.", answer=True)]
    for ending, begins in ((".svg", b"<?xml"), (".pdf", b"%PDF"), (".png", b"\x89PNG")):
        out = tmp_path / f"chart{ending}"
        assert downstream(tmp_path, rows, "--chart", out)[0] == 0
        assert out.read_bytes().startswith(begins)
    assert "exact match, gain +0.50" in (tmp_path / "chart.svg").read_text()
    out = tmp_path / "chart.csv"
    downstream(tmp_path, rows, "--chart", out)
    with out.open(encoding="utf-8-sig") as file:
        table = list(csv.DictReader(file))
    figures = {(row["Measure"].split(",")[0], row["Passages"]): row for row in table}
    assert float(figures["exact match", "before revision"]["value"]) == 0.5
    assert float(figures["exact match", "after revision"]["value"]) == 1.0
    assert figures["accuracy", "after revision"]["n"] == "1"


def test_what_cannot_be_compared_is_named_by_its_line(server: LlmServer, tmp_path: Path) -> None:
    bad = [line("a", "b"), line("fog", "It shut in 1931.", answers=["1931"])]
    status, out, err = downstream(tmp_path, bad)
    assert status == 1
    assert "in.jsonl, line 1, field answers: there are no gold answers" in err
    assert 'in.jsonl, line 2: There is no line "Answer: …"' in err
    assert "No passage could be compared." in out
    refusal = error(400, "The prompt is too long.")
    server.answer = lambda prompt: refusal if "in 1902." in prompt else answer(prompt)
    earlier = (f"It opened in {year}." for year in (1901, 1902, 1903))
    rows = [line(before, "It opened in 1904.", answers=["1904"]) for before in earlier]
    status, out, err = downstream(tmp_path, rows)
    assert status == 1
    assert "in.jsonl, line 2: The language model's server" in err
    assert "exact match             2" in out


def test_unreadable_answers_are_requested_again(server: LlmServer, tmp_path: Path) -> None:
    rows = [line("There was fog in 1902.", "It opened in 1904.", answers=["1904"])]
    assert downstream(tmp_path, rows)[0] == 1
    server.answer = lambda prompt: "Answer: 1902"
    assert downstream(tmp_path, rows)[0] == 0


@pytest.mark.parametrize(
    ("option", "value", "words"),
    [
        ("--llm", "compact", "'compact' is no language model"),
        ("--chart", "chart.docx", ".svg, .png, .pdf, .csv"),
    ],
)
def test_wrong_options_stop_it_before_any_request(
    server: LlmServer, tmp_path: Path, option: str, value: str, words: str
) -> None:
    status, _, err = downstream(tmp_path, [OPENED], option, value)
    assert (status, words in err) == (2, True)
    assert not server.requests


@pytest.mark.parametrize(
    ("gold", "answers"),
    [
        ({"answer": False}, ("no",)),
        ({"answers": ["a", "b"]}, ("a", "b")),
        ({"answers": 1904}, ("1904",)),
        ({"gold_answers": "a"}, ("a",)),
        ({"input_info": {"claim": "x", "answers": ["a"]}}, ("a",)),
    ],
)
def test_gold_answers_may_have_many_forms(gold: Any, answers: tuple[str, ...]) -> None:
    case = read_case(1, line("a", "b", **gold), file="f")
    assert isinstance(case, DownstreamExample)
    assert case.gold == answers


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ({"text": "a", "answers": ["b"]}, "there is no revision"),
        ({"result": {"text": "a", "revisions": []}, "answers": ["b"]}, "there is no revision"),
        (line("a", "b", answers=[]), "gold answers are"),
        (line("a", "b", answers=[["b"]]), "gold answers are"),
        (line("a", "b", answers=["b"], question=3), "there is no question"),
    ],
)
def test_a_line_that_lacks_something_reports_what(row: Any, expected: str) -> None:
    error = read_case(1, row, file="f")
    assert isinstance(error, RowError)
    assert expected in str(error)
