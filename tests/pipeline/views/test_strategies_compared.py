"""Strategies and RARR answer the same questions and are compared."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from pipeline.backends.tantivy_corpus import write_index
from pipeline.data import corpora
from pipeline.engine.configuration import RunConfig
from pipeline.figures.comparison import ComparedRow
from pipeline.models import Corpus, Dataset, Run
from pipeline.runs import execution
from pipeline.runs.start import start_run
from tests.support.answer_runs import figure
from tests.support.answer_script import DRAFT, HALL, MILL, QUESTION, answer
from tests.support.factories import make_corpus, make_dataset, make_passage
from tests.support.llm_server import LlmServer, installed
from tests.support.pages import text_of

pytestmark = pytest.mark.django_db

SYSTEMS = ("vanilla", "summ", "rerank", "post-cite", "closed-book-rarr", "extractive", "rarr")
PAIRS = [
    {"question": "When did it open?", "short_answers": ["1904"]},
    {"question": "How many seats?", "short_answers": ["812"]},
]


@pytest.fixture(autouse=True)
def server(settings: Any, state_folder: None) -> Iterator[LlmServer]:
    with installed(answer, settings) as running:
        yield running


@pytest.fixture
def runs() -> list[Run]:
    dataset: Dataset = make_dataset(slug="halls", name="Halls")
    for question in (QUESTION, f"{QUESTION} Please."):
        make_passage(dataset, text=DRAFT, context=question, source={"qa_pairs": PAIRS})
    dataset.passage_count = dataset.passages.count()
    dataset.save()
    corpus = make_corpus(state=Corpus.State.READY, document_count=2)
    write_index(corpora.index_path(corpus.slug), [HALL, MILL])
    made = []
    for system in SYSTEMS:
        config = RunConfig.from_settings(system=system)
        run = start_run(dataset=dataset, corpus=corpus, config=config, created_by=None)
        for row in run.revisions.all():
            execution.Revising().run(row.pk)
            row.refresh_from_db()
            assert row.state == "done", row.failure_message
        made.append(run)
    return made


def test_strategies_and_rarr_are_compared(as_researcher: Client, runs: list[Run]) -> None:
    response = as_researcher.get(reverse("pipeline:compare"), {"dataset": "halls"})
    rows: dict[str, ComparedRow] = {
        row.run.system: row for row in response.context["comparison"].rows
    }
    assert tuple(rows) == SYSTEMS
    assert response.context["comparison"].n == 2
    for system, row in rows.items():
        known = {name for name, each in row.figures.items() if each}
        assert {"attribution", "length", "calls", "tokens", "seconds"} <= known, system
        of_answers = {"correctness", "citation_recall", "citation_precision", "strict_recall"}
        assert of_answers <= known if system != "rarr" else not of_answers & known, system
    # The draft has 1902; answers from the page have 1904, as RARR's revision does.
    right = {"vanilla": 1.0, "summ": 1.0, "rerank": 1.0, "closed-book-rarr": 1.0, "post-cite": 0.5}
    for system, expected in right.items():
        assert figure(rows[system], "correctness").value == expected
    page = text_of(response.text)
    assert "A revision cites nothing: only answers have citations." in page
    chart = as_researcher.get(
        reverse("pipeline:compare-chart", args=["csv"]), {"run": [str(run.pk) for run in runs]}
    )
    assert len(chart.text.strip().splitlines()) == len(SYSTEMS)  # a head, not RARR
    assert response.text.count('class="card chart"') == 2
    recalls = as_researcher.get(
        reverse("pipeline:compare-chart", args=["csv"]),
        {"run": [str(run.pk) for run in runs], "chart": "recall"},
    )
    lines = [line.split(",") for line in recalls.text.strip().splitlines()[1:]]
    of_search = [row for row in rows.values() if row.figures["recall_at_5"]]
    assert len(lines) == 5 * len(of_search)  # four ranks, and correctness
    assert [line[0] for line in lines if line[1] == "vanilla"][-2:] == ["recall@100", "correctness"]
    wrong = {"run": [str(run.pk) for run in runs], "chart": "other"}
    address = reverse("pipeline:compare-chart", args=["csv"])
    assert as_researcher.get(address, wrong).status_code == 404
    passage = runs[0].dataset.passages.order_by("pk")[0]
    neighbour = as_researcher.get(
        reverse("compare-passage", args=[passage.pk]),
        {"run": [str(runs[position].pk) for position in (0, 3, 4, 6)]},
    )
    html = neighbour.text
    for position in (0, 3, 4):
        assert f'href="#run-{runs[position].pk}-evidence-1"' in html
    assert f'id="run-{runs[6].pk}-evidence-1"' not in html
    assert "Pres<sub>Lev</sub>" in html  # of RARR, beside the answers
