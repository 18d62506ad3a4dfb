"""Sentences that stand alone, and short answers, by prompt."""

from pipeline.backends.prompted.answers import PromptedAnswerExtractor
from pipeline.backends.prompted.decontextualization import PromptedDecontextualizer
from pipeline.generation.prompts import load_prompts
from pipeline.rarr.errors import UnreadableReply
from pipeline.rarr.types import Passage
from tests.pipeline.backends.prompted.examples import IN_CONTEXT
from tests.support.scripted_model import ScriptedModel, in_turn

PASSAGE = Passage(id="1", text="Thorne Hall opened. It seats 900. It is old.")
SENTENCES = ["Thorne Hall opened.", "It seats 900.", "It is old."]


def rewritten(model: ScriptedModel, passage: Passage = PASSAGE) -> list[str]:
    sentences = SENTENCES if passage is PASSAGE else [passage.text]
    decontextualizer = PromptedDecontextualizer(model=model, prompts=load_prompts())
    return list(decontextualizer.decontextualize(passage=passage, sentences=sentences))


def test_all_sentences_but_the_first_are_one_batch() -> None:
    model = in_turn("Rewritten: Thorne Hall seats 900.", "Rewritten: It is old.")
    assert rewritten(model) == ["Thorne Hall opened.", "Thorne Hall seats 900.", "It is old."]
    assert [len(batch) for batch in model.batches] == [2]
    end = f"Context: none\nText: {PASSAGE.text}\nSentence: It seats 900.\n"
    assert model.prompts[0].text.endswith(end)
    # With a context the first is asked about too.
    model = in_turn("Rewritten: Thorne Hall opened in 1931.")
    assert rewritten(model, IN_CONTEXT) == ["Thorne Hall opened in 1931."]


def test_a_result_of_another_length_or_an_unreadable_one_is_discarded() -> None:
    four, five = "It seats 900 in its red rows.", "It seats 900 in its rows of red."
    model = in_turn(f"Rewritten: {four}", f"Rewritten: {five}")
    assert rewritten(model)[1:] == [four, "It is old."]
    model = in_turn("Hm.", "Rewritten: The hall is old.", "Hm.")
    assert rewritten(model)[1:] == ["It seats 900.", "The hall is old."]


def test_short_answers_are_read_out_of_passages() -> None:
    model = in_turn("Answer: 1931", "Answer: Unknown.", "It seats 900.", "Hm.")
    extractor = PromptedAnswerExtractor(model=model, prompts=load_prompts())
    year, nothing, bad = extractor.extract([("When?", PASSAGE.text)] * 3)
    assert (year, nothing) == ("1931", "")
    assert isinstance(bad, UnreadableReply)
    assert [len(batch) for batch in model.batches] == [3, 1]
