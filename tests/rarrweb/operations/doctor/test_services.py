"""Checks of language model, search and entailment."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from pytest_django import Settings

from pipeline.backends.tantivy_corpus import write_index
from pipeline.models import CachedAnswer, Corpus, Document
from pipeline.rarr import types
from pipeline.rarr.types import EntailmentScore
from rarrweb.operations.doctor.findings import Finding, State
from rarrweb.operations.doctor.services import check_entailment, check_language_model, check_search
from tests.support import llm_server
from tests.support.factories import make_corpus
from tests.support.findings import checked
from tests.support.llm_script import answer
from tests.support.llm_server import LlmServer
from tests.support.tiny_models import make_classifier
from tests.support.web_server import Page, WebServer


def ask_model(settings: Any, server: LlmServer, state: State = State.ERROR) -> Finding:
    settings.RARR_LLM, settings.RARR_LLM_BASE_URL = "openai:stub", server.url
    return checked(check_language_model, state)


@pytest.mark.django_db
def test_a_server_that_gives_a_verdict_is_ok_and_nothing_is_cached(
    settings: Settings, tmp_path: Path
) -> None:
    settings.VAR_DIR = tmp_path
    settings.RARR_LLM_EXTRA_TOKENS = "100"
    checked(check_language_model, State.OK)  # compact
    with LlmServer(answer, models=["a", "stub"]) as server:
        finding = ask_model(settings, server, State.OK)
        ask_model(settings, server, State.OK)
    assert finding.message == f"{server.url} has stub, and its verdict can be read"
    assert len(server.requests) == 2
    assert server.requests[0].body["max_tokens"] > 100
    assert not CachedAnswer.objects.exists()
    assert not (tmp_path / "answers.sqlite3").exists()


def test_the_model_of_each_step_is_tried_once(settings: Settings) -> None:
    settings.RARR_LLM_QUERIES = settings.RARR_LLM_EDIT = "openai:large"
    settings.RARR_LLM_AGREEMENT = "compact"
    with LlmServer(answer, models=["stub", "large"]) as server:
        finding = ask_model(settings, server, State.OK)
    verdict = "and its verdict can be read"
    assert finding.message == f"{server.url} has stub, {verdict}; {server.url} has large, {verdict}"
    assert len(server.requests) == 2
    with LlmServer(answer, models=["stub"]) as server:
        finding = ask_model(settings, server)
    assert "no model 'large'" in finding.message
    assert "RARR_LLM_QUERIES=openai:stub" in finding.fix


def test_a_model_that_answers_nonsense_is_an_error(settings: Settings) -> None:
    with LlmServer(lambda prompt: "banana") as server:
        finding = ask_model(settings, server)
    assert "cannot be read" in finding.message
    assert "'banana'" in finding.message


def test_a_model_that_the_server_lacks_is_named_with_those_it_has(settings: Settings) -> None:
    with LlmServer(models=["a", "b"]) as server:
        finding = ask_model(settings, server)
    assert "no model 'stub'. It has: a, b." in finding.message
    assert "RARR_LLM=openai:a" in finding.fix


def test_a_server_that_is_not_there_is_named_with_the_fix(settings: Settings) -> None:
    with LlmServer() as server:
        pass
    finding = ask_model(settings, server)
    assert "cannot be reached" in finding.message
    assert f"RARR_LLM_BASE_URL ({server.url})" in finding.fix


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        (llm_server.error(401), "RARR_LLM_API_KEY"),
        (llm_server.error(400, "This model writes no text"), "This model writes no text"),
        (llm_server.GARBAGE, "RARR_LLM_BASE_URL"),
    ],
)
def test_a_refusal_is_printed(settings: Settings, fault: llm_server.Fault, message: str) -> None:
    with LlmServer(faults=[fault]) as server:
        finding = ask_model(settings, server)
    assert message in finding.message + finding.fix


def test_a_local_model_that_is_not_there_is_named(settings: Settings, tmp_path: Path) -> None:
    settings.RARR_LLM = f"hf:{tmp_path / 'nowhere'}"
    assert "nowhere" in checked(check_language_model).message


@pytest.mark.django_db
def test_a_search_engine_gets_a_question(settings: Settings) -> None:
    with WebServer(tls=False) as server:
        settings.RARR_SEARCH = f"corpus+searxng:{server.url}"
        settings.RARR_TRUSTED_HOSTS = server.host
        assert "answered with status 404" in checked(check_search).message
        hit = b'{"results": [{"url": "https://a.test/", "title": "A"}]}'
        server.pages[f"{server.url}/search"] = Page(body=hit, media_type="application/json")
        checked(check_search, State.OK)
        none = b'{"results": []}'
        server.pages[f"{server.url}/search"] = Page(body=none, media_type="application/json")
        assert "finds nothing" in checked(check_search, State.WARNING).message
    settings.RARR_SEARCH = "web"
    assert "choose one of corpus, json, searxng" in checked(check_search).message


@pytest.mark.django_db
def test_a_corpus_without_a_full_index_is_an_error(settings: Settings, tmp_path: Path) -> None:
    settings.CORPUS_DIR = tmp_path
    corpus = make_corpus(state=Corpus.State.READY)
    Document.objects.create(corpus=corpus, external_id="a", text="tides", content_hash="-")
    finding = checked(check_search)
    assert f"{corpus.slug} has 0 of 1 documents" in finding.message
    assert "Rebuild index" in finding.fix
    write_index(tmp_path / corpus.slug, [types.Document(id="a", title="", url="", text="tides")])
    checked(check_search, State.OK)


def test_labels_in_the_wrong_order_are_an_error(settings: Settings, tmp_path: Path) -> None:
    assert checked(check_entailment, State.OK).message.startswith("compact gives ")
    findings = []
    for labels in (["not_entailment", "entailment"], ["entailment", "not_entailment"]):
        # The model knows no word of the pairs; only their number differs.
        settings.RARR_ENTAILMENT = f"hf:{make_classifier(tmp_path / labels[0], labels)}"
        findings.append(check_entailment())
    wrong = [finding for finding in findings if finding.state is State.ERROR]
    assert len(wrong) == 1
    assert "the order is wrong" in wrong[0].message
    assert "RARR_ENTAILMENT" in wrong[0].fix


def test_a_model_that_finds_everything_supported_is_a_warning(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    scores = [EntailmentScore(entailed=0.99), EntailmentScore(entailed=0.9)]
    model = SimpleNamespace(score=lambda pairs: scores)
    monkeypatch.setattr("pipeline.engine.loading.load_entailment", lambda name: model)
    assert "0.5" in checked(check_entailment, State.WARNING).message


def test_a_model_without_its_weights_is_an_error(settings: Settings, tmp_path: Path) -> None:
    settings.RARR_ENTAILMENT = f"hf:{make_classifier(tmp_path, ['not_entailment', 'entailment'])}"
    (tmp_path / "model.safetensors").unlink()
    assert "cannot be loaded" in checked(check_entailment).message
