"""What the compact models do for the systems that RARR is compared with."""

import pytest

from pipeline.backends.compact.revision.agreement import CompactAgreement, is_statement
from pipeline.backends.compact.revision.editor import CompactRewriter
from pipeline.rarr.ports import UngatedAgreement
from pipeline.rarr.types import Agreement, Evidence, Passage, Query, Verdict
from pipeline.text.spans import Span
from tests.pipeline.backends.compact.knowing_reader import MILL, KnowingReader, evidence, span_of

COE = "Coe Mill is a paper mill near Leeds. It was built by Jane Coe in 1790."


def judged(
    text: str, query: Query, *sound: str, ungated: bool = False, ground: str = MILL
) -> Agreement:
    gate = CompactAgreement(KnowingReader(*sound))
    return (gate.disagree if ungated else gate.judge)(
        passage=Passage(id="1", text=text), current=text, query=query, evidence=evidence(ground)
    )


def statement(text: str, part: str) -> Query:
    return Query(text=" ".join(part.split()), about=span_of(text, part))


def test_of_the_passages_words_a_span_that_disagrees_opens_the_gate_and_no_true_one() -> None:
    text = "Hart Mill is near Preston. Hart Mill was built by Otto Hart in 1947."
    right = "Hart Mill was built by Otto Hart in 1852."
    for part in (text, "Hart Mill was built by Otto Hart in 1947."):
        result = judged(text, statement(text, part), right, "Hart Mill is near Preston.")
        assert result.verdict is Verdict.DISAGREES
        assert (result.passage_answer, result.evidence_answer) == ("1947", "1852")
    assert judged(right, statement(right, right), right).verdict is Verdict.AGREES


def test_own_words_without_a_span_are_judged_by_their_words() -> None:
    text = "It is a corn mill. Nobody paints whales there."
    assert judged(text, statement(text, "It is a corn mill.")).verdict is Verdict.AGREES
    whales = statement(text, "Nobody paints whales there.")
    assert judged(text, whales).verdict is Verdict.IRRELEVANT


def test_a_question_about_a_whole_stretch_is_no_statement() -> None:
    passage = Passage(id="1", text="Hart  Mill is old.")
    about = Span(start=0, end=len(passage.text))
    assert is_statement(Query(text="Hart Mill is old.", about=about), passage)
    assert not is_statement(Query(text="Is Hart Mill old?", about=about), passage)
    assert not is_statement(Query(text="Hart Mill is old."), passage)


WRONG = "Hart Mill was built by Otto Hart in 1947."
RIGHT = "Hart Mill was built by Otto Hart in 1852."


@pytest.mark.parametrize(
    ("text", "span", "ground", "answer"),
    [
        (WRONG, "1947", MILL, "1852"),
        (RIGHT, "1852", MILL, ""),  # its own value is likelier
        ("Hart Mill was built in 1947.", "1947", "A mill grinds corn.", ""),  # no value
    ],
)
def test_an_entailed_sentence_is_changed(text: str, span: str, ground: str, answer: str) -> None:
    assert isinstance(CompactAgreement(KnowingReader()), UngatedAgreement)
    assert judged(WRONG, statement(WRONG, WRONG), WRONG, RIGHT).verdict is not Verdict.DISAGREES
    query = Query(text="?", about=span_of(text, span))
    result = judged(text, query, WRONG, RIGHT, ungated=True, ground=ground)
    assert (result.verdict, result.evidence_answer) == (Verdict.DISAGREES, answer)
    assert bool(result.passage_span) == bool(answer)


def rewritten(text: str, snippets: list[Evidence], *sound: str) -> str:
    rewriter = CompactRewriter(KnowingReader(*sound))
    return rewriter.rewrite(passage=Passage(id="1", text=text), evidence=snippets).text


def test_all_spans_are_corrected_at_once_from_whatever_snippet_disputes_them() -> None:
    text = "Hart Mill was built by Otto Hart in 1947. Hart Mill burned down in 1961."
    right = "Hart Mill was built by Otto Hart in 1852. Hart Mill burned down in 1932."
    sound = [RIGHT, right.removeprefix(f"{RIGHT} ")]
    assert rewritten(text, [evidence(COE, "Coe Mill"), evidence()], *sound) == right


@pytest.mark.parametrize("order", [1, -1])
def test_a_value_that_any_snippet_has_stays(order: int) -> None:
    snippets = [evidence(), evidence(WRONG, "Hart Mill")][::order]
    assert rewritten(WRONG, snippets, RIGHT) == WRONG
