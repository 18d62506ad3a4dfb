"""RARR with scripted models."""

import pytest

from pipeline.rarr.configuration import RarrConfig, with_settings
from pipeline.rarr.errors import BadConfig, RarrError, TransientError, UnreadableReply
from pipeline.rarr.loop import revise
from pipeline.rarr.types import EditOutcome, Revision, StepError
from tests.support.rarr_fakes import (
    Gate,
    Pen,
    Questions,
    SharedWords,
    Shelf,
    document,
    make_components,
    passage,
)

TEXT = "The hall opened in 1902. The hall has 90 seats."
SHELF = {
    "When did the hall open?": [document("The hall opened in 1904.", id="a")],
    "How many seats has the hall?": [document("The hall has 80 seats.", id="b")],
}
QUESTIONS = Questions(list(SHELF))


def revised(
    text: str = TEXT, *, settings: dict[str, int] | None = None, **given: object
) -> Revision:
    config = with_settings(RarrConfig(), settings or {})
    return revise(passage(text), components=make_components(**given), config=config)


def searched(**given: object) -> Revision:
    """The passage revised by both questions and their pages."""
    return revised(**{"query_generator": QUESTIONS, "retriever": Shelf(SHELF), **given})  # type: ignore[arg-type]


def test_each_disagreement_is_edited_and_the_next_step_sees_the_new_text() -> None:
    gate = Gate(["1902", "90"])
    revision = searched(agreement_model=gate, edit_model=Pen({"1902": "1904"}))
    assert revision.text == TEXT.replace("1902", "1904")
    outcomes = [step.edit_outcome for step in revision.trace]
    assert outcomes == [EditOutcome.ACCEPTED, EditOutcome.UNCHANGED]
    assert gate.received[-1][0] == revision.text
    assert revision.trace[1].text_before == revision.trace[0].text_after == revision.text
    assert revision.is_changed


def test_the_report_has_the_evidence_of_an_accepted_edit() -> None:
    revision = searched(
        relevance=SharedWords(lambda query, text: 1.0),
        agreement_model=Gate(["90"]),
        edit_model=Pen({"90": "80"}),
    )
    outcomes = [step.edit_outcome for step in revision.trace]
    assert outcomes == [EditOutcome.ACCEPTED, EditOutcome.NONE]
    assert [snippet.document_id for snippet in revision.report.evidence] == ["a"]


def test_without_disagreement_the_editor_is_not_called() -> None:
    pen = Pen({"1902": "1904"})
    revision = searched(edit_model=pen)
    assert (pen.received, revision.text) == ([], TEXT)
    assert {step.edit_outcome for step in revision.trace} == {EditOutcome.NONE}


def test_evidence_is_judged_by_query_and_then_by_rank() -> None:
    gate = Gate()
    shelf = {
        "open?": [document("It will open. Soon. Or open late.", id="a")],
        "seats?": [document("It has seats.", id="b")],
    }
    revised(
        query_generator=Questions(list(shelf)),
        retriever=Shelf(shelf),
        agreement_model=gate,
        settings={"evidence_per_query": 2, "window_sentences": 1},
    )
    of_opening = [("open?", "It will open."), ("open?", "Or open late.")]
    judged = [(query, text) for _, query, text in gate.received]
    assert judged == [*of_opening, ("seats?", "It has seats.")]


def test_an_unreadable_verdict_is_an_error_of_its_step_only() -> None:
    gate = Gate(["90"], errors={"When did the hall open?": UnreadableReply("No verdict.")})
    revision = searched(agreement_model=gate, edit_model=Pen({"90": "80"}))
    first, second = revision.trace
    assert first.error == StepError(kind="UnreadableReply", message="No verdict.")
    assert (first.agreement, first.edit_outcome) == (None, EditOutcome.ERROR)
    assert second.edit_outcome is EditOutcome.ACCEPTED
    assert revision.text == TEXT.replace("90", "80")
    assert revision.fatal_errors == ((first.query.text, first.error),)


def test_a_query_without_evidence_is_a_step() -> None:
    revision = revised(query_generator=Questions(["Who?"]))
    [step] = revision.trace
    assert (step.evidence, step.agreement, step.edit_outcome) == (None, None, EditOutcome.NONE)
    assert revision.evidence == ((),)
    assert revision.report.evidence == ()
    assert revision.report.coverage is None
    assert (revision.text, revision.errors) == (TEXT, ())


def test_unreadable_queries_are_an_error_and_the_text_is_unchanged() -> None:
    revision = revised(query_generator=Questions(error=UnreadableReply("No query.", reply="Sorry")))
    error = StepError(kind="UnreadableReply", message="No query.", reply="Sorry")
    assert revision.errors == (error,)
    assert (revision.text, revision.queries, revision.trace) == (TEXT, (), ())
    assert revision.fatal_errors == (("research", error),)


def test_one_unreadable_sample_is_no_fatal_error() -> None:
    bad = UnreadableReply("No question.", reply="Sorry")
    generator = Questions(list(SHELF)[:1], bad, list(SHELF)[1:])
    revision = searched(query_generator=generator)
    assert [query.text for query in revision.queries] == list(SHELF)
    assert len(revision.trace) == 2
    assert [(each.message, each.reply) for each in revision.errors] == [("No question.", "Sorry")]
    assert revision.fatal_errors == ()


def test_an_unreadable_search_is_an_error_and_the_queries_remain() -> None:
    revision = searched(retriever=Shelf(error=UnreadableReply("Hm.")))
    assert [origin for origin, _ in revision.fatal_errors] == ["research"]
    assert len(revision.queries) == len(revision.evidence) == len(revision.trace) == 2


@pytest.mark.parametrize(
    "error", [TransientError("time-out"), BadConfig("no such model"), RarrError("no index")]
)
@pytest.mark.parametrize(
    "failing", ["query_generator", "retriever", "relevance", "agreement_model", "edit_model"]
)
def test_other_errors_are_raised(failing: str, error: RarrError) -> None:
    class Failing(SharedWords):
        def score(self, pairs: object) -> list[float]:
            if len(self.received) == 1:
                raise error
            return list(super().score(pairs))  # type: ignore[arg-type]

    broken = {
        "query_generator": Questions(error=error),
        "retriever": Shelf(error=error),
        "relevance": Failing(),
        "agreement_model": Gate(errors=dict.fromkeys(SHELF, error)),
        "edit_model": Pen(error=error),
    }
    with pytest.raises(type(error)):
        searched(**{"agreement_model": Gate(["1902"]), failing: broken[failing]})
