"""Citations added to answers that were written without sources."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.generation.types import NoDraft, Question
from pipeline.generation.writing import claims_of, insert_citations
from pipeline.metrics.citation_marks import cited, without_citations
from pipeline.rarr.errors import UnreadableReply
from pipeline.rarr.types import (
    EditOutcome,
    EntailmentScore,
    Passage,
    Query,
    Report,
    Revision,
    RevisionFailed,
    StepError,
    TraceStep,
)
from tests.support.answer_script import DRAFT, HALL, MILL
from tests.support.rarr_fakes import Nli, Splitter, StandAlone, evidence
from tests.support.strategy_tools import Script, brought, make_tools, run

PROMPT = "Marlow Hall opened in 1902. Barley is ground at the mill."
MENDED = "Marlow Hall opened in 1904. Barley is ground at the mill."


def test_each_statement_gets_its_best_passage_and_no_other_citation() -> None:
    text = "Barley grinds at a mill.\n\nMarlow Hall opened in 1904! It has 812 seats"
    written = run("post-cite", draft=text)
    # Numbered in the order of first citation.
    cited_text = text.replace("mill", "mill [1]").replace("1904", "1904 [2]") + " [2]"
    assert written.text == cited_text
    assert [each.title for each in written.sources] == [MILL.title, HALL.title]
    written = run("post-cite", draft="It opened in 1904 [7].")
    assert written.text == "It opened in 1904 [1]."
    assert [each.title for each in written.sources] == [HALL.title]


def test_the_model_writes_the_draft_where_none_is_given() -> None:
    script = Script()
    written = run("post-cite", script)
    assert (without_citations(written.text), script.steps) == (DRAFT, ["draft"])
    assert written.record.steps[0].text == DRAFT


@pytest.mark.parametrize("name", ["post-cite", "closed-book-rarr"])
def test_without_a_draft_or_a_model_the_error_reports_what_to_do(name: str) -> None:
    with pytest.raises(NoDraft, match="The passage 1 has no text to begin with"):
        run(name)


def test_without_a_passage_nothing_is_cited() -> None:
    written = run("post-cite", tools=make_tools(retriever=None), draft=DRAFT)
    assert (written.text, written.sources) == (DRAFT, ())


def test_the_entities_of_a_list_are_cited_each() -> None:
    given = {"text": "which?", "sources": brought(HALL, MILL), "is_list": True}
    tools = make_tools(retriever=None)
    written = run("post-cite", tools=tools, draft="Marlow Hall, Denby Mill,.", **given)
    assert written.text == "Marlow Hall [1], Denby Mill [2],."


def revised(passage: Passage, **values: object) -> Revision:
    query = Query(text="When did it open?")
    step = TraceStep(
        query=query,
        evidence=evidence("x"),
        edit_outcome=EditOutcome.ACCEPTED,
        edit_reason="The hall opened in 1904.",
        text_before=passage.text,
        text_after=MENDED,
    )
    given = {"text": MENDED, "trace": (step,), "report": Report(evidence=brought(MILL, HALL))}
    return Revision(passage=passage, **{**given, **values})  # type: ignore[arg-type]


def test_the_revised_draft_cites_its_report() -> None:
    requests: list[Passage] = []

    def revise(passage: Passage) -> Revision:
        requests.append(passage)
        return revised(passage)

    nli = Nli(
        lambda premise, hypothesis: EntailmentScore(entailed=0.9 * ("1904" in premise + hypothesis))
    )
    written = run("closed-book-rarr", tools=make_tools(revise=revise, entailment=nli), draft=PROMPT)
    question = "When did Marlow Hall open, and how many seats does it have?"
    assert requests == [Passage(id="1", text=PROMPT, context=question)]
    assert written.text == ("Marlow Hall opened in 1904 [1][2]. Barley is ground at the mill [2].")
    assert written.sources == brought(MILL, HALL)
    steps = [("draft", PROMPT), ("edit", "The hall opened in 1904."), ("revised", MENDED)]
    assert [(each.name, each.text) for each in written.record.steps] == steps


@pytest.mark.parametrize(
    ("likely", "together", "marks"),
    [
        # At most three that entail, the most probable first.
        ((0.5, 0.9, 0.49, 0.7, 0.6), "x", (2, 4, 5)),
        ((0.5, 0.5, 0.5, 0.5, 0.5), "x", (1, 2, 3)),
        ((0.0, 0.4, 0.3, 0.2, 0.1), "x", ()),
        # Else those that only entail together.
        ((0.2, 0.3, 0.1, 0.4, 0.0), "31", (4, 2)),
        ((0.2, 0.3, 0.1, 0.4, 0.0), "30", (4, 2, 1)),
        ((0.2, 0.3, 0.1, 0.4, 0.0), "04", ()),
    ],
)
def test_sources_that_entail_alone_or_else_together_are_cited(
    likely: tuple[float, ...], together: str, marks: tuple[int, ...]
) -> None:
    report = Report(evidence=tuple(evidence(str(number)) for number in range(5)))

    def entails(premise: str, _: str) -> EntailmentScore:
        first, *others = premise.split()
        alone = 0.0 if others else likely[int(first)]
        return EntailmentScore(entailed=0.8 if {*together} <= {first, *others} else alone)

    tools = make_tools(
        revise=lambda passage: revised(passage, text="It fell.", report=report),
        entailment=Nli(entails),
    )
    assert cited(run("closed-book-rarr", tools=tools, draft=PROMPT).text) == marks


def test_a_statement_is_cited_as_it_reads_alone() -> None:
    alone = StandAlone({"Barley is ground at the mill.": "Marlow Hall opened in 1904."})
    nli = Nli(lambda _, hypothesis: EntailmentScore(entailed=float("1904" in hypothesis)))
    tools = make_tools(revise=revised, entailment=nli, decontextualizer=alone)
    written = run("closed-book-rarr", tools=tools, draft=PROMPT)
    assert written.text == "Marlow Hall opened in 1904 [1][2]. Barley is ground at the mill [1][2]."
    ((passage, _),) = alone.received
    assert passage.text == MENDED


def test_an_unread_reply_of_rarr_is_not_passed_over() -> None:
    error = StepError.of(UnreadableReply("No verdict."))
    tools = make_tools(revise=lambda passage: revised(passage, errors=(error,)))
    with pytest.raises(RevisionFailed, match="No verdict"):
        run("closed-book-rarr", tools=tools, draft=PROMPT)


@given(st.text(alphabet='ab1.,!? \n"[]', max_size=60), st.booleans())
def test_citing_adds_marks_and_nothing_else(text: str, is_list: bool) -> None:
    question = Question(id="1", text="q", is_list=is_list)
    claims = claims_of(text, question=question, splitter=Splitter())
    written = insert_citations(
        text, [(claim, [700 + position]) for position, claim in enumerate(claims)]
    )
    for position, _ in enumerate(claims):
        assert written.count(f" [{700 + position}]") == 1
        written = written.replace(f" [{700 + position}]", "")
    assert written == text
