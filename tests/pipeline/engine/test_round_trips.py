"""A language model behind HTTP: fewer round trips, the same result, the calls that are told."""

from typing import Any

import pytest

from pipeline.backends.calls import logged, totals
from pipeline.engine.language_models import load_llm_steps
from pipeline.rarr.configuration import RarrConfig
from pipeline.rarr.loop import revise
from pipeline.rarr.ports import ManyAgreements, Steps
from pipeline.rarr.types import EditOutcome, Passage, Revision
from tests.support.halls import Hall, answer, halls
from tests.support.llm_server import LlmServer
from tests.support.rarr_fakes import SharedWords, Shelf, Splitter, document

WRONG, LATE, SOUND = halls(3)


def run(hall: Hall, *, at_once: int, server: LlmServer) -> tuple[Revision, int]:
    """The revision, and how many requests came for it."""
    shelf = {question: [document(hall.page, title=hall.name)] for question in hall.questions}
    steps = Steps(
        splitter=Splitter(),
        retriever=Shelf(shelf),
        relevance=SharedWords(),
        gates_at_once=at_once,
        **load_llm_steps("openai:stub", rarr=RarrConfig(), contextual="dialog"),
    )
    assert isinstance(steps.agreement, ManyAgreements)
    before = len(server.requests)
    with logged() as calls:
        revision = revise(
            Passage(id=hall.name, text=hall.text),
            steps=steps,
            config=RarrConfig(window_sentences=6),
        )
    requests = len(server.requests) - before
    assert totals(calls).model_calls == requests
    return revision, requests


@pytest.mark.parametrize("hall", [WRONG, LATE, SOUND], ids=["two errors", "one error", "sound"])
def test_ahead_or_one_by_one_the_revision_is_the_same(hall: Hall, settings: Any) -> None:
    with LlmServer(answer) as server:
        settings.RARR_LLM_BASE_URL = server.url
        alone, sequential = run(hall, at_once=1, server=server)
        ahead, requests = run(hall, at_once=16, server=server)
    assert (ahead.text, ahead.trace, ahead.report) == (alone.text, alone.trace, alone.report)
    assert ahead.text == hall.page
    assert len(ahead.trace) == 6
    kept = [step.edit_outcome for step in ahead.trace].count(EditOutcome.KEPT)
    assert sequential == 1 + 6 + kept
    # "open" is the first fact, "seats" the second, "organ" the fifth. Two are asked, then twice as
    # many each time, and after an edit two: behind "seats" stands none, behind the others one.
    assert requests - sequential == {WRONG.name: 1, LATE.name: 1, SOUND.name: 0}[hall.name]


def test_gates_are_under_way_at_the_same_time(settings: Any) -> None:
    with LlmServer(answer, delay=0.5) as server:
        settings.RARR_LLM_BASE_URL = server.url
        run(SOUND, at_once=16, server=server)
        assert server.most_at_once == 4  # 2, then the other 4
