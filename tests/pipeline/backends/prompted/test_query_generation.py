"""Questions by prompt."""

import pytest

from pipeline.backends.prompted.query_generation import PromptedQueryGenerator, read_queries
from pipeline.generation.prompts import load_prompts
from pipeline.rarr.errors import UnreadableReply
from pipeline.rarr.types import Passage
from tests.pipeline.backends.prompted.examples import IN_CONTEXT, PASSAGE
from tests.support.scripted_model import ScriptedModel, in_turn


def generated(
    model: ScriptedModel, passage: Passage = PASSAGE, *, temperature: float = 0.7
) -> list[list[str] | UnreadableReply]:
    """The texts of each of three samples, or its error."""
    generator = PromptedQueryGenerator(model=model, prompts=load_prompts())
    samples = generator.generate(passage, samples=3, temperature=temperature)
    return [
        each if isinstance(each, UnreadableReply) else [query.text for query in each]
        for each in samples
    ]


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        ("", "empty"),
        ("<think>What to ask", "within its thoughts"),
        ("The passage is correct.", "no question in the reply: 'The passage is correct.'"),
        ("Questions:", "no question"),
        ("1. " + "why " * 100, "400 characters|399 characters"),
    ],
)
def test_anything_else_is_named(reply: str, words: str) -> None:
    with pytest.raises(UnreadableReply, match=words):
        read_queries(reply)


def test_one_prompt_requests_all_samples() -> None:
    model = ScriptedModel(lambda p: ["1. A?", "1. B?\n2. A?", "1. C?"])
    assert generated(model) == [["A?"], ["B?", "A?"], ["C?"]]
    (prompt,) = model.prompts
    assert (prompt.samples, prompt.temperature, prompt.stop) == (3, 0.7, ("\nPassage:",))
    assert prompt.text.endswith("Passage: The hall opened in 1931.\nIt seats 900.\nQuestions:")


def test_a_passage_with_context_gets_the_contextual_prompt_and_temperature_0_one_sample() -> None:
    model = in_turn("1. A?")
    assert generated(model, IN_CONTEXT, temperature=0.0) == [["A?"]]
    assert model.prompts[0].samples == 1
    wanted = "Context: Tell me about Thorne Hall.\nPassage: It opened in 1931.\nQuestions:"
    assert model.prompts[0].text.endswith(wanted)


def test_a_sample_that_stays_unreadable_is_an_error_among_the_others() -> None:
    model = ScriptedModel(lambda p: ["1. A?", "No.", "1. C?"] if p.samples == 3 else "No.")
    first, bad, third = generated(model)
    assert [first, third] == [["A?"], ["C?"]]
    assert isinstance(bad, UnreadableReply)
    assert bad.reply == "No."
    with pytest.raises(UnreadableReply, match="no question in the reply"):
        generated(ScriptedModel("No."))
