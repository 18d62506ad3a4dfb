"""The gate and the edit together: what a passage becomes by a piece of evidence.

Also what the models do for the systems that RARR is compared with.
"""

import pytest

from pipeline.backends.compact.queries import CompactQueryGenerator
from pipeline.backends.compact.revision.agreement import CompactAgreement, is_statement
from pipeline.backends.compact.revision.editor import CompactEditor, CompactRewriter
from pipeline.backends.compact.revision.located import moved
from pipeline.rarr.ports import AssumesDisagreement
from pipeline.rarr.types import Agreement, Evidence, Passage, ProposedEdit, Query, Verdict
from pipeline.text.spans import Span
from tests.pipeline.backends.compact.knowing_reader import MILL, KnowingReader, evidence, span_of

WRONG = "Hart Mill was built by Otto Hart in 1947."
RIGHT = "Hart Mill was built by Otto Hart in 1852."
JUNIOR = "Hart Mill was built in 1852 by Jane Coe Jr."


def judged(
    text: str,
    span: str,
    *sound: str,
    ground: str = MILL,
    title: str = "Hart Mill",
    context: str = "",
    current: str = "",
    question: str = "?",
    ungated: bool = False,
) -> Agreement:
    """The verdict about a span ("" for none), with a reader that entails only these sentences."""
    gate = CompactAgreement(KnowingReader(*sound))
    return (gate.assume_disagreement if ungated else gate.judge)(
        passage=Passage(id="1", text=text, context=context),
        current=current or text,
        query=Query(text=question, about=span_of(text, span) if span else None),
        evidence=evidence(ground, title),
    )


def edit(text: str, span: str, answer: str, *sound: str) -> ProposedEdit:
    """What the editor proposes where the evidence answers `answer` in the place of `span`."""
    span_in_text = span_of(text, span)
    agreement = Agreement(
        verdict=Verdict.DISAGREES, reason="", evidence_answer=answer, passage_span=span_in_text
    )
    return CompactEditor(KnowingReader(*sound)).edit(
        passage=Passage(id="1", text=text),
        current=text,
        query=Query(text="?"),
        evidence=evidence(),
        agreement=agreement,
    )


def revised(text: str, *sound: str, ground: str = MILL, context: str = "") -> str:
    """The text after all of the generator's questions."""
    passage = Passage(id="1", text=text, context=context)
    [queries] = CompactQueryGenerator().generate(passage, samples=1, temperature=0)
    reader = KnowingReader(*sound)
    current, snippet = text, evidence(ground)
    for query in queries:
        about = {"passage": passage, "current": current, "query": query, "evidence": snippet}
        agreement = CompactAgreement(reader).judge(**about)  # type: ignore[arg-type]
        if agreement.opens_gate:
            proposed = CompactEditor(reader).edit(**about, agreement=agreement)  # type: ignore[arg-type]
            current = proposed.text
    return current


@pytest.mark.parametrize(
    ("wrong", "right", "ground"),
    [
        (WRONG, RIGHT, MILL),
        ("Hart Mill was built by Jane Coe in 1852.", RIGHT, MILL),
        ("Hart Mill burned down on June 9, 1932.", "Hart Mill burned down on May 9, 1932.", MILL),
        ("Hart Mill burned down in 1961 [1].", "Hart Mill burned down in 1932 [1].", MILL),
        ("The mill by Otto Hart has 40 windows.", "The mill by Otto Hart has 12 windows.", MILL),
        # The evidence has the wrong value elsewhere.
        (RIGHT.replace("1852", "1932"), RIGHT, MILL),
        ("Otto Hart built Hart Mill near Ribble.", "Otto Hart built Hart Mill near Preston.", MILL),
        # Names that are only spelled alike.
        ("Reykjavik is the capital of Ireland.", "Reykjavik is the capital of Iceland.", ""),
        ("Harry Porter built Hart Mill.", "Harry Potter built Hart Mill.", ""),
        # An abbreviation has no full stop of its own at the end.
        (JUNIOR, JUNIOR.replace("Jane Coe Jr", "Otto Hart"), ""),
    ],
)
def test_only_the_wrong_span_takes_the_evidences_value(wrong: str, right: str, ground: str) -> None:
    assert revised(wrong, right, ground=ground or right) == right


def test_a_count_does_not_agree_with_the_difference_of_two_years() -> None:
    ground = "Hart Mill has many windows. It opened in 1840 and closed in 1852."
    assert judged("Hart Mill has 12 windows.", "12", ground=ground).verdict is not Verdict.AGREES


def test_the_reader_is_not_used_for_unrelated_evidence() -> None:
    text = "Lena Marsh won the chess cup in Vienna in 1999."
    reader = KnowingReader()
    CompactAgreement(reader).judge(
        passage=Passage(id="1", text=text),
        current=text,
        query=Query(text="In what year?", about=span_of(text, "1999")),
        evidence=evidence(),
    )
    assert reader.received == 0


def test_an_edit_reports_how_likely_the_sentence_is_entailed_before_and_after() -> None:
    sound = "Hart Mill was built in 1852."
    proposed = edit("Hart Mill was built in 1947.", "1947", "1852", sound)
    assert proposed.text == sound
    assert proposed.entailed_before is not None
    assert proposed.entailed_after is not None
    assert proposed.entailed_before < 0.1 < 0.8 < proposed.entailed_after
    assert edit("It is a 17th-century mill.", "17th", "18th").text == "It is an 18th-century mill."


@pytest.mark.parametrize(
    "sound",
    [
        "Hart Mill, a corn mill, was built by O. Hart in 1852.",
        "Hart built the mill in the 1850s, and it has twelve windows [3].",
        "Hart Mill burned down in May 1932.",
        "The mill stood for 80 years, from 1852 to 1932.",
        "Hart Mill is near Preston.",
    ],
)
def test_a_sound_sentence_stays_unchanged(sound: str) -> None:
    assert revised(sound, sound) == sound
    # Nor does a value change that the question gives.
    text = "Coe Mill was built in 1852."
    assert revised(text, context="When was Coe Mill built?") == text


def test_the_reason_names_both_answers_and_their_spans() -> None:
    agreement = judged(RIGHT, "1852", RIGHT)
    assert agreement.verdict is Verdict.AGREES
    assert agreement.reason == "The passage says 1852, and so does the evidence."
    agreement = judged(WRONG, "1947", RIGHT)
    assert agreement.verdict is Verdict.DISAGREES
    assert agreement.reason == "The passage says 1947, the evidence says 1852."
    assert agreement.passage_span
    assert agreement.evidence_span
    assert agreement.passage_span.of(WRONG) == "1947"
    assert agreement.evidence_span.of(MILL) == "1852"


HART = "Hart Mill was built by Otto Hart"
TEXT = f"{HART} in 1947 and has 12 windows."
OPENED = "Hart Mill was built by Otto Coe. The Prince of Wales opened it on 4 March 1893."
OTHER = "Coe Mill is a corn mill. It was opened on 30 June 1894 by the York Prince of Wales."
COE = {"ground": OTHER, "title": "Coe Mill"}
FOUNDED = "Otto Coe Hart founded the mill. Otto Hart died in 1902."
A_MAN = {"ground": "A man founded the mill in 1850 and died in 1902, as Ada Coe says."}
POST = {"ground": "In 1902 a friend wrote to the Preston Post about his dog."}
DOZEN = {"ground": f"{HART} and has a dozen windows. It was closed in 1947."}
QUESTION = {"context": "When was Coe Mill built?"}

NOT_HART = "The sentence seems to be about Hart Mill, the evidence about something else."
UNSAID = "The evidence does not seem to say"
NO_YEAR = f"{UNSAID}: no year in it is likely to stand for “1947”."
NO_12 = f"{UNSAID}: no number in it is likely to stand for “12”"
FEW_WORDS = "The evidence has only 18% of the sentence’s words besides “Hart Mill”, by weight: "
OTHER_FORM = "The passage says 12, and so does the evidence in another form."
IN_CONTEXT = f"{UNSAID} “Coe Mill”; the passage’s context gives it, so it stays."
ELSEWHERE = f"{UNSAID} “Otto Coe Hart”; the passage says “Otto Hart” elsewhere, so it stays."


@pytest.mark.parametrize(
    ("text", "span", "given", "reason"),
    [
        (TEXT, "1947", {"ground": f"{HART} near Preston."}, NO_YEAR),
        (TEXT, "12", {"ground": f"{HART} and has windows. Some 9 of us came to see it."}, NO_12),
        (TEXT, "Hart Mill", POST, FEW_WORDS),
        (TEXT, "12", {"ground": f"{HART}; it has twelve windows."}, OTHER_FORM),
        (TEXT, "12", DOZEN, f"{NO_12}."),
        ("Coe Mill was built in 1852.", "Coe Mill", QUESTION, IN_CONTEXT),
        (FOUNDED, "Otto Coe Hart", A_MAN, ELSEWHERE),
        (RIGHT, "1852", COE | {"ground": "Coe Mill was built by Otto Coe in 1901."}, NOT_HART),
        (OPENED, "4 March 1893", COE, NOT_HART),
        ("Hart Mill is old. It opened in York in 1893.", "1893", COE, NOT_HART),
    ],
)
def test_the_reason_is_accurate(text: str, span: str, given: dict[str, str], reason: str) -> None:
    agreement = judged(text, span, **given)
    assert agreement.reason.startswith(reason)
    is_stated = reason.startswith("The passage says")
    assert agreement.verdict is (Verdict.AGREES if is_stated else Verdict.IRRELEVANT)


def test_a_sentence_that_the_evidence_supports_as_a_whole_stays() -> None:
    reason = "The evidence supports the sentence as a whole, though it lacks “1947”."
    assert judged(WRONG, "1947", WRONG).reason == reason


@pytest.mark.parametrize("part", ["1852", "May 1852"])
def test_a_date_that_the_evidence_has_in_part_agrees_in_part(part: str) -> None:
    ground = f"Otto Hart opened Hart Mill in {part}."
    agreement = judged("Otto Hart opened Hart Mill on 9 May 1852.", "9 May 1852", ground=ground)
    assert agreement.verdict is Verdict.AGREES
    assert agreement.reason == f"The passage says 9 May 1852; of that the evidence says {part}."
    assert agreement.evidence_span
    assert agreement.evidence_span.of(ground) == agreement.evidence_answer == part


def test_a_number_is_not_part_of_another() -> None:
    ground = "Hart Mill, built in 1912, has 12 windows."
    agreement = judged("Hart Mill has 12 windows.", "12", ground=ground)
    assert agreement.evidence_span == Span(start=30, end=32)


def test_a_name_with_an_addition_is_no_other_answer() -> None:
    text = "Otto Hart and Ada Coe reached the top of Coe Hill on 29 May 1953."
    longer = "Otto Hart of New Zealand"
    ground = f"{longer} and the guide Ada Coe reached the top of Coe Hill on 29 May 1953."
    agreement = judged(text, "Otto Hart", text.replace("Otto Hart", longer), ground=ground)
    assert agreement.verdict is Verdict.AGREES
    assert agreement.reason == f"The passage says Otto Hart, and so does the evidence: {longer}."
    assert edit(text, "Otto Hart", longer).reason == f"“{longer}” leaves “Otto Hart” as it is."


SHIP = "The tall ship did not fit under the bridge."


def test_a_sentence_is_only_judged() -> None:
    question = "Did the tall ship not fit under the bridge?"
    grounds = {SHIP: Verdict.AGREES, SHIP.replace("did not", "did"): Verdict.IRRELEVANT}
    for ground, verdict in grounds.items():
        assert judged(SHIP, "", question=question, ground=ground, title="").verdict is verdict
    burned, question = "the mill burned down.", "Is it true that the mill burned down?"
    assert judged(burned, "", question=question).verdict is Verdict.AGREES
    salt = judged(burned, "", question=question, ground="Salt is white.", title="")
    assert salt.verdict is Verdict.IRRELEVANT


def test_the_span_is_located_in_the_current_text_after_earlier_edits() -> None:
    current = "Otto Hart built Hart Mill in 1947."
    right = current.replace("1947", "1852")
    agreement = judged("Jane Coe built Hart Mill in 1947.", "1947", right, current=current)
    assert agreement.passage_span
    assert agreement.passage_span.of(current) == "1947"
    assert moved("ab 12", "abcd 12", Span(start=3, end=5)) == Span(start=5, end=7)


def test_a_snippet_that_describes_its_subject_may_mean_the_sentences() -> None:
    text = "Ada Hart ran the long race in Preston in 40 minutes and won the cup."
    ground = "Otto Coe lost. According to the Post, the tall champion ran the long race in Preston "
    ground += "in 19 minutes and won the cup."
    agreement = judged(text, "40", text.replace("40", "19"), ground=ground, title="")
    assert agreement.verdict is Verdict.DISAGREES


def test_the_same_evidence_about_the_same_thing_opens_the_gate() -> None:
    ground = OTHER.replace("Coe Mill", "Hart Mill").replace("It was", "The mill was")
    agreement = judged(OPENED, "4 March 1893", ground=ground.replace("York Prince", "Prince"))
    assert agreement.verdict is Verdict.DISAGREES
    assert agreement.evidence_answer == "30 June 1894"


def quoted(text: str, part: str, *sound: str) -> Agreement:
    """The verdict about a part of the text that the query quotes."""
    return judged(text, part, *sound, question=part)


def test_of_the_passages_words_a_span_that_disagrees_opens_the_gate_and_no_true_one() -> None:
    text = "Hart Mill is near Preston. Hart Mill was built by Otto Hart in 1947."
    for part in (text, WRONG):
        agreement = quoted(text, part, RIGHT, "Hart Mill is near Preston.")
        assert agreement.verdict is Verdict.DISAGREES
        assert (agreement.passage_answer, agreement.evidence_answer) == ("1947", "1852")
    assert quoted(RIGHT, RIGHT, RIGHT).verdict is Verdict.AGREES


def test_own_words_without_a_span_are_judged_by_their_words() -> None:
    text = "It is a corn mill. Nobody paints whales there."
    assert quoted(text, "It is a corn mill.").verdict is Verdict.AGREES
    assert quoted(text, "Nobody paints whales there.").verdict is Verdict.IRRELEVANT


def test_a_question_about_a_whole_stretch_is_no_statement() -> None:
    passage = Passage(id="1", text="Hart  Mill is old.")
    about = Span(start=0, end=len(passage.text))
    assert is_statement(Query(text="Hart Mill is old.", about=about), passage)
    assert not is_statement(Query(text="Is Hart Mill old?", about=about), passage)
    assert not is_statement(Query(text="Hart Mill is old."), passage)


@pytest.mark.parametrize(
    ("text", "span", "ground", "answer"),
    [
        (WRONG, "1947", MILL, "1852"),
        (RIGHT, "1852", MILL, ""),  # its own value is likelier
        ("Hart Mill was built in 1947.", "1947", "A mill grinds corn.", ""),  # no value
    ],
)
def test_an_entailed_sentence_is_changed(text: str, span: str, ground: str, answer: str) -> None:
    assert isinstance(CompactAgreement(KnowingReader()), AssumesDisagreement)
    assert quoted(WRONG, WRONG, WRONG, RIGHT).verdict is not Verdict.DISAGREES
    agreement = judged(text, span, WRONG, RIGHT, ungated=True, ground=ground)
    assert (agreement.verdict, agreement.evidence_answer) == (Verdict.DISAGREES, answer)
    assert bool(agreement.passage_span) == bool(answer)


def rewritten(text: str, snippets: list[Evidence], *sound: str) -> str:
    rewriter = CompactRewriter(KnowingReader(*sound))
    return rewriter.rewrite(passage=Passage(id="1", text=text), evidence=snippets).text


def test_all_spans_are_corrected_at_once_from_whatever_snippet_disputes_them() -> None:
    burned = "Hart Mill burned down in 1932."
    text = f"{WRONG} {burned.replace('1932', '1961')}"
    coe = evidence("Coe Mill is a paper mill near Leeds. Jane Coe built it in 1790.", "Coe Mill")
    assert rewritten(text, [coe, evidence()], RIGHT, burned) == f"{RIGHT} {burned}"


@pytest.mark.parametrize("order", [1, -1])
def test_a_value_that_any_snippet_has_stays(order: int) -> None:
    snippets = [evidence(), evidence(WRONG, "Hart Mill")][::order]
    assert rewritten(WRONG, snippets, RIGHT) == WRONG
