"""Starting runs: what is frozen, what is refused, and what reaches the queue."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from kombu import Connection
from pytest_django import Settings

from pipeline import tasks
from pipeline.engine.configuration import RunConfig
from pipeline.jobs import queue
from pipeline.models import Corpus, Passage, Revision, Run
from pipeline.rarr.errors import BadConfig
from pipeline.runs import start as launch
from rarrweb.accounts.models import User
from rarrweb.celery import INDEXING, PASSAGES, app
from tests.support.factories import make_corpus, make_dataset, make_passage, make_revision, make_run
from tests.support.tiny_models import bert_config, make_classifier

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("empty_queue")]

OnCommit = Callable[..., AbstractContextManager[list[Any]]]


def start(passages: int = 3, **values: Any) -> Run:
    dataset = make_dataset()
    for _ in range(passages):
        make_passage(dataset, context="Where?")
    config = RunConfig.from_settings(overrides={"evidence_per_query": 2})
    given = {"dataset": dataset, "config": config, "created_by": None, **values}
    corpus = given.pop("corpus", make_corpus(state=Corpus.State.READY))
    return launch.start_run(corpus=corpus, **given)


def test_a_run_has_all_revisions_its_configuration_and_checksums(researcher: User) -> None:
    run = Run.objects.get(pk=start(3, created_by=researcher).pk)
    assert (run.state, run.passage_count) == (Run.State.RUNNING, 3)
    rows = run.revisions.values_list("state", "original_text", "context")
    assert list(rows) == [("queued", passage.text, "Where?") for passage in Passage.objects.all()]
    assert RunConfig.from_plain(run.config).rarr.evidence_per_query == 2
    assert run.system == "rarr"
    assert run.created_by == researcher
    assert run.versions["rarrweb"]
    assert run.versions["dataset"].startswith(f"{run.dataset.slug}: 3 passages, sha256 ")
    assert run.versions["corpus"].startswith(f"{run.corpus.slug}: 0 documents, sha256 ")
    make_passage(run.dataset)
    again = start(0, dataset=run.dataset, corpus=run.corpus)
    assert again.versions["dataset"].split()[-1] != run.versions["dataset"].split()[-1]
    assert again.versions["corpus"] == run.versions["corpus"]


def test_a_run_keeps_which_files_its_models_are(tmp_path: Path) -> None:
    name = f"hf:{make_classifier(tmp_path / 'nli', ['entailment', 'other'])}"
    config = RunConfig.from_settings(overrides={"entailment": name, "relevance": name})
    known = start(1, config=config).versions[name]
    assert known.startswith("config sha256 ")
    bert_config(["entailment", "neutral"]).save_pretrained(tmp_path / "nli")
    assert start(1, config=config).versions[name] != known
    assert not any(key.startswith("hf:") for key in start(1).versions)


def test_a_run_searches_a_corpus_or_the_web_or_both() -> None:
    both = start(config=RunConfig(search="corpus+searxng:https://searx.example.org"))
    assert both.searched == f"{both.corpus.name} and the web"
    assert start().searched == Run.objects.first().corpus.name
    config = RunConfig(search="searxng:https://searx.example.org")
    run = Run.objects.get(pk=start(corpus=None, config=config).pk)
    assert (run.corpus, run.searched) == (None, "the web")
    assert "corpus" not in run.versions


def test_a_run_keeps_what_its_search_engine_was(tmp_path: Path, settings: Settings) -> None:
    settings.RARR_SEARCH_ENGINES = str(tmp_path)
    config = RunConfig(search="json:mine")
    with pytest.raises(launch.RunRefused, match=r"Nothing can be searched: .*mine.toml"):
        start(corpus=None, config=config)
    text = 'url = "https://a.example.org/?q={query}"\nresults = "r"\naddress = "u"\n'
    stored = []
    for each in (text, text.replace('"r"', '"s"')):
        (tmp_path / "mine.toml").write_text(each)
        stored.append(start(corpus=None, config=config).versions["json:mine"])
    assert stored[0].startswith("sha256 ")
    assert stored[0] != stored[1]


def test_a_run_without_passages_or_with_a_wrong_corpus_is_refused() -> None:
    with pytest.raises(launch.RunRefused, match="has no passages"):
        start(0)
    with pytest.raises(BadConfig, match=r"\(search=corpus\), and none is chosen"):
        start(corpus=None)
    config = RunConfig(search="searxng:https://searx.example.org")
    with pytest.raises(launch.RunRefused, match=r"would not be used. Leave it out, or set"):
        start(config=config)
    assert not Run.objects.exists()


def test_a_run_is_sent_in_batches_after_the_commit(
    django_capture_on_commit_callbacks: OnCommit, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queue, "BATCH", 4)
    with django_capture_on_commit_callbacks(execute=True):
        run = start(6)
        assert queue.queue_length(PASSAGES) == 0
    assert (queue.queue_length(PASSAGES), queue.queue_length(INDEXING)) == (4, 0)
    assert [queue.send_unsent(run.pk), queue.send_unsent(run.pk)] == [2, 0]
    assert queue.queue_length(PASSAGES) == 6
    assert not Revision.objects.filter(sent_at=None).exists()


def test_a_broker_that_is_away_loses_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    run = make_run()
    make_revision(run)

    refusal = queue.OperationalError("connection refused")
    monkeypatch.setattr(app, "send_task", Mock(side_effect=refusal))
    assert queue.send_unsent(run.pk) == 0
    assert Revision.objects.get().sent_at is None
    monkeypatch.undo()
    assert queue.send_unsent(run.pk) == 1


@pytest.mark.parametrize(
    ("state", "row", "act"),
    [("paused", "queued", launch.resume_run), ("finished", "failed", launch.retry_failed)],
)
def test_resuming_and_retrying_send_what_waits(
    django_capture_on_commit_callbacks: OnCommit, state: str, row: str, act: Callable[[Run], int]
) -> None:
    run = make_run(state=state)
    make_revision(run, state=row)
    make_revision(run, state=Revision.State.DONE)
    with django_capture_on_commit_callbacks(execute=True):
        assert act(run) == 1
        assert act(run) == 0, "it goes on already"
    assert queue.queue_length(PASSAGES) == 1


def test_a_corpus_to_index_waits_in_a_queue_of_its_own(
    django_capture_on_commit_callbacks: OnCommit,
) -> None:
    corpus = make_corpus(state=Corpus.State.FAILED, error="disk full")
    with django_capture_on_commit_callbacks(execute=True):
        queue.queue_indexing(corpus)
    corpus.refresh_from_db()
    assert (corpus.state, corpus.error) == (Corpus.State.QUEUED, "")
    assert (queue.queue_length(INDEXING), queue.queue_length(PASSAGES)) == (1, 0)


def test_every_task_that_can_be_sent_exists() -> None:
    app.loader.import_default_modules()  # as a worker finds them, those of other apps too
    assert tasks.revise_passage.name == queue.REVISE_PASSAGE
    mine = {name for name in app.tasks if name.startswith(("pipeline.", "annotation."))}
    assert mine == set(queue.QUEUES)


@pytest.mark.parametrize("broker", ["redis://127.0.0.1:9/0", "amqp://guest@127.0.0.1:9//"])
def test_the_length_of_a_queue_out_of_reach_is_unknown(
    monkeypatch: pytest.MonkeyPatch, broker: str
) -> None:
    monkeypatch.setattr(app, "connection_for_read", lambda: Connection(broker, connect_timeout=1))
    assert queue.queue_length(PASSAGES) is None
