"""Sub-claims of right answers by a language model's server, in the file they came in."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pipeline.management.commands.sub_claims import read_file
from pipeline.rarr.errors import BadConfig
from tests.support.commands import run_command
from tests.support.llm_server import LlmServer, installed

ITEM = {"question": "Why did it fall?", "answer": "The wind rose.\n\nThe mast broke.", "id": 7}
CLAIMS = ["The wind rose.", "The mast broke.", "It fell."]


@pytest.fixture
def server(settings: Any, state_folder: None) -> Iterator[LlmServer]:

    def answer(prompt: str) -> str:
        lines = [f"{number}. {claim}" for number, claim in enumerate(CLAIMS, start=1)]
        return "1. Only this." if "nobody can read" in prompt else "\n".join(lines)

    with installed(answer, settings) as running:
        yield running


@pytest.mark.parametrize("layout", ["lines", "list", "output"])
def test_a_file_keeps_its_layout_and_gets_claims(
    server: LlmServer, tmp_path: Path, layout: str
) -> None:
    known = {"question": "Known?", "claims": ["a", "b", "c"]}
    items = [ITEM, known]
    whole: Any = {"list": items, "output": {"args": {"model": "m"}, "data": items}}.get(layout)
    lines = "\n".join(map(json.dumps, items))
    source, out = tmp_path / "in.json", tmp_path / "out.json"
    source.write_text(json.dumps(whole) if whole else lines)
    assert run_command("sub_claims", source, "--out", out)[0] == 0
    (request,) = server.requests
    assert "Question: Why did it fall?\nAnswer: The wind rose. The mast broke.\n" in request.prompt
    now, result = read_file(out)
    assert result == [{**ITEM, "claims": CLAIMS}, known]
    assert type(now) is type(whole)
    assert layout != "output" or now["args"] == {"model": "m"}


def test_items_that_get_no_claims_are_named(server: LlmServer, tmp_path: Path) -> None:
    source, out = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    bad = {"question": "Q?", "answer": "nobody can read this"}
    long = {"question": "Q?", "annotations": [{"long_answer": "The wind rose."}]}
    source.write_text("\n".join(map(json.dumps, [bad, long, {"question": "Q?"}])))
    status, _, message = run_command("sub_claims", source, "--out", out)
    assert status == 1
    assert "in.jsonl, item 1: There are 1 numbered statements, not 3." in message
    assert "in.jsonl, item 3: it needs a question and a reference answer." in message
    assert "Items with claims: 1. Without: 2." in message
    assert [each.get("claims") for each in read_file(out)[1]] == [None, CLAIMS, None]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "has no item"),
        ("[1]", "write a list of objects"),
        ('{"question": "Q?"}\n{oops', "line 2"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "in.jsonl"
    path.write_text(text)
    with pytest.raises(BadConfig, match=words):
        read_file(path)
