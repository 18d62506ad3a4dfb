"""Prompts in the form of those that RARR's authors published, from a user's folder."""

from pathlib import Path
from typing import Any

from pipeline.backends.prompted.agreement import PromptedAgreement
from pipeline.backends.prompted.editing import PromptedEditor
from pipeline.backends.prompted.query_generation import PromptedQueryGenerator
from pipeline.generation.prompts import load_prompts
from pipeline.language_model import Prompt
from pipeline.rarr.configuration import RarrConfig
from pipeline.rarr.loop import revise
from pipeline.rarr.types import EditOutcome, Passage, Verdict
from tests.support.rarr_fakes import Shelf, document, make_components
from tests.support.scripted_model import ScriptedModel

HEAD = "[web] Let me look at what was said.\n\n(1) You said: Ice floats.\n"
FORMS = {
    "query_generation": "To verify it,\na) I googled: Does ice float?\n\n"
    "(2) You said: {text}\nTo verify it,\n",
    "agreement": "I checked: Does ice float?\nI found this article: It does.\nIce floats. This "
    "agrees with what you said.\n\n(2) You said: {text}\nI checked: {query}\n"
    "I found this article: {evidence}\n",
    "edit": "I checked: Does ice float?\nI found this article: It sinks.\nThis suggests floats in "
    "your statement is wrong.\nMy fix: Ice sinks.\n\n(2) You said: {claim}\nI checked: {query}\n"
    "I found this article: {evidence}\nThis suggests",
}


def answer(prompt: Prompt) -> str:
    """What a completing model writes, up to where the server stops it."""
    assert prompt.stop == ("You said:",)
    last = prompt.text.rsplit("(2) ", 1)[1]
    if last.endswith("To verify it,"):
        return "a) I googled: When did the hall open?\n\n(3) "
    if last.endswith("This suggests"):
        return " 1902 in your statement is wrong.\nMy fix: The hall opened in 1904.\n\n(3) "
    verdict = "disagrees" if "1902" in last else "agrees"
    return f"The hall opened in 1904. This {verdict} with what you said.\n\n(3) "


def test_a_passage_is_revised_with_published_prompts(tmp_path: Path) -> None:
    for name, form in FORMS.items():
        (tmp_path / f"{name}.txt").write_text(HEAD + form)
    model = ScriptedModel(answer)
    made: dict[str, Any] = {"model": model, "prompts": load_prompts(tmp_path)}
    result = revise(
        Passage(id="1", text="The hall opened in 1902."),
        components=make_components(
            query_generator=PromptedQueryGenerator(**made),
            retriever=Shelf({"When did the hall open?": [document("It opened in 1904.", id="a")]}),
            agreement_model=PromptedAgreement(**made),
            edit_model=PromptedEditor(**made),
        ),
        config=RarrConfig(),
    )
    assert result.text == "The hall opened in 1904."
    (step,) = result.trace
    assert step.agreement is not None
    assert step.agreement.verdict is Verdict.DISAGREES
    assert step.edit_outcome is EditOutcome.ACCEPTED
    assert step.edit_reason == "1902 in your statement is wrong."
    assert result.errors == ()
    assert len(model.prompts) == 3
