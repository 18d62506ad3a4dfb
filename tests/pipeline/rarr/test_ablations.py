"""RARR's ablations."""

import pytest

from pipeline.rarr.ablations import OpenGate
from pipeline.rarr.configuration import RarrConfig
from pipeline.rarr.systems import SYSTEMS, docstring_summary, load_system
from pipeline.rarr.types import Agreement, EditOutcome, Evidence, Passage, Query, Revision, Verdict
from pipeline.text.spans import Span
from tests.support.rarr_fakes import Gate, Pen, Questions, Shelf, document, make_components, passage

TEXT = "The hall opened in 1902. It has 90 seats."
OPEN, SEATS = "When did the hall open?", "How many seats has the hall?"
SHELF = {
    OPEN: [document("The hall opened in 1904.", id="a")],
    SEATS: [document("The hall has 80 seats.", id="b")],
    TEXT: [document("The hall opened in 1904. Big. It has 80 seats. So. Old hall.", id="c")],
    "The hall opened in 1902.": [document("The hall opened in 1904.", id="d")],
    "It has 90 seats.": [],
}


def run(system: str, *, text: str = TEXT, evidence: int = 1, **given: object) -> Revision:
    research = {"query_generator": Questions([OPEN, SEATS]), "retriever": Shelf(SHELF)}
    revision = {"agreement_model": Gate(["1902"]), "edit_model": Pen({"1902": "1904"})}
    components = make_components(**{**research, **revision, **given})
    config = RarrConfig(window_sentences=1, evidence_per_query=evidence)
    return load_system(system)(passage(text), components=components, config=config)


def test_every_system_has_a_function_and_a_short_summary() -> None:
    for name in SYSTEMS:
        text = docstring_summary(load_system(name))
        assert 30 < len(text) < 160, name
        assert "\n" not in text


def test_without_agreement_all_evidence_goes_to_the_editor() -> None:
    gate, pen = Gate(), Pen({"1902": "1904"})
    revision = run("rarr-no-agreement", agreement_model=gate, edit_model=pen)
    assert gate.received == []
    assert pen.received == [TEXT, TEXT.replace("1902", "1904")]
    outcomes = [step.edit_outcome for step in revision.trace]
    assert outcomes == [EditOutcome.ACCEPTED, EditOutcome.UNCHANGED]
    assert {step.agreement and step.agreement.reason for step in revision.trace} == {
        OpenGate.REASON
    }
    pen = Pen({"1902": "1904"})
    revision = run("rarr-no-agreement", retriever=Shelf(), edit_model=pen)
    assert (pen.received, revision.text) == ([], TEXT)


def test_without_agreement_an_ungated_model_still_returns_the_answers() -> None:
    class Answers(Gate):
        def assume_disagreement(
            self, *, passage: Passage, current: str, query: Query, evidence: Evidence
        ) -> Agreement:
            return Agreement(verdict=Verdict.DISAGREES, reason="found", evidence_answer="1904")

    gate = Answers()
    revision = run("rarr-no-agreement", agreement_model=gate)
    assert gate.received == []
    answers = [step.agreement and step.agreement.evidence_answer for step in revision.trace]
    assert answers == ["1904", "1904"]


def test_the_passage_as_query_has_three_snippets() -> None:
    shelf = Shelf(SHELF)
    revision = run("rarr-query-input", retriever=shelf)
    [query] = revision.queries
    assert query.text == TEXT
    assert query.about == Span(start=0, end=len(TEXT))
    assert [len(snippets) for snippets in revision.evidence] == [3]
    assert shelf.received == [((TEXT,), 5)]
    assert revision.text == TEXT.replace("1902", "1904")
    # A larger configured J applies.
    assert [len(snippets) for snippets in run("rarr-query-input", evidence=4).evidence] == [4]


def test_each_sentence_is_a_query() -> None:
    revision = run("rarr-query-sentence")
    sentences = ["The hall opened in 1902.", "It has 90 seats."]
    assert [query.text for query in revision.queries] == sentences
    assert [query.about and query.about.of(TEXT) for query in revision.queries] == sentences
    assert [len(snippets) for snippets in revision.evidence] == [1, 0]
    assert revision.text == TEXT.replace("1902", "1904")


@pytest.mark.parametrize("system", ["rarr-query-input", "rarr-query-sentence", "none", "rarr"])
def test_a_blank_passage_is_unchanged(system: str) -> None:
    revision = run(system, text=" \n")
    assert (revision.queries, revision.text) == ((), " \n")


def test_research_only_adds_a_report() -> None:
    gate, pen = Gate(["1902"]), Pen({"1902": "1904"})
    revision = run("none", agreement_model=gate, edit_model=pen)
    whole = run("rarr")
    assert (gate.received, pen.received, revision.trace) == ([], [], ())
    assert revision.text == TEXT
    assert (revision.queries, revision.evidence) == (whole.queries, whole.evidence)
    assert revision.report.evidence
