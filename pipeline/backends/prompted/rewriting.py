"""Prompted rewriting from all evidence at once (section 5.2): EFEC, LaMDA Research."""

from collections.abc import Sequence
from functools import partial

from pipeline.backends.prompted.editing import FORM, as_spaced, fixed_passage
from pipeline.backends.prompted.prompt_rendering import PromptedStep, numbered, tokens_for
from pipeline.backends.prompted.repair import Request, ask_one
from pipeline.rarr.types import Evidence, Passage, ProposedEdit
from pipeline.replies.cleaning import reply_text
from pipeline.replies.labels import labelled_parts, only_value, tagged_passage
from pipeline.replies.markup import plain_answer
from pipeline.replies.remarks import refuse_apology, refuse_brackets

RESPONSE_FORM = 'Reply with "Revised response: " and the whole response.'
MOST_RESPONSE_TOKENS = 256
"""More than the base response, which a revised one may exceed."""

_RESPONSE = (
    r"(?:revised|fixed|corrected|updated|edited|rewritten|improved|final|new)"
    r"(?: and \w+)? (?:response|answer|reply|version|text|passage|statement|turn)"
    r"|(?:revised|fixed|corrected|updated|edited|rewritten)|system|assistant|response|my fix"
)


class PromptedCorrector(PromptedStep):
    """EFEC: corrects what the evidence does not support; ignores the context."""

    def rewrite(self, *, passage: Passage, evidence: Sequence[Evidence]) -> ProposedEdit:
        """Return the new text; raises `UnreadableReply`."""
        prompt = self._prompt(
            "efec",
            max_tokens=64 + tokens_for(passage.text),
            passage=passage.text.strip(),
            evidence=numbered(evidence),
        )
        read = partial(read_correction, current=passage.text)
        return ask_one(self._model, Request(prompt=prompt, read=read, form=FORM))


class PromptedResponder(PromptedStep):
    """LaMDA: writes the base response of a dialog anew from the evidence."""

    def rewrite(self, *, passage: Passage, evidence: Sequence[Evidence]) -> ProposedEdit:
        """Return the response; `passage.context` is the dialog. Raises `UnreadableReply`."""
        prompt = self._prompt(
            "lamda_revision",
            max_tokens=MOST_RESPONSE_TOKENS + tokens_for(passage.text),
            stop=("\nUser:",),
            dialog=passage.context.strip(),
            passage=passage.text.strip(),
            evidence=numbered(evidence),
        )
        read = partial(read_response, current=passage.text)
        return ask_one(self._model, Request(prompt=prompt, read=read, form=RESPONSE_FORM))


def read_correction(reply: str, *, current: str) -> ProposedEdit:
    """Read the passage behind its label; raises `UnreadableReply`."""
    fixed = fixed_passage(reply_text(reply), current=current)
    return ProposedEdit(text=fixed, reason="Rewritten by all evidence at once.")


def read_response(reply: str, *, current: str) -> ProposedEdit:
    """Read the response between tags or behind its label; raises `UnreadableReply`.

    It may have more paragraphs than `current`: only remarks after it are cut.
    """
    text = reply_text(reply)
    tagged = tagged_passage(text)
    texts = [tagged] if tagged else []
    if not texts:
        parts = labelled_parts(text, {"response": _RESPONSE}, original=current)
        texts = [part for name, part in parts if name == "response"]
    answer = only_value(
        [plain_answer(each, original=current) for each in texts], "Revised response"
    )
    refuse_apology(answer)
    refuse_brackets(answer, original=current)
    return ProposedEdit(
        text=as_spaced(answer, original=current),
        reason="The response written anew from all evidence.",
    )
