"""Runs of strategies: answers written by a worker, with their citations' sources."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client

from pipeline.backends.tantivy_corpus import write_index
from pipeline.data import corpora
from pipeline.engine.configuration import RunConfig
from pipeline.models import Corpus, Dataset, Revision, Run
from pipeline.runs import execution
from pipeline.runs.start import RunRefused, retry_failed, start_run
from pipeline.runs.stored_revisions import read_revision
from rarrweb.accounts.models import User
from tests.support.answer_script import DRAFT, HALL, MILL, QUESTION, WRITTEN, answer
from tests.support.factories import make_corpus, make_dataset, make_passage, make_user
from tests.support.llm_server import LlmServer, installed

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("state_folder")]


@pytest.fixture
def server(settings: Any) -> Iterator[LlmServer]:
    with installed(answer, settings) as running:
        yield running


@pytest.fixture
def dataset() -> Dataset:
    return make_dataset(passage_count=1)


def run_of(dataset: Dataset, system: str, **overrides: object) -> Run:
    """A run that is queued, over a corpus of two pages."""
    corpus = make_corpus(state=Corpus.State.READY, document_count=2)
    write_index(corpora.index_path(corpus.slug), [HALL, MILL])
    config = RunConfig.from_settings(system=system, overrides=overrides)
    return start_run(dataset=dataset, corpus=corpus, config=config, created_by=None)


def answered(dataset: Dataset, system: str, **overrides: object) -> Revision:
    """The answer to the dataset's one question."""
    run = run_of(dataset, system, **overrides)
    row = run.revisions.get()
    assert (row.original_text, row.context) == ("", QUESTION)  # until it is written
    execution.Revising().run(row.pk)
    row.refresh_from_db()
    assert row.failure_message == ""
    return row


def test_an_answer_replaces_the_passage(server: LlmServer, dataset: Dataset) -> None:
    make_passage(dataset=dataset, text="", context=QUESTION, source={"answers": ["1904"]})
    row = answered(dataset, "vanilla")
    assert (row.state, row.original_text, row.text) == (Revision.State.DONE, WRITTEN, "")
    assert row.run.writes_answers
    report = read_revision(row).report.evidence
    assert [each.title for each in report] == ["Marlow Hall"]
    assert row.generation["recall_at"] == {"1": 1.0}
    assert row.generation["problems"] == []
    # Its statements are scored without their citations, against what they may cite.
    statements = row.sentences["before"]
    texts = [row.original_text[each["start"] : each["end"]] for each in statements]
    assert texts == ["Marlow Hall opened in 1904 [1].", "It has 812 seats [1]."]
    assert "[1]" not in statements[0]["decontextualized"]
    assert row.attribution_before is not None
    assert (row.attribution_after, row.preservation, row.f1_ap) == (None, None, None)
    assert [call["step"] for call in row.calls] == ["answer"] + 2 * ["decontextualization"]
    assert row.usage["model_calls"] == 3


def test_answers_are_drawn_one_by_one(settings: Any, dataset: Dataset) -> None:
    settings.RARR_LLM = "openai:stub"
    make_passage(dataset=dataset, text="", context=QUESTION)
    drawn: list[str] = []

    def draw(prompt: str) -> str:
        if "\nSentence: " in prompt.rsplit("\n\n", 1)[-1]:
            return answer(prompt)
        drawn.append(f"Draft {len(drawn) + 1}.")
        return drawn[-1]

    with LlmServer(draw) as running:
        settings.RARR_LLM_BASE_URL = running.url
        rows = [answered(dataset, "closed-book", answer_number=number) for number in (1, 2, 3, 2)]
    # What was drawn for one is kept for the next.
    assert [row.original_text for row in rows] == ["Draft 1.", "Draft 2.", "Draft 3.", "Draft 2."]
    assert len(drawn) == 3


@pytest.mark.parametrize(
    ("system", "requests"),
    [
        ("summ", ["summary", "answer"]),
        ("snippet", ["snippet", "answer"]),
        ("interact", ["summary", "step", "step", "step", "step"]),
        ("inline-search", ["step", "step", "step", "step"]),
        ("rerank", ["answer"]),
        ("hagrid", ["answer"]),
    ],
)
def test_strategies_that_write_from_passages(
    server: LlmServer, dataset: Dataset, system: str, requests: list[str]
) -> None:
    make_passage(dataset=dataset, text="", context=QUESTION)
    row = answered(dataset, system)
    assert row.original_text == WRITTEN
    assert read_revision(row).report.evidence[0].title == "Marlow Hall"
    assert [call["step"] for call in row.calls][: len(requests)] == requests
    assert row.generation["problems"] == []
    if system == "rerank":
        assert [each["name"] for each in row.generation["steps"]] == 4 * ["candidate"]
        assert server.requests[0].body["n"] == 4


def test_an_empty_reply_fails_the_passage_by_its_name(server: LlmServer, dataset: Dataset) -> None:
    server.answer = lambda prompt: "<think>Hm.</think> "
    make_passage(dataset=dataset, text="", context=QUESTION)
    run = run_of(dataset, "vanilla")
    execution.Revising().run(run.revisions.get().pk)
    row = run.revisions.get()
    assert (row.state, row.failure) == (Revision.State.FAILED, "UnreadableReply")
    # A retry does not get the same reply from the cache.
    server.answer = answer
    retry_failed(run)
    execution.Revising().run(row.pk)
    row.refresh_from_db()
    assert (row.state, row.original_text) == (Revision.State.DONE, WRITTEN)


@pytest.mark.parametrize("llm", ["compact", "openai:stub"])
def test_a_closed_book_answer_is_revised_and_cites_its_report(
    server: LlmServer, dataset: Dataset, settings: Any, llm: str
) -> None:
    settings.RARR_LLM = llm
    make_passage(dataset=dataset, text=DRAFT if llm == "compact" else "", context=QUESTION)
    row = answered(dataset, "closed-book-rarr")
    assert row.original_text.startswith("Marlow Hall opened in 1904 [1].")
    assert read_revision(row).report.evidence[0].title == "Marlow Hall"
    steps = row.generation["steps"]
    assert [each["name"] for each in steps] == ["draft", "edit", "revised"]
    assert (steps[0]["text"], steps[-1]["text"]) == (DRAFT, DRAFT.replace("1902", "1904"))
    assert row.usage["searches"] > 0
    assert (server.requests == []) == (llm == "compact")


@pytest.mark.parametrize("system", ["post-cite", "closed-book-rarr"])
def test_a_missing_draft_is_reported(dataset: Dataset, system: str) -> None:
    make_passage(dataset=dataset, text="", context=QUESTION)
    make_passage(dataset=dataset, text=DRAFT, context=QUESTION)
    row = run_of(dataset, system).revisions.order_by("pk")[0]
    execution.Revising().run(row.pk)
    row.refresh_from_db()
    assert row.failure == "NoDraft"
    assert "import answers as its text, or set llm to" in row.failure_message


def test_an_oracle_needs_sources(server: LlmServer, dataset: Dataset) -> None:
    docs = [{"title": each.title, "text": each.text} for each in (MILL, HALL)]
    source = {"docs": docs, "answers": ["1904"]}
    make_passage(dataset=dataset, text="", context=QUESTION, source=source)
    make_passage(dataset=dataset, text="", context=QUESTION, external_id="bare")
    run = run_of(dataset, "oracle", passages=1)
    assert run.corpus is None
    for row in run.revisions.all():
        execution.Revising().run(row.pk)
    first, second = run.revisions.order_by("pk")
    assert [each.title for each in read_revision(first).report.evidence] == ["Marlow Hall"]
    assert (second.failure, first.failure) == ("NoSources", "")


def test_a_dataset_without_questions_is_refused(server: LlmServer, dataset: Dataset) -> None:
    make_passage(dataset=dataset, context=" ")
    with pytest.raises(RunRefused, match="no passage of the dataset"):
        answered(dataset, "closed-book")
    assert not Run.objects.exists()


def test_a_closed_book_needs_no_corpus_but_questions(server: LlmServer, dataset: Dataset) -> None:
    make_passage(dataset=dataset, text="", context=QUESTION)
    make_passage(dataset=dataset, context="")
    run = run_of(dataset, "closed-book")
    for row in run.revisions.all():
        execution.Revising().run(row.pk)
    row, bare = run.revisions.order_by("pk")
    assert (row.original_text, run.corpus) == (DRAFT, None)
    assert read_revision(row).report.evidence == ()
    assert row.generation["problems"] == ["uncited"]
    assert (bare.state, bare.failure) == ("failed", "NoQuestion")


def test_a_hostile_reply_is_stored_by_any_database_and_shown_as_text(
    settings: Any, client: Client, dataset: Dataset
) -> None:
    settings.RARR_LLM = "openai:stub"
    make_passage(dataset=dataset, text="", context=QUESTION)
    reply = f"<script>x()</script> It\0 opened [1-999] \ud83d \u202e.{'[1]' * 3000}"
    with LlmServer(lambda prompt: answer(prompt) if "\nSentence: " in prompt else reply) as server:
        settings.RARR_LLM_BASE_URL = server.url
        row = answered(dataset, "vanilla")
    assert row.original_text == f"<script>x()</script> It opened [1-999] ? \u202e.{'[1]' * 3000}"
    assert row.generation["problems"] == ["unknown-source", "markup"]
    client.force_login(make_user(role=User.Role.RESEARCHER))
    page = client.get(row.get_absolute_url()).content.decode()
    assert "&lt;script&gt;x()" in page
    assert "<script>x()" not in page
