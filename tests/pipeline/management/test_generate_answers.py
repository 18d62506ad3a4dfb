"""`generate --strategy`: questions in, ALCE's run output out, without a database."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.answer_script import DRAFT, HALL, MILL, QUESTION, WRITTEN, answer
from tests.support.commands import outcome, run_without_database, write_lines
from tests.support.llm_server import LlmServer, installed

pytestmark = pytest.mark.usefixtures("state_folder")


@pytest.fixture
def server(settings: Any) -> Iterator[LlmServer]:
    settings.RARR_LLM_PATIENCE = 0.0
    with installed(answer, settings) as running:
        yield running


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    pages = [{"id": e.id, "title": e.title, "url": e.url, "text": e.text} for e in (HALL, MILL)]
    return write_lines(tmp_path / "corpus.jsonl", pages)


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    rows = [
        {"id": "a", "question": QUESTION, "answers": [["1904"], ["812"]]},
        {"id": "b", "question": "When was Denby Mill built?", "answers": [["1750"]]},
    ]
    return write_lines(tmp_path / "questions.jsonl", rows)


def generate(*arguments: object) -> tuple[int, str]:
    return outcome("generate", *arguments)


def data(out: Path) -> list[dict[str, Any]]:
    return json.loads(out.read_text())["data"]  # type: ignore[no-any-return]


def test_answers_are_written_as_alces_run_output_and_scored_by_citations(
    server: LlmServer, questions: Path, corpus: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out.json"
    status, message = generate(questions, "--strategy", "vanilla", "--corpus", corpus, "--out", out)
    assert (status, message) == (0, "Answered: 2. Failed: 0.\n")
    whole = json.loads(out.read_text())
    assert (whole["args"]["model"], whole["args"]["strategy"]) == ("openai:stub", "vanilla")
    first, second = whole["data"]
    assert (first["sample_id"], first["question"], first["output"]) == ("a", QUESTION, WRITTEN)
    assert first["answers"] == [["1904"], ["812"]]
    assert {"title": HALL.title, "text": HALL.text, "id": "hall", "url": HALL.url} in first["docs"]
    assert first["generation"]["problems"] == []
    assert second["sample_id"] == "b"
    assert not out.with_name("out.json.part").exists()
    status, message = outcome("citations", out, "--out", tmp_path / "figures.json")
    assert status == 0, message
    figures = json.loads((tmp_path / "figures.json").read_text())
    assert (figures["n"], figures["dataset"]) == (2, "qampari")
    assert figures["corrected"]["citation_rec"] is not None


def test_extracts_need_neither_a_model_nor_a_database(
    questions: Path, corpus: Path, tmp_path: Path
) -> None:
    out, figures = tmp_path / "out.json", tmp_path / "figures.json"
    given = (questions, "--strategy", "extractive", "--corpus", corpus, "--out", out)
    done = run_without_database(tmp_path, "generate", *given)
    assert done.returncode == 0, done.stderr
    assert "It opened in 1904 [1]." in data(out)[0]["output"]
    status, message = outcome("citations", out, "--out", figures, "--dataset", "asqa")
    assert status == 0, message
    assert json.loads(figures.read_text())["corrected"]["citation_rec"] == 100


def test_alces_data_bring_their_own_documents(server: LlmServer, tmp_path: Path) -> None:
    docs = [{"id": "9", "title": each.title, "text": each.text} for each in (MILL, HALL)]
    pair = {"question": QUESTION, "short_answers": ["1904"]}
    gold = {"qa_pairs": [pair], "answer": "In 1904.", "annotations": [{"long_answer": "In 1904."}]}
    item = {"sample_id": "x", "question": QUESTION, "docs": docs, **gold}
    path = tmp_path / "asqa.json"
    path.write_text(json.dumps([item]))
    out = tmp_path / "out.json"
    status, message = generate(path, "--strategy", "oracle", "--set", "passages=1", "--out", out)
    assert (status, message) == (0, "Answered: 1. Failed: 0.\n")
    (written,) = data(out)
    assert [each["title"] for each in written["docs"]] == ["Marlow Hall"]
    assert written["qa_pairs"][0]["short_answers"] == ["1904"]
    generate(path, "--strategy", "vanilla", "--set", "search=sources", "--out", out)
    assert [each["title"] for each in data(out)[0]["docs"]] == ["Denby Mill", "Marlow Hall"]


def test_several_answers_to_a_question_are_one_question_and_several_drafts(
    server: LlmServer, corpus: Path, tmp_path: Path
) -> None:
    quotes = [{"idx": 1, "docid": "1#0", "text": HALL.text}]
    drafts = [{"answer": text, "answer_type": "short", "sentences": []} for text in (DRAFT, "So.")]
    line = {"query_id": 7, "query": QUESTION, "quotes": quotes, "answers": drafts}
    path = write_lines(tmp_path / "hagrid.jsonl", [line])
    out = tmp_path / "out.json"
    generate(path, "--strategy", "hagrid", "--set", "search=sources", "--out", out)
    assert [each["output"] for each in data(out)] == [WRITTEN]
    generate(path, "--strategy", "post-cite", "--set", "search=sources", "--out", out)
    first, second = (each["output"] for each in data(out))
    assert first == "Marlow Hall opened in 1902 [1]. It has 812 seats [1]."
    assert second == "So [1]."


def test_a_question_that_fails_is_named_and_tried_again(
    server: LlmServer, questions: Path, corpus: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out.json"
    given = (questions, "--strategy", "vanilla", "--corpus", corpus, "--out", out)
    server.answer = lambda prompt: " " if "Denby Mill built" in prompt else answer(prompt)
    status, message = generate(*given)
    assert status == 1
    assert "questions.jsonl, line 2: The reply is empty." in message
    assert "Answered: 1. Failed: 1. Reasons: unreadable reply: 1." in message
    assert [each["sample_id"] for each in data(out)] == ["a"]
    server.answer = answer
    requests = len(server.requests)
    status, message = generate(*given, "--resume")
    assert (status, "Answered: 2. Failed: 0." in message) == (0, True)
    assert [each["sample_id"] for each in data(out)] == ["a", "b"]
    assert not any(QUESTION in prompt for prompt in server.prompts[requests:])


def test_answers_written_before_a_stop_stay(
    server: LlmServer, questions: Path, corpus: Path, tmp_path: Path
) -> None:
    out, part = tmp_path / "out.json", tmp_path / "out.json.part"
    given = (questions, "--strategy", "closed-book", "--out", out, "--at-once", "1")
    status, message = generate(*given, "--corpus", corpus)
    assert (status, "closed-book with search=corpus searches no corpus" in message) == (2, True)
    status, message = generate(*given, "--set", "budget_calls=1")
    assert status == 1
    assert "out.json.part; --resume" in message
    assert not out.exists()
    before = part.read_text()
    assert before.count("\n") == 2
    part.write_text(f'{before}{{"sample_id": "b", "quest')  # as a crash leaves it
    status, message = generate(*given, "--resume", "--set", "budget_calls=100")
    assert (status, [each["sample_id"] for each in data(out)]) == (0, ["a", "b"])


def test_other_settings_do_not_go_on(
    server: LlmServer, questions: Path, corpus: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out.json"
    given = (questions, "--strategy", "vanilla", "--corpus", corpus, "--out", out)
    generate(*given)
    before = out.read_bytes()
    status, message = generate(*given, "--resume", "--set", "passages=2")
    assert (status, "was written with another passages" in message) == (2, True)
    assert out.read_bytes() == before
    other = '{"args": {"model": "m"}, "data": [{"question": "Q?", "output": "A."}]}'
    for written in ('{"data": []}', other):
        out.write_text(written)
        status, message = generate(*given, "--resume")
        assert (status, "is no output of generate" in message) == (2, True)


def test_answers_of_a_version_with_fewer_settings_do_not_go_on(
    server: LlmServer, questions: Path, corpus: Path, tmp_path: Path
) -> None:
    out, part = tmp_path / "out.json", tmp_path / "out.json.part"
    given = (questions, "--strategy", "vanilla", "--corpus", corpus, "--out", out)
    generate(*given, "--at-once", "1", "--set", "budget_calls=1")
    args, *rest = map(json.loads, part.read_text().splitlines())
    for name in ("demonstrations", "claim_recall"):
        del args["args"]["config"]["generation"][name]
    before = "".join(f"{json.dumps(each)}\n" for each in (args, *rest))
    part.write_text(before)
    status, message = generate(*given, "--resume")
    assert status == 2
    assert "Another version of rarrweb wrote" in message
    assert "settings differ in claim_recall, demonstrations: leave" in message
    assert part.read_text() == before


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--strategy", "vanila", "--out", "o.json"], "'vanila' is no strategy: choose one of"),
        (["--strategy", "extractive"], "name --out, and no --dataset"),
        (["--strategy", "extractive", "--out", "o.json", "--dataset", "d"], "and no --dataset"),
        (["--dataset", "d", "--out", "o.json"], "Without --strategy name --dataset"),
        (["--strategy", "vanilla", "--out", "o.json"], "vanilla needs a language model"),
        (["--strategy", "extractive", "--out", "o.json"], "name one with --corpus"),
        (["--strategy", "post-cite", "--out", "o.json"], "questions.jsonl has questions only"),
        (["--strategy", "extractive", "--out", "o.json", "--set", "turns=0"], "turns is 0"),
        (["--strategy", "extractive", "--out", "o.json", "--at-once", "-1"], "--at-once -1"),
    ],
)
def test_what_cannot_run_gives_the_reason(
    questions: Path, tmp_path: Path, arguments: list[str], words: str
) -> None:
    given = [str(tmp_path / each) if each == "o.json" else each for each in arguments]
    status, message = generate(questions, *given)
    assert (status, words in message) == (2, True), message
    assert not list(tmp_path.glob("o.json*"))


def test_a_file_without_a_question_writes_nothing(corpus: Path, tmp_path: Path) -> None:
    path = write_lines(tmp_path / "wrong.jsonl", [{"id": "1", "question": 7}])
    out = tmp_path / "out.json"
    given = (path, "--strategy", "extractive", "--corpus", corpus, "--out", out)
    status, message = generate(*given)
    assert status == 2
    assert "wrong.jsonl, line 1" in message
    assert "has no question that can be read" in message
    assert not out.exists()
    write_lines(path, [{"id": "1", "question": QUESTION, "answer": "In 1904."}])
    status, message = generate(*given)
    assert status == 0, message
    assert data(out)[0]["answer"] == "In 1904."
