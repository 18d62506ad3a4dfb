"""System checks report each wrong setting with its fix."""

import re
from collections.abc import Iterable
from pathlib import Path
from types import SimpleNamespace

import pytest
from django.core.checks import ERROR, WARNING, CheckMessage, run_checks
from pytest_django import Settings

from rarrweb.env import env_url
from rarrweb.operations.doctor import system_checks


@pytest.fixture
def public_url(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PUBLIC_URL", "http://rarr.example.org:8080")
    settings.PUBLIC_URL = env_url("PUBLIC_URL", "", schemes={"http", "https"})


def only(messages: Iterable[CheckMessage]) -> CheckMessage:
    [message] = messages
    return message


def test_the_defaults_pass(db: None) -> None:
    assert [result for result in run_checks() if result.id.startswith("pipeline.")] == []


@pytest.mark.parametrize(
    ("setting", "value", "text"),
    [
        ("RARR_LLM", "gpt-9", "RARR_LLM: llm='gpt-9': choose one of compact, hf, openai."),
        ("RARR_LLM", "compact:large", "takes no argument: write compact."),
        ("RARR_RELEVANCE", "bm25", "RARR_RELEVANCE: relevance='bm25': choose one of compact, hf."),
        ("RARR_ENTAILMENT", "hf", "hf needs a model: write hf:NAME_OR_PATH."),
        ("RARR_DECONTEXTUALIZER", "t5", "decontextualizer='t5': choose one of compact, hf, llm."),
        ("RARR_EFEC_MODEL", "t5", "RARR_EFEC_MODEL: efec_model='t5': choose one of"),
        ("RARR_LLM_EXTRA_TOKENS", "many", "RARR_LLM_EXTRA_TOKENS='many': write a number"),
        ("RARR_SEARCH", "web", "search='web': 'web' is not a valid retriever: choose one"),
        ("RARR_SEARCH", "corpus+searxng", "searxng needs a search: write searxng:URL"),
        ("RARR_SEARCH", "searxng:localhost", "has no server: write searxng:https://HOST"),
        ("RARR_SEARCH", "searxng:http://localhost:8888", "RARR_TRUSTED_HOSTS=localhost:8888"),
        ("RARR_SEARCH", "json:mine", "json:mine needs RARR_SEARCH_ENGINES"),
        ("RARR_SEARCH", "corpus+corpus", "is given twice"),
        ("RARR_OPENSEARCH", "https://u:p@h:9200?x", "RARR_OPENSEARCH is not the address"),
        ("RARR_TRUSTED_HOSTS", "localhost", "'localhost' is not a host with its port"),
        ("RARR_DOMAINS_EXCLUDED", "http://x.org", "RARR_DOMAINS_EXCLUDED: .* is not a domain"),
        ("RARR_DOMAINS_ALLOWED", "a/b", "RARR_DOMAINS_ALLOWED: .* is not a domain"),
        ("RARR_CONTACT", "Zoë", "RARR_CONTACT: write an address of plain letters"),
        *(
            ("RARR_SPACY_MODEL", name, "RARR_SPACY_MODEL: .* Write blank, or install it")
            for name in ("en_core_web_xxl", "no.such.package", "tests", ".")
        ),
    ],
)
def test_a_setting_that_no_run_could_use_is_an_error(
    settings: Settings, setting: str, value: str, text: str
) -> None:
    setattr(settings, setting, value)
    message = only(system_checks.check_settings())
    assert message.level == ERROR
    assert re.search(text, message.msg)


@pytest.mark.parametrize("device", ["auto", "cpu", "cuda", "cuda:1", "mps"])
def test_what_can_be_right_passes(settings: Settings, tmp_path: Path, device: str) -> None:
    (tmp_path / "meta.json").write_text("{}")
    settings.RARR_SPACY_MODEL = str(tmp_path)
    settings.RARR_ENTAILMENT = "hf:google/t5_xxl_true_nli_mixture"
    settings.RARR_SEARCH = "corpus+searxng:http://localhost:8888"
    settings.RARR_TRUSTED_HOSTS = "localhost:8888"
    settings.RARR_DOMAINS_EXCLUDED = "wikipedia.org, example.org"
    settings.RARR_DEVICE = device
    assert [result for check in system_checks.ALL for result in check()] == []


@pytest.mark.parametrize("name", ["gpu", "cuda:", "cuda:one", "CPU", "cpu:3"])
def test_a_device_that_has_no_such_name_is_an_error(settings: Settings, name: str) -> None:
    settings.RARR_DEVICE = name
    assert "auto, cpu, cuda, cuda:N or mps" in str(only(system_checks.check_device()).hint)


def test_a_folder_that_cannot_be_written_is_an_error(settings: Settings, tmp_path: Path) -> None:
    settings.VAR_DIR = tmp_path / "gone"
    message = only(system_checks.check_folders())
    assert message.level == ERROR
    assert "RARR_VAR" in str(message.hint)


def test_little_disk_is_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        system_checks.shutil, "disk_usage", lambda _: SimpleNamespace(free=40_000_000)
    )
    message = only(system_checks.check_folders())
    assert message.level == WARNING
    assert "Only 40 MB" in message.msg


@pytest.mark.usefixtures("public_url")
def test_plain_http_for_others_is_a_warning() -> None:
    message = only(system_checks.check_public_url())
    assert message.level == WARNING
    assert "PUBLIC_URL=https://rarr.example.org:8080" in str(message.hint)


@pytest.mark.usefixtures("public_url")
def test_debug_for_others_is_an_error(settings: Settings) -> None:
    settings.DEBUG = True
    assert [result.id for result in system_checks.check_public_url() if result.level == ERROR] == [
        "pipeline.E005"
    ]


@pytest.mark.parametrize("host", ["https://lab.example.org", "http://localhost:8000"])
def test_an_address_with_a_path_is_an_error(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, host: str
) -> None:
    monkeypatch.setenv("PUBLIC_URL", f"{host}/rarr")
    settings.PUBLIC_URL = env_url("PUBLIC_URL", "", schemes={"http", "https"})
    message = only(system_checks.check_public_url())
    assert (message.level, message.hint) == (ERROR, f"Set PUBLIC_URL={host}")


@pytest.mark.parametrize("llm", ["compact", "openai:m"])
def test_prompts_that_cannot_be_used_are_one_error(
    settings: Settings, tmp_path: Path, llm: str
) -> None:
    (tmp_path / "edit.txt").write_text("{passage}")
    settings.RARR_PROMPTS, settings.RARR_LLM = str(tmp_path), llm
    assert "edit.txt has no {query}" in only(system_checks.check_settings()).msg
