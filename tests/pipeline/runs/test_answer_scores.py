"""Answers of strategies are scored as ALCE scores them, and leave as ALCE's run output."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from pipeline.engine import loading
from pipeline.engine.answer_readings import FIGURES
from pipeline.engine.configuration import RunConfig
from pipeline.files.citation_scores import figure_means
from pipeline.models import Dataset, Revision, Run
from pipeline.rarr.types import EntailmentScore
from pipeline.runs import execution
from pipeline.runs.start import start_run
from tests.support.factories import make_dataset, make_passage
from tests.support.rarr_fakes import Nli

pytestmark = pytest.mark.django_db

DOCS = [
    {"title": "Marlow Hall", "text": "Marlow Hall opened in 1904. It seats 812 people at most."},
    {"title": "Denby Mill", "text": "Denby Mill grinds barley. It was built there in 1750."},
]
PAIRS = [
    {"question": "When did it open?", "short_answers": ["1904"]},
    {"question": "How many seats?", "short_answers": ["nine hundred"]},
]
GOLD: dict[str, dict[str, Any]] = {
    "asqa": {"qa_pairs": PAIRS, "annotations": [{"long_answer": "Marlow Hall opened in 1904."}]},
    "eli5": {"claims": ["Marlow Hall opened in 1904.", "It burnt down."], "answer": "In 1904."},
    "qampari": {"answers": [["1904"], ["Marlow Hall opened in 1904", "x"]]},
    "plain": {"answers": ["nineteen hundred and four", "1904"]},
    "unknown": {"answers": [], "qa_pairs": "none", "answer": {"attributable": 1}},
}


def shared(premise: str, hypothesis: str) -> EntailmentScore:
    words = set(hypothesis.lower().strip(".").split())
    known = words & set(premise.lower().replace(".", "").split())
    return EntailmentScore(entailed=len(known) / len(words))


@pytest.fixture(autouse=True)
def entailment(monkeypatch: pytest.MonkeyPatch) -> Iterator[Nli]:
    """By shared words, so that answers differ."""
    nli, real = Nli(shared), loading.load_model

    def load(kind: str, name: str) -> Any:
        return nli if kind == "entailment" else real(kind, name)

    monkeypatch.setattr(loading, "load_model", load)
    loading._engine.cache_clear()
    yield nli
    loading._engine.cache_clear()


@pytest.fixture
def dataset(settings: Any, tmp_path: Path) -> Dataset:
    settings.VAR_DIR = tmp_path / "var"
    return make_dataset(passage_count=4)


def answered(dataset: Dataset, *gold: str) -> Run:
    question = {"text": "", "context": "When did Marlow Hall open? "}
    for position, name in enumerate(gold):
        source = {"docs": DOCS, **GOLD[name]}
        make_passage(dataset, external_id=f"{name}-{position}", source=source, **question)
    config = RunConfig.from_settings(system="extractive", overrides={"search": "sources"})
    run = start_run(dataset=dataset, corpus=None, config=config, created_by=None)
    for row in run.revisions.all():
        execution.Revising().run(row.pk)
    assert not run.revisions.exclude(state=Revision.State.DONE).exists()
    return run


def test_the_figures_of_an_answer_are_in_its_row(dataset: Dataset) -> None:
    row = answered(dataset, "asqa").revisions.get()
    scores = row.citation_scores
    assert (scores["dataset"], row.correctness) == ("asqa", 0.5)
    corrected = scores["corrected"]
    assert (corrected["str_em"], corrected["str_hit"]) == (0.5, 0.0)
    assert row.citation_recall == corrected["citation_rec"] == 1.0
    assert row.citation_precision == corrected["citation_prec"] == 1.0
    assert corrected["rougeLsum"] > 0
    assert scores["strict"].keys() == corrected.keys()
    first = scores["statements"][0]
    assert row.original_text[first["start"] : first["end"]] == "Marlow Hall opened in 1904 [1]."
    scored = {"sources": [1], "wrong": 0, "probability": 1.0, "irrelevant": []}
    assert first == {"start": 0, "end": 31, **scored}


def test_an_answer_asks_its_pairs_together_and_each_once(dataset: Dataset, entailment: Nli) -> None:
    answered(dataset, "eli5")
    # Every statement cites one source, so auto-AIS, citations and claims are one batch.
    (batch,) = entailment.received
    assert len(batch) == len(set(batch))
    premises = {premise for premise, _ in batch}
    assert "Title: Marlow Hall\n" + DOCS[0]["text"] in premises
    assert "Marlow Hall\n" + DOCS[0]["text"] in premises
    assert any(hypothesis == "It burnt down." for _, hypothesis in batch)


def test_correctness_is_that_of_the_dataset(dataset: Dataset) -> None:
    run = answered(dataset, "eli5", "plain", "unknown", "qampari")
    eli5, plain, unknown, qampari = run.revisions.order_by("pk")
    assert (eli5.citation_scores["dataset"], eli5.correctness) == ("eli5", 0.5)
    assert eli5.citation_scores["claims"][0] == 1.0
    assert (plain.citation_scores["dataset"], plain.correctness) == ("asqa", 1.0)
    assert (unknown.citation_scores["dataset"], unknown.correctness) == (None, None)
    assert unknown.citation_recall is not None
    figures = qampari.citation_scores["corrected"]
    assert qampari.correctness == figures["qampari_rec_top5"]
    assert figures["num_preds"] == qampari.original_text.count(",") + 1


@pytest.mark.parametrize("names", [("asqa", "asqa"), ("eli5",), ("plain", "asqa")])
def test_an_exported_run_is_scored_by_citations_to_the_same_figures(
    dataset: Dataset, tmp_path: Path, names: tuple[str, ...]
) -> None:
    run = answered(dataset, *names)
    file, report = tmp_path / "run.json", tmp_path / "scores.json"
    call_command("export", run=run.pk, format="alce", out=file)
    call_command("citations", str(file), "--out", str(report))
    reported = json.loads(report.read_text(encoding="utf-8"))
    rows = [row.citation_scores for row in run.revisions.all()]
    assert reported["n"] == len(names)
    for mode in ("strict", "corrected"):
        for name, mean in figure_means([row[mode] for row in rows]).items():
            factor = 1 if name in ("length", "num_preds") else 100
            expected = None if mean is None else pytest.approx(mean.value * factor, abs=1e-9)
            assert reported[mode][name] == expected, (mode, name)
    assert reported["corrected"]["citation_rec"] is not None
    assert set(reported["strict"]) == set(FIGURES)


def test_a_run_that_revises_does_not_leave_as_answers(dataset: Dataset, tmp_path: Path) -> None:
    run = Run.objects.create(dataset=dataset, system="rarr", config={"system": "rarr"})
    with pytest.raises(CommandError, match="exported as rarr, not alce"):
        call_command("export", run=run.pk, format="alce", out=tmp_path / "run.json")
