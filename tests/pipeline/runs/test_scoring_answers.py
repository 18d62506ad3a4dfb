"""Scoring of imported answers, by the command and by a worker."""

import json
from datetime import timedelta
from io import StringIO
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from pipeline.engine import loading
from pipeline.models import Dataset, Revision, Run, ScoringJob
from pipeline.runs import scoring
from pipeline.runs.imported import get_unrevised_run
from pipeline.runs.scoring import Scoring, start_scoring
from tests.support.answer_rows import SharedWords
from tests.support.factories import make_dataset, make_passage
from tests.support.rarr_fakes import StandAlone

pytestmark = pytest.mark.django_db

DOCS = [
    {"title": "Marlow Hall", "text": "Marlow Hall opened in 1904."},
    {"title": "Denby Mill", "text": "Denby Mill grinds barley."},
]
ALCE = [
    {
        "sample_id": "a",
        "question": "When?",
        "output": "Marlow Hall opened in 1904 [1].\nQuestion: and the mill [2]?",
        "docs": DOCS,
        "qa_pairs": [{"question": "When?", "short_answers": ["1904"]}],
    },
    {
        "sample_id": "b",
        "question": "What?",
        "output": "Denby Mill grinds barley [1][2]. It is old [3].",
        "docs": [DOCS[0], {**DOCS[1], "sent": "Denby Mill grinds barley every day."}],
        "qa_pairs": [{"question": "What?", "short_answers": ["wheat", "oats"]}],
    },
]
STATEMENTS = ["It is said: Marlow Hall opened in 1904 [1].", "Denby Mill grinds barley [3]."]
SENTENCES = [{"index": index, "text": text} for index, text in enumerate(STATEMENTS)]
HAGRID = {
    "query": "When?",
    "query_id": "7",
    "quotes": [{"idx": idx, "text": each["text"]} for idx, each in zip((1, 3), DOCS, strict=True)],
    "answers": [{"answer": "\n".join(STATEMENTS), "sentences": SENTENCES}],
}


@pytest.fixture(autouse=True)
def words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scoring, "load_entailment", lambda name: SharedWords())
    monkeypatch.setattr(scoring, "load_decontextualizer", lambda *names: StandAlone())
    monkeypatch.setattr(loading, "load_model", lambda kind, name: SharedWords())


def loaded(folder: Path, content: str, name: str) -> Run:
    file, dataset = folder / name, make_dataset()
    file.write_text(content, encoding="utf-8")
    call_command("load_passages", str(file), "--dataset", dataset.slug)
    return get_unrevised_run(Dataset.objects.get(pk=dataset.pk), created_by=None)


@pytest.fixture
def alce(tmp_path: Path) -> Run:
    return loaded(tmp_path, json.dumps({"args": {}, "data": ALCE}), "alce.json")


@pytest.fixture
def hagrid(tmp_path: Path) -> Run:
    return loaded(tmp_path, json.dumps(HAGRID) + "\n", "hagrid.jsonl")


def scored(run: Run) -> str:
    out = StringIO()
    call_command("score_run", str(run.pk), stdout=out)
    run.refresh_from_db()
    return out.getvalue()


def test_an_imported_run_of_alce_has_the_figures_of_the_command(alce: Run, tmp_path: Path) -> None:
    assert "Scored: 2" in scored(alce)
    report = tmp_path / "scores.json"
    call_command("citations", str(tmp_path / "alce.json"), "--out", str(report))
    reported = json.loads(report.read_text(encoding="utf-8"))
    rows = [row.citation_scores for row in alce.revisions.order_by("pk")]
    for mode in ("strict", "corrected"):
        for name in ("citation_rec", "citation_prec", "str_em", "length"):
            values = [row[mode][name] for row in rows]
            mean = sum(values) / len(values) * (1 if name == "length" else 100)
            assert reported[mode][name] == pytest.approx(mean, abs=1e-9), (mode, name)
    first, second = alce.revisions.order_by("pk")
    assert (first.citation_recall, first.correctness) == (1.0, 1.0)
    assert second.citation_scores["statements"][0]["irrelevant"] == [1]
    assert second.citation_scores["statements"][1]["wrong"] == 1
    assert second.generation["problems"] == ["unknown-source"]
    assert first.attribution_before is not None


def test_hagrids_numbers_are_its_own_and_its_units_stay(hagrid: Run) -> None:
    before = hagrid.revisions.get().sentences
    assert len(before["before"]) == 2
    scored(hagrid)
    row = hagrid.revisions.get()
    assert row.sentences == before
    # A paragraph behind a line break is a part of the answer.
    assert [each["sources"] for each in row.citation_scores["statements"]] == [[1], [3]]
    assert (row.citation_recall, row.citation_precision) == (1.0, 1.0)
    assert row.correctness is None
    assert [each["evidence"] for each in row.citation_scores["auto_ais"]] == [0, 2]


def test_a_worker_scores_it_and_the_page_shows_it(as_researcher: Client, alce: Run) -> None:
    address = reverse("pipeline:score-run", args=[alce.pk])
    waiting = as_researcher.post(address, follow=True).content.decode()
    assert "Waiting for a worker." in waiting
    assert 'hx-trigger="every 2s"' in waiting
    job = ScoringJob.objects.get()
    assert Scoring().run(job.pk)
    job.refresh_from_db()
    assert (job.state, job.passages_done, job.failed_passages) == ("done", 2, [])
    page = as_researcher.get(reverse("pipeline:run", args=[alce.pk])).content.decode()
    assert "citation recall" in page
    assert "Score again" in page
    address = reverse("pipeline:run-revisions", args=[alce.pk])
    listed = as_researcher.get(address, {"filter": "unknown"})
    assert "Citation precision" in listed.content.decode()
    assert listed.context["list"].page.rows[0].revision.passage.external_id == "b"
    row = alce.revisions.order_by("pk").first()
    assert row is not None
    answer = as_researcher.get(reverse("pipeline:revision", args=[row.pk])).content.decode()
    assert "✓ supported by what it cites" in answer
    assert "? not scored" in answer  # the text behind the first line


def test_a_dataset_is_scored_from_its_pages_and_lists_its_answers(
    as_researcher: Client, alce: Run
) -> None:
    address = reverse("pipeline:score-dataset", args=[alce.dataset.slug])
    score = f'action="{address}"'
    runs = reverse("pipeline:dataset-runs", args=[alce.dataset.slug])
    for each in (alce.dataset.get_absolute_url(), runs):
        assert score in as_researcher.get(each).content.decode()
    assert "No run yet" in as_researcher.get(runs).content.decode()
    answer = as_researcher.post(address)
    assert answer.headers["Location"] == f"{alce.get_absolute_url()}#scoring"
    assert Scoring().run(ScoringJob.objects.get(run=alce).pk)
    page = as_researcher.get(runs)
    assert score not in page.content.decode()
    assert [row.pk for row in page.context["list"].page.rows] == [alce.pk]
    bare = make_passage(make_dataset(slug="bare", name="Bare")).dataset
    plain = as_researcher.get(bare.get_absolute_url()).content.decode()
    assert reverse("pipeline:score-dataset", args=["bare"]) not in plain
    empty = make_dataset(passage_count=0)
    address = reverse("pipeline:score-dataset", args=[empty.slug])
    assert 'class="error"' in as_researcher.post(address, follow=True).text
    assert ScoringJob.objects.count() == 1


def test_a_worker_that_died_leaves_what_it_scored(
    alce: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = start_scoring(alce, by=None)
    real = scoring._columns
    requests: list[str] = []

    def columns(row: Revision, models: Any) -> dict[str, Any]:
        requests.append(row.passage.external_id)
        if requests == ["a", "b"]:
            raise KeyboardInterrupt
        return real(row, models)

    monkeypatch.setattr(scoring, "_columns", columns)
    with pytest.raises(KeyboardInterrupt):
        Scoring().run(job.pk)
    ScoringJob.objects.update(
        state="running", claim="dead", lease_until=timezone.now() - timedelta(seconds=1)
    )
    Scoring().free_expired()
    assert list(Scoring().waiting()) == [job]
    assert Scoring().run(job.pk)
    assert requests == ["a", "b", "b"]
    assert ScoringJob.objects.get().state == "done"
    assert not alce.revisions.filter(citation_recall=None).exists()


def test_scoring_again_replaces_the_figures_and_one_is_under_way_at_a_time(
    alce: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = start_scoring(alce, by=None)
    assert start_scoring(alce, by=None).pk == job.pk
    Scoring().run(job.pk)
    alce.revisions.update(citation_recall=0.123)
    again = start_scoring(alce, by=None)
    assert (again.pk, again.state) == (job.pk, "queued")
    with monkeypatch.context() as patched:
        patched.setattr(scoring, "score_run", Mock(side_effect=KeyError("x")))
        assert Scoring().run(job.pk)
    assert ScoringJob.objects.get().state == "failed"
    assert Scoring().run(start_scoring(alce, by=None).pk)
    assert (ScoringJob.objects.get().state, ScoringJob.objects.get().failure) == ("done", "")
    assert not alce.revisions.filter(citation_recall=0.123).exists()


def test_a_job_that_cannot_begin_gives_the_reason(tmp_path: Path) -> None:
    dataset = make_dataset(passage_count=1)
    make_passage(dataset, text="It fell [1].")
    run = get_unrevised_run(dataset, created_by=None)
    with pytest.raises(CommandError, match="came with a source"):
        scored(run)
    assert "entailment" not in Run.objects.get(pk=run.pk).config
    job = start_scoring(run, by=None)
    assert Scoring().run(job.pk)
    job.refresh_from_db()
    assert (job.state, "came with a source" in job.failure) == ("failed", True)
    job.state, job.lost_leases = "running", 2
    job.save()
    Scoring().run(job.pk)
    assert "crashed or hung twice" in ScoringJob.objects.get().failure
