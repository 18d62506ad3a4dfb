"""A passage rewritten from all of its evidence at once, by prompt (section 5.2): what EFEC's
editor and the last step of LaMDA Research do, put to a language model in their shape."""

from collections.abc import Sequence
from functools import partial

from pipeline.backends.prompted.asking import Request, ask_one
from pipeline.backends.prompted.editing import as_spaced, fixed_passage
from pipeline.backends.prompted.laying import numbered, tokens_for
from pipeline.backends.prompted.reading import said, under, unquoted
from pipeline.rarr.ports import LanguageModel, Prompt
from pipeline.rarr.prompts import Prompts
from pipeline.rarr.types import Evidence, Passage, ProposedEdit, UnreadableReply

MOST_RESPONSE_TOKENS = 256
"""On top of those of the base response: a revised one may say more."""
RESPONSE = ("Revised response",)


class PromptedCorrector:
    """EFEC's shape: what the evidence does not support is put right; the context is not read."""

    def __init__(self, *, model: LanguageModel, prompts: Prompts) -> None:
        self._model = model
        self._prompts = prompts

    def rewrite(self, *, passage: Passage, evidence: Sequence[Evidence]) -> ProposedEdit:
        """The new text; raises `UnreadableReply`."""
        template = self._prompts["efec"]
        prompt = Prompt(
            text=template.render(passage=passage.text.strip(), evidence=numbered(evidence)),
            max_tokens=64 + tokens_for(passage.text),
            stop=template.stop,
        )
        read = partial(read_correction, current=passage.text)
        return ask_one(self._model, Request(prompt=prompt, read=read))


class PromptedResponder:
    """LaMDA's shape: the base response of a dialog written anew from what was found."""

    def __init__(self, *, model: LanguageModel, prompts: Prompts) -> None:
        self._model = model
        self._prompts = prompts

    def rewrite(self, *, passage: Passage, evidence: Sequence[Evidence]) -> ProposedEdit:
        """The revised response; `passage.context` is the dialog. Raises `UnreadableReply`."""
        template = self._prompts["lamda_revision"]
        prompt = Prompt(
            text=template.render(
                dialog=passage.context.strip(),
                passage=passage.text.strip(),
                evidence=numbered(evidence),
            ),
            max_tokens=MOST_RESPONSE_TOKENS + tokens_for(passage.text),
            stop=("\nUser:",),
        )
        read = partial(read_response, current=passage.text)
        return ask_one(self._model, Request(prompt=prompt, read=read))


def read_correction(reply: str, *, current: str) -> ProposedEdit:
    """The passage behind its label; raises `UnreadableReply` for anything else."""
    fixed = fixed_passage(said(reply), current=current)
    return ProposedEdit(text=fixed, reason="Rewritten by all evidence at once.")


def read_response(reply: str, *, current: str) -> ProposedEdit:
    """The response behind its label; raises `UnreadableReply` where there is none."""
    text = under(said(reply), RESPONSE)
    if not text:
        raise UnreadableReply(f'There is no line "{RESPONSE[0]}: …" in the reply.')
    return ProposedEdit(
        text=as_spaced(unquoted(text, like=current), like=current),
        reason="The response written anew from all evidence.",
    )
