"""The whole of RARR, with models that answer from a script."""

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
    """The passage revised where both questions are asked and find their page."""
    return revised(**{"query_generator": QUESTIONS, "retriever": Shelf(SHELF), **given})  # type: ignore[arg-type]


def test_each_disagreement_is_edited_and_the_next_step_sees_the_new_text() -> None:
    gate = Gate(["1902", "90"])
    result = searched(agreement=gate, editor=Pen({"1902": "1904"}))
    assert result.text == TEXT.replace("1902", "1904")
    assert [step.edit_outcome for step in result.trace] == [
        EditOutcome.ACCEPTED,
        EditOutcome.UNCHANGED,
    ]
    assert gate.received[-1][0] == result.text
    assert result.trace[1].text_before == result.trace[0].text_after == result.text
    assert result.is_changed


def test_the_report_holds_the_evidence_of_a_kept_edit() -> None:
    result = searched(
        relevance=SharedWords(lambda query, text: 1.0),
        agreement=Gate(["90"]),
        editor=Pen({"90": "80"}),
    )
    assert [step.edit_outcome for step in result.trace] == [EditOutcome.ACCEPTED, EditOutcome.NONE]
    assert [snippet.document_id for snippet in result.report.evidence] == ["a"]


def test_a_shut_gate_never_calls_the_editor() -> None:
    pen = Pen({"1902": "1904"})
    result = searched(editor=pen)
    assert (pen.received, result.text) == ([], TEXT)
    assert {step.edit_outcome for step in result.trace} == {EditOutcome.NONE}


def test_evidence_is_taken_by_query_and_then_by_rank() -> None:
    gate = Gate()
    shelf = {
        "open?": [document("It will open. Soon. Or open late.", id="a")],
        "seats?": [document("It has seats.", id="b")],
    }
    revised(
        query_generator=Questions(list(shelf)),
        retriever=Shelf(shelf),
        agreement=gate,
        settings={"evidence_per_query": 2, "window_sentences": 1},
    )
    assert [(query, text) for _, query, text in gate.received] == [
        ("open?", "It will open."),
        ("open?", "Or open late."),
        ("seats?", "It has seats."),
    ]


def test_an_unreadable_verdict_is_named_and_the_next_query_still_gets_its_turn() -> None:
    gate = Gate(["90"], errors={"When did the hall open?": UnreadableReply("No verdict.")})
    result = searched(agreement=gate, editor=Pen({"90": "80"}))
    first, second = result.trace
    assert first.error == StepError(kind="UnreadableReply", message="No verdict.")
    assert (first.agreement, first.edit_outcome) == (None, EditOutcome.ERROR)
    assert second.edit_outcome is EditOutcome.ACCEPTED
    assert result.text == TEXT.replace("90", "80")
    assert result.fatal_errors == ((first.query.text, first.error),)


def test_a_query_without_evidence_leaves_a_step_that_reports_it() -> None:
    result = revised(query_generator=Questions(["Who?"]))
    [step] = result.trace
    assert (step.evidence, step.agreement, step.edit_outcome) == (None, None, EditOutcome.NONE)
    assert result.evidence == ((),)
    assert result.report.evidence == ()
    assert result.report.coverage is None
    assert (result.text, result.errors) == (TEXT, ())


def test_unreadable_queries_are_named_and_the_text_comes_back() -> None:
    result = revised(query_generator=Questions(error=UnreadableReply("No query.", reply="Sorry")))
    assert result.errors == (StepError(kind="UnreadableReply", message="No query.", reply="Sorry"),)
    assert (result.text, result.queries, result.trace) == (TEXT, (), ())
    assert result.fatal_errors == (("research", result.errors[0]),)


def test_one_unreadable_sample_is_named_and_costs_no_other() -> None:
    bad = UnreadableReply("No question.", reply="Sorry")
    generator = Questions(list(SHELF)[:1], bad, list(SHELF)[1:])
    result = searched(query_generator=generator)
    assert [query.text for query in result.queries] == list(SHELF)
    assert len(result.trace) == 2
    assert [(each.message, each.reply) for each in result.errors] == [("No question.", "Sorry")]
    assert result.fatal_errors == (), "the passage has had its research"


def test_an_unreadable_search_is_named_and_keeps_the_queries() -> None:
    result = searched(retriever=Shelf(error=UnreadableReply("Hm.")))
    assert [where for where, _ in result.fatal_errors] == ["research"]
    assert len(result.queries) == len(result.evidence) == len(result.trace) == 2


@pytest.mark.parametrize(
    "error", [TransientError("time-out"), BadConfig("no such model"), RarrError("no index")]
)
@pytest.mark.parametrize("where", ["questions", "search", "gate", "editor", "report"])
def test_what_concerns_the_whole_passage_is_raised(where: str, error: RarrError) -> None:
    class Falling(SharedWords):
        def score(self, pairs: object) -> list[float]:
            if len(self.received) == 1:
                raise error
            return list(super().score(pairs))  # type: ignore[arg-type]

    def falls(at: str) -> RarrError | None:
        return error if at == where else None

    with pytest.raises(type(error)):
        revised(
            query_generator=Questions(list(SHELF), error=falls("questions")),
            retriever=Shelf(SHELF, error=falls("search")),
            relevance=Falling() if where == "report" else SharedWords(),
            agreement=Gate(["1902"], errors=dict.fromkeys(SHELF, error) if where == "gate" else {}),
            editor=Pen(error=falls("editor")),
        )
