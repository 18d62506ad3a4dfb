"""RARR with a language model's server, by command and in runs."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from pipeline.backends.tantivy_corpus import write_index
from pipeline.data import corpora
from pipeline.engine.configuration import RunConfig
from pipeline.models import Revision, Run
from pipeline.runs import execution
from tests.support.answer_script import HALL
from tests.support.commands import read, revise, write_lines
from tests.support.factories import make_corpus, make_passage, make_revision, make_run
from tests.support.llm_script import answer
from tests.support.llm_server import Answer, LlmServer, installed

WRONG = "Marlow Hall opened in 1902."
TEXTS = tuple(f"{WRONG} It has {seats} seats." for seats in range(800, 807))


@pytest.fixture
def server(settings: Any, state_folder: None) -> Iterator[LlmServer]:
    settings.RARR_LLM_PATIENCE = 0.3
    settings.RARR_LLM_TIMEOUT = 5.0
    settings.RARR_LLM_PRICE_INPUT = settings.RARR_LLM_PRICE_OUTPUT = 1_000_000.0
    with installed(answer, settings) as running:
        yield running


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    folder = tmp_path / "pages"
    folder.mkdir()
    (folder / "hall.txt").write_text(HALL.text)
    return folder


def revised(
    tmp_path: Path, pages: Path, *arguments: object, texts: tuple[str, ...] = (WRONG,)
) -> tuple[int, str, list[dict[str, Any]]]:
    source = write_lines(
        tmp_path / "in.jsonl", [{"id": str(i), "text": text} for i, text in enumerate(texts)]
    )
    out = tmp_path / "out.jsonl"
    status, message = revise(source, "--corpus", pages, "--out", out, *arguments)
    return status, message, read(out)


def make_language_model_run(texts: Sequence[str]) -> Run:
    run = make_run(
        config=RunConfig.from_settings().to_plain(),
        corpus=make_corpus(slug="hall"),
        passage_count=len(texts),
    )
    write_index(corpora.index_path("hall"), [HALL])
    for text in texts:
        make_revision(run, passage=make_passage(run.dataset, text=text))
    return run


@pytest.fixture
def run(db: None, server: LlmServer) -> Run:
    return make_language_model_run(TEXTS)


def spoiled(step: str, reply: Answer = "banana", *, where: str = "") -> Callable[[str], Answer]:
    """A model that gives one step unusable replies for passages with `where`."""
    marks = {"queries": "Questions:", "gate": "Verdict:", "edit": "Fixed passage:"}

    def message(prompt: str) -> Answer:
        return reply if marks[step] in prompt and where in prompt else answer(prompt)

    return message


def work_on(run: Run, *, most: int = len(TEXTS)) -> Run:
    for revision in run.revisions.filter(state=Revision.State.QUEUED)[:most]:
        execution.Revising().run(revision.pk)
    run.refresh_from_db()
    return run
