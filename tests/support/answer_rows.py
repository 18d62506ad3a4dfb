"""Rows of answers with citations, scored by shared words, without a model."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from pipeline.engine.answer_scores import score_cited
from pipeline.engine.auto_ais import ScoringModels
from pipeline.engine.cost import Usage
from pipeline.engine.engine import Outcome
from pipeline.generation.answer_format import check_format
from pipeline.generation.types import Answer, Record, Step
from pipeline.importing.alce import alce_answer
from pipeline.models import Revision, Run
from pipeline.rarr.types import EntailmentScore, Evidence, Passage, Report
from pipeline.rarr.types import Revision as Revised
from pipeline.runs.stored_revisions import columns_of
from pipeline.text.sentences import split_sentences
from tests.support.factories import make_passage, make_revision, make_row, make_run
from tests.support.rarr_fakes import StandAlone

QUESTION = "When did Marlow Hall open, and what stands beside it?"
SOURCES = (
    Evidence(
        document_id="hall",
        title="Marlow Hall",
        url="https://halls.example/marlow?lang=en&page=2",
        text="Marlow Hall opened in 1904. It seats 812 people.",
        query=QUESTION,
        relevance=0.9,
    ),
    Evidence(
        document_id="mill",
        title="Denby Mill",
        url="ftp://mills.example/denby",
        text="Denby Mill stands beside Marlow Hall and grinds barley.",
        query=QUESTION,
        relevance=0.4,
    ),
)
ANSWER = (
    "Marlow Hall opened in 1904 [1][2]. Denby Mill stands beside Marlow Hall [1]. "
    "It was painted by Ada Thorne [2, 7]. Nobody knows who built it."
)
"""Supported with an irrelevant citation; supported by a source that it does not cite; not
supported, and one number has no source; nothing cited."""
GOLD = {"qa_pairs": [{"question": QUESTION, "short_answers": [each]} for each in ("1904", "1905")]}


class SharedWords:
    """The premise entails hypotheses whose words it all contains."""

    def score(self, pairs: Sequence[tuple[str, str]]) -> list[EntailmentScore]:
        return [EntailmentScore(entailed=_share(*pair)) for pair in pairs]


def answer_columns(
    text: str = ANSWER,
    *,
    sources: Sequence[Evidence] = SOURCES,
    gold: dict[str, Any] | None = None,
    steps: Sequence[Step] = (),
) -> dict[str, Any]:
    revision = Revised(
        passage=Passage(id="1", text=text, context=QUESTION),
        text=text,
        report=Report(evidence=tuple(sources)),
    )
    right = make_row(context=QUESTION, source=GOLD if gold is None else gold).source.gold
    item = alce_answer(question=QUESTION, output=text, sources=sources, gold=right)
    models = ScoringModels(SharedWords(), split_sentences, StandAlone())
    scores, result = score_cited(revision.passage, revision.report, item, models)
    record = Record(
        steps=tuple(steps), problems=check_format(text, sources=len(sources)), recall_at={1: 0.5}
    )
    outcome = Outcome(
        revision=revision,
        scores=scores,
        usage=replace(Usage(), seconds=1.5, model_calls=2),
        answer=Answer(text=text, sources=tuple(sources), record=record),
        answer_scores=result,
    )
    return columns_of(outcome)


def make_answer_run(**values: Any) -> Run:
    config = {"system": "vanilla", "entailment": "compact", "llm": "openai:stub"}
    return make_run(system="vanilla", config=config, **values)


def make_answer(
    run: Run | None = None, text: str = ANSWER, external_id: str = "hall-1", **values: Any
) -> Revision:
    run = run or make_answer_run()
    gold = values.get("gold")
    passage = make_passage(
        run.dataset,
        external_id=external_id,
        text="",
        context=QUESTION,
        source=GOLD if gold is None else gold,
    )
    columns = answer_columns(text, **values)
    return make_revision(
        run, passage=passage, context=QUESTION, state=Revision.State.DONE, **columns
    )


def _share(premise: str, hypothesis: str) -> float:
    wanted, given = (set(text.lower().replace(".", "").split()) for text in (hypothesis, premise))
    return len(wanted & given) / max(len(wanted), 1) * 0.98
