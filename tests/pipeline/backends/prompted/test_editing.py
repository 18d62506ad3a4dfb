"""The editor, and the two rewriters from all evidence, by prompt."""

from dataclasses import replace

import pytest

from pipeline.backends.prompted.editing import PromptedEditor, read_edit
from pipeline.backends.prompted.rewriting import PromptedCorrector, PromptedResponder
from pipeline.generation.prompts import load_prompts
from pipeline.rarr.errors import UnreadableReply
from pipeline.rarr.types import Agreement, Passage, Verdict
from tests.pipeline.backends.prompted.examples import EVIDENCE, IN_CONTEXT, PASSAGE, QUERY
from tests.support.scripted_model import ScriptedModel, in_turn

OPEN = Agreement(verdict=Verdict.DISAGREES, reason="")


def edit(model: ScriptedModel, passage: Passage = PASSAGE) -> str:
    editor = PromptedEditor(model=model, prompts=load_prompts())
    return editor.edit(
        passage=passage, current=passage.text, query=QUERY, evidence=EVIDENCE, agreement=OPEN
    ).text


def test_the_reason_is_the_words_to_change_or_what_precedes_the_passage() -> None:
    reply = 'Change: "1931" has to become "1934".\nFixed passage: It opened in 1934.'
    proposed = read_edit(reply, current="It opened in 1931.")
    assert proposed.text == "It opened in 1934."
    assert proposed.reason == '"1931" has to become "1934".'
    proposed = read_edit(" 1931 in your statement is wrong.\nMy fix: It opened.", current="It.")
    assert proposed.reason == "1931 in your statement is wrong."


def test_quotation_marks_and_white_space_of_the_passage_stay() -> None:
    quoted = read_edit('Fixed passage: "Hi," he said. "Bye."', current='"Hi," she said. "Bye."')
    assert quoted.text == '"Hi," he said. "Bye."'
    spaced = read_edit("Fixed passage: One.\n\nTwo.", current="  One.\n\n2.\n")
    assert spaced.text == "  One.\n\nTwo.\n"


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        ("", "empty"),
        ("Then it was rebuilt by the town.", "no line"),
        ("Fixed passage:", "Nothing follows"),
        ("Fixed passage: A.\nFixed passage: B.", "more than one"),
    ],
)
def test_anything_else_is_named(reply: str, words: str) -> None:
    with pytest.raises(UnreadableReply, match=words):
        read_edit(reply, current="It opened in 1931.")


def test_the_prompt_holds_passage_question_and_evidence() -> None:
    model = in_turn("Fixed passage: A.")
    assert edit(model) == "A."
    assert model.prompts[0].text.endswith(
        "Passage: The hall opened in 1931.\nIt seats 900.\nQuestion: When did Thorne Hall open?\n"
        "Evidence: [Thorne Hall] It was opened in 1934.\n"
    )
    # A long passage gets the room to be repeated.
    model = in_turn("Fixed passage: A.")
    edit(model, replace(IN_CONTEXT, text="Wort " * 2000))
    assert model.prompts[0].max_tokens > 4000
    assert "Context: Tell me about Thorne Hall.\nPassage: Wort Wort" in model.prompts[0].text


def test_the_corrector_reads_all_evidence_and_no_context() -> None:
    model = in_turn("Fixed passage: It opened in 1934.")
    corrector = PromptedCorrector(model=model, prompts=load_prompts())
    proposed = corrector.rewrite(passage=IN_CONTEXT, evidence=[EVIDENCE, EVIDENCE])
    assert proposed.text == "It opened in 1934."
    snippet = "[Thorne Hall] It was opened in 1934."
    wanted = f"Passage: It opened in 1931.\nEvidence:\n1. {snippet}\n2. {snippet}\n"
    assert model.prompts[0].text.endswith(wanted)


def test_the_responder_goes_on_with_the_dialog() -> None:
    model = in_turn("Revised response: It opened in 1934!", "1934.", "1934.")
    responder = PromptedResponder(model=model, prompts=load_prompts())
    passage = Passage(id="1", text="In 1931.", context="User: When did it open?")
    assert responder.rewrite(passage=passage, evidence=[EVIDENCE]).text == "It opened in 1934!"
    dialog = "\n\nUser: When did it open?\nBase response: In 1931.\nEvidence:\n1. [Thorne"
    assert dialog in model.prompts[0].text
    with pytest.raises(UnreadableReply, match="Revised response"):
        responder.rewrite(passage=PASSAGE, evidence=[EVIDENCE])
