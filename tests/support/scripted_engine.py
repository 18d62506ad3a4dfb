"""A scripted engine."""

from collections.abc import Callable

import pytest

from pipeline.backends.work import WorkContext
from pipeline.engine.auto_ais import Scores
from pipeline.engine.cost import Usage
from pipeline.engine.engine import Outcome
from pipeline.rarr.ports import ProgressCallback
from pipeline.rarr.types import (
    Agreement,
    EditOutcome,
    Evidence,
    Passage,
    Query,
    Revision,
    StepError,
    TraceStep,
    Verdict,
)
from pipeline.runs import execution


class ScriptedEngine:
    def __init__(self, script: Callable[[Passage], Outcome] | None = None) -> None:
        self.script = script or in_capitals
        self.passages: list[Passage] = []
        self.work = WorkContext()
        self.on_progress: ProgressCallback | None = None

    def revise(
        self,
        passage: Passage,
        *,
        on_progress: ProgressCallback | None = None,
        work: WorkContext,
        **others: object,
    ) -> Outcome:
        self.work, self.on_progress = work, on_progress
        self.passages.append(passage)
        return self.script(passage)


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> ScriptedEngine:
    """The engine of all runs."""
    scripted = ScriptedEngine()
    monkeypatch.setattr(execution, "load_engine", lambda config, *, index: scripted)
    return scripted


def in_capitals(passage: Passage) -> Outcome:
    """An accepted and a rejected edit and an error; attribution from 0.25 to 0.75."""
    query = Query(text="Which sea?")
    evidence = Evidence(
        text="Irish Sea", title="Ribble", url="", document_id="1", query=query.text, relevance=1.0
    )
    steps = [
        TraceStep(
            query=query,
            evidence=evidence,
            agreement=Agreement(verdict=Verdict.DISAGREES, reason="another sea"),
            edit_outcome=outcome,
            text_before=passage.text,
            text_after=passage.text,
        )
        for outcome in (EditOutcome.ACCEPTED, EditOutcome.REJECTED_RATIO)
    ]
    return Outcome(
        revision=Revision(
            passage=passage,
            text=passage.text.upper(),
            trace=tuple(steps),
            errors=(StepError(kind="UnreadableReply", message="The reply is empty."),),
        ),
        scores=Scores(
            before=(),
            after=(),
            attribution_before=0.25,
            attribution_after=0.75,
            preservation=0.9,
            f1_ap=0.8,
        ),
        usage=Usage(seconds=1.5, queries=3),
    )
