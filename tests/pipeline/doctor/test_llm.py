"""What doctor says of a language model and of kept answers, and the command that forgets them."""

import io
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from pipeline.backends.answer_files import FileAnswers
from pipeline.doctor import installation
from pipeline.doctor.findings import Finding, State
from pipeline.doctor.installation import check_kept_answers
from pipeline.doctor.language_models import check_language_model
from pipeline.models import KeptAnswer
from pipeline.runs.answer_cache import DatabaseAnswers
from tests.support import llm_server
from tests.support.llm_script import answer
from tests.support.llm_server import LlmServer


@pytest.fixture(autouse=True)
def _state_folder(tmp_path: Path, settings: Any) -> None:
    settings.VAR_DIR = tmp_path


def test_the_compact_models_ask_nobody() -> None:
    assert check_language_model().state is State.FINE


def diagnosed(settings: Any, server: LlmServer) -> Finding:
    settings.RARR_LLM, settings.RARR_LLM_BASE_URL = "openai:stub", server.url
    return check_language_model()


def test_a_server_with_the_model_is_fine(settings: Any) -> None:
    with LlmServer(answer, models=["a", "stub"]) as server:
        finding = diagnosed(settings, server)
    assert finding.state is State.FINE
    assert finding.says == f"{server.url} has stub, which answers what a run asks"


def test_the_model_is_asked_with_the_parameters_of_a_run(settings: Any) -> None:
    settings.RARR_LLM_EXTRA_TOKENS = "100"
    with LlmServer(answer) as server:
        diagnosed(settings, server)
    queries, verdict = (request.body for request in server.requests)
    assert (queries["n"], queries["temperature"]) == (3, 0.7)
    assert verdict["temperature"] == 0
    for body in (queries, verdict):
        assert body["max_tokens"] > 400
        assert body["stop"]


def test_what_the_model_refuses_is_said_where_it_answers_without(settings: Any) -> None:
    with LlmServer(answer, refuses=["temperature", "n"]) as server:
        finding = diagnosed(settings, server)
    assert finding.state is State.FINE
    assert "it takes no n, temperature" in finding.says


def test_a_model_that_refuses_what_a_run_asks_is_a_fault(settings: Any) -> None:
    fault = llm_server.error(400, "This model writes no text")
    with LlmServer(lambda prompt: fault) as server:
        finding = diagnosed(settings, server)
    assert finding.state is State.WRONG
    assert "This model writes no text" in finding.says


def test_a_model_that_answers_nonsense_is_a_fault(settings: Any) -> None:
    with LlmServer(lambda prompt: "banana") as server:
        finding = diagnosed(settings, server)
    assert finding.state is State.WRONG
    assert "cannot be read" in finding.says
    assert "'banana'" in finding.says


@pytest.mark.django_db
def test_what_doctor_asks_is_not_kept(settings: Any, tmp_path: Path) -> None:
    with LlmServer(answer) as server:
        diagnosed(settings, server)
        diagnosed(settings, server)
    assert len(server.requests) == 4
    assert KeptAnswer.objects.count() == 0
    assert not (tmp_path / "answers.sqlite3").exists()


def test_a_model_that_the_server_lacks_is_named_with_those_it_has(settings: Any) -> None:
    with LlmServer(models=["a", "b"]) as server:
        settings.RARR_LLM, settings.RARR_LLM_BASE_URL = "openai:c", server.url
        finding = check_language_model()
    assert finding.state is State.WRONG
    assert "no model 'c'; it has a, b." in finding.says
    assert "RARR_LLM=openai:a" in finding.fix


def test_a_server_that_is_not_there_is_named_with_the_fix(settings: Any) -> None:
    with LlmServer() as server:
        pass
    settings.RARR_LLM, settings.RARR_LLM_BASE_URL = "openai:c", server.url
    finding = check_language_model()
    assert finding.state is State.WRONG
    assert "cannot be reached" in finding.says
    assert f"set RARR_LLM_BASE_URL to where it is (now {server.url})" in finding.fix


@pytest.mark.parametrize(
    ("fault", "says"),
    [(llm_server.error(401), "RARR_LLM_API_KEY"), (llm_server.GARBAGE, "RARR_LLM_BASE_URL")],
)
def test_a_wrong_setting_is_named(settings: Any, fault: llm_server.Fault, says: str) -> None:
    with LlmServer(faults=[fault]) as server:
        settings.RARR_LLM, settings.RARR_LLM_BASE_URL = "openai:c", server.url
        finding = check_language_model()
    assert finding.state is State.WRONG
    assert says in finding.says


def test_a_local_model_that_is_not_there_is_named(settings: Any, tmp_path: Path) -> None:
    settings.RARR_LLM = f"hf:{tmp_path / 'nowhere'}"
    finding = check_language_model()
    assert finding.state is State.WRONG
    assert "nowhere" in finding.says


def keep(tmp_path: Path) -> None:
    DatabaseAnswers().put_many({"a": 1, "b": 2})
    answers = FileAnswers(tmp_path / "answers.sqlite3")
    answers.put_many({"c": 3})
    answers.close()


@pytest.mark.django_db
def test_kept_answers_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert check_kept_answers().says.startswith("0 of models and searches in the database")
    keep(tmp_path)
    finding = check_kept_answers()
    assert finding.state is State.FINE
    assert finding.says.startswith("2 of models")
    monkeypatch.setattr(installation, "MANY_BYTES", 1)
    assert "forget_answers" in check_kept_answers().fix


def forget(*arguments: str) -> str:
    said = io.StringIO()
    call_command("forget_answers", *arguments, stdout=said)
    return said.getvalue()


@pytest.mark.django_db
def test_answers_are_forgotten_here_and_there(tmp_path: Path) -> None:
    keep(tmp_path)
    assert forget("--older-than", "1") == "Forgotten: 0 answers.\n"
    assert forget("--all") == "Forgotten: 3 answers.\n"
    assert DatabaseAnswers().get_many(["a", "b"]) == {}
    assert FileAnswers(tmp_path / "answers.sqlite3").get_many(["c"]) == {}


@pytest.mark.django_db
def test_nothing_is_forgotten_by_a_number_that_cannot_be(tmp_path: Path) -> None:
    keep(tmp_path)
    with pytest.raises(CommandError, match="from 0 to 36500"):
        forget("--older-than=-1")
    with pytest.raises(CommandError, match="required"):
        forget()
    assert len(DatabaseAnswers().get_many(["a", "b"])) == 2
