"""The gate by prompt."""

from typing import Any

import pytest

from pipeline.backends.prompted.agreement import PromptedAgreement, read_agreement
from pipeline.generation.prompts import load_prompts
from pipeline.rarr.errors import UnreadableReply
from pipeline.rarr.types import Agreement, Passage, Verdict
from tests.pipeline.backends.prompted.examples import EVIDENCE, IN_CONTEXT, PASSAGE, QUERY
from tests.support.scripted_model import ScriptedModel, in_turn

FULL = """The passage implies: It opened in 1931.
The evidence says: It opened in 1934.
Reasoning: The years differ.
Verdict: disagrees"""


def judged(model: ScriptedModel, passage: Passage = PASSAGE, **options: Any) -> Agreement:
    gate = PromptedAgreement(model=model, prompts=load_prompts(), **options)
    return gate.judge(passage=passage, current="It opened.", query=QUERY, evidence=EVIDENCE)


def test_a_whole_chain_of_thought_is_read() -> None:
    assert read_agreement(FULL) == Agreement(
        verdict=Verdict.DISAGREES,
        reason="The years differ.",
        passage_answer="It opened in 1931.",
        evidence_answer="It opened in 1934.",
    )


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        ("", "empty"),
        ("The passage is right.", "no line"),
        ("Verdict:", "The verdict is ''"),
        ("Verdict: partly agrees", "'partly agrees'"),
        ("Verdict: agrees, disagrees or irrelevant", "more than one verdict"),
        ("Verdict: agrees\nBut no.\nVerdict: disagrees", "more than one verdict"),
        ("This agrees with what you said. This disagrees with what you said.", "more than one"),
    ],
)
def test_anything_else_is_never_a_silent_agrees(reply: str, words: str) -> None:
    with pytest.raises(UnreadableReply, match=words):
        read_agreement(reply)


def test_a_single_judgment_raises_what_it_could_not_read() -> None:
    model = in_turn("Hm.", FULL)
    assert judged(model, temperature=0.7).verdict is Verdict.DISAGREES
    assert [prompt.temperature for prompt in model.prompts] == [0.7, 0.0], "a repair has 0"
    with pytest.raises(UnreadableReply, match="no line"):
        judged(in_turn("Hm.", "Hm."))


DIALOG = Passage(id="1", text="It opened in 1931.", context="User: Tell me about Thorne Hall.")


@pytest.mark.parametrize(
    ("contextual", "passage", "is_displayed"),
    [
        ("any", IN_CONTEXT, True),
        ("any", DIALOG, True),
        ("dialog", DIALOG, True),
        ("dialog", IN_CONTEXT, False),
    ],
)
def test_a_question_needs_a_context(contextual: str, passage: Passage, is_displayed: bool) -> None:
    model = in_turn(FULL)
    judged(model, passage, contextual=contextual)
    requests = model.prompts[0].text.rsplit("\n\n", 1)[-1]
    assert ("Context:" in requests) is is_displayed
    assert ("Thorne Hall.\nPassage: It opened.\n" in requests) is is_displayed
