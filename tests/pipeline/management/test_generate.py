"""`generate`: passages from questions, by a language model's server."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from pipeline.data import generation
from pipeline.generation.prompts import load_prompts
from pipeline.models import Dataset, Passage
from tests.support.commands import run_command, write_lines
from tests.support.llm_server import LlmServer, error, installed

pytestmark = pytest.mark.django_db

GOOD = "Explanation: Marlow Hall is in Denby. It opened in 1904.\nAnswer: 1904"


@pytest.fixture
def server(settings: Any) -> Iterator[LlmServer]:
    settings.RARR_LLM_PATIENCE = 0.0
    with installed(lambda prompt: GOOD, settings) as running:
        yield running


@pytest.fixture
def questions(tmp_path: Path) -> Callable[..., Path]:
    return lambda *rows: write_lines(tmp_path / "questions.jsonl", list(rows))


generate = partial(run_command, "generate")


def test_each_question_gets_a_passage_that_reports_where_it_comes_from(
    server: LlmServer, questions: Callable[..., Path]
) -> None:
    path = questions({"id": "a", "question": "when did marlow hall open", "answers": ["1904"]})
    status, out, _ = generate(path, "--dataset", "Halls")
    assert (status, "Passages written: 1." in out) == (0, True)
    assert "The language model was asked once: " in out
    passage = Passage.objects.get()
    assert passage.dataset.name == "Halls"
    assert passage.external_id == "a"
    assert passage.text == "Marlow Hall is in Denby. It opened in 1904."
    assert passage.context == "when did marlow hall open"
    prompt = {"prompt": "passage_nq", "prompt_version": load_prompts()["passage_nq"].version}
    generated = {"model": "openai:stub", "temperature": 0.7, "answer": "1904", **prompt}
    assert passage.source.extra == {"answers": ["1904"], "generated": generated}
    assert server.prompts[0].endswith("\n\nQuestion: when did marlow hall open\n")
    assert server.requests[0].body["temperature"] == 0.7


def test_a_server_that_stops_answering_costs_nothing_that_is_stored(
    server: LlmServer, questions: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(generation, "AT_ONCE", 1)
    server.answer = lambda prompt: "" if "who?" in prompt else GOOD
    path = questions(*({"id": name, "question": f"{name}?"} for name in ("when", "who", "why")))
    status, out, err = generate(path, "--dataset", "Halls")
    assert status == 1
    assert "questions.jsonl, line 2: The reply is empty." in err
    assert list(Passage.objects.values_list("external_id", flat=True)) == ["when", "why"]
    server.answer = lambda prompt: GOOD
    requests = len(server.requests)
    status, out, _ = generate(path, "--dataset", "halls")
    assert (status, "written: 1. There already: 2." in out) == (0, True)
    assert len(server.requests) == requests + 1
    assert Dataset.objects.get().passage_count == 3


def test_a_dialog_goes_on(server: LlmServer, questions: Callable[..., Path]) -> None:
    server.answer = lambda prompt: "System: It opened in 1904."
    path = questions({"id": "a", "turns": ["What is Marlow Hall?", "A hall.", "When did it open?"]})
    assert generate(path, "--dataset", "Halls", "--kind", "dialog")[0] == 0
    passage = Passage.objects.get()
    assert passage.text == "It opened in 1904."
    dialog = "User: What is Marlow Hall?\nSystem: A hall.\nUser: When did it open?"
    assert passage.context == dialog
    assert server.prompts[0].endswith(f"\n\n{dialog}\n")


@pytest.mark.parametrize(
    ("extra", "expected"),
    [
        (["--llm", "compact"], "'compact' is no language model"),
        (["--temperature", "9"], "--temperature 9"),
        ([], "There is no file"),
    ],
)
def test_what_cannot_be_done_makes_no_dataset(
    server: LlmServer, questions: Callable[..., Path], extra: list[str], expected: str
) -> None:
    path = questions({"question": "who?"})
    if not extra:
        path.unlink()
    status, _, err = generate(path, "--dataset", "Halls", *extra)
    assert (status, expected in err) == (2, True)
    assert not Dataset.objects.exists()


def test_a_wrong_line_or_a_refused_prompt_costs_no_other_question(
    server: LlmServer, questions: Callable[..., Path]
) -> None:
    refusal = error(400, "The content filter stops this prompt.")
    server.answer = lambda prompt: refusal if "how to burn" in prompt else GOOD
    texts = ("who?", "how to burn it?", "when?")
    path = questions(*({"question": text} for text in texts), {"id": "a"})
    for new, known in ((2, 0), (0, 2)):
        status, out, err = generate(path, "--dataset", "Halls")
        assert status == 1
        assert f"Passages written: {new}. There already: {known}. Without one: 2." in out
        assert "questions.jsonl, line 2: The language model's server" in err
        assert "The content filter stops this prompt." in err
        assert "questions.jsonl, line 4, field question: there is no question" in err
