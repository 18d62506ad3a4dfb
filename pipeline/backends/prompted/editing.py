"""Revision stage by prompt: the editor, which names the words to change first (section 3.2)."""

from functools import partial

from pipeline.backends.prompted.prompt_rendering import PromptedStep, evidence_line, tokens_for
from pipeline.backends.prompted.repair import Request, ask_one
from pipeline.backends.prompted.replies import (
    count_labels,
    labelled_text,
    no_line,
    reply_text,
    unquoted,
    without_next_number,
)
from pipeline.rarr.errors import UnreadableReply
from pipeline.rarr.types import Agreement, Evidence, Passage, ProposedEdit, Query

THOUGHT_TOKENS = 160
"""For the words before the passage; the passage itself gets as many as it may need."""

FORM = 'Reply with "Fixed passage: " and the whole passage.'
FIXED = ("Fixed passage", "My fix")
"""The labels of the new passage: ours, and that of the paper's prompt."""


class PromptedEditor(PromptedStep):
    """A new y that agrees with the evidence and otherwise changes nothing, as it was asked."""

    def edit(
        self,
        *,
        passage: Passage,
        current: str,
        query: Query,
        evidence: Evidence,
        agreement: Agreement,
    ) -> ProposedEdit:
        """The edit, with what the model says has to change; raises `UnreadableReply`."""
        prompt = self._prompt_in_context(
            "edit",
            context=passage.context,
            max_tokens=THOUGHT_TOKENS + tokens_for(current),
            passage=current.strip(),
            query=" ".join(query.text.split()),
            evidence=evidence_line(evidence),
        )
        read = partial(read_edit, current=current)
        return ask_one(self._model, Request(prompt=prompt, read=read, form=FORM))


def read_edit(reply: str, *, current: str) -> ProposedEdit:
    """The passage behind its label, and what was said before it.

    White space around `current` is kept. Raises `UnreadableReply` where the label is missing,
    stands there twice, or has nothing behind it.
    """
    text = without_next_number(reply_text(reply))
    fixed = fixed_passage(text, current=current)
    change = labelled_text(text, ("Change",), until=FIXED)
    if change is None:  # of another prompt: all that was said before the passage
        change = labelled_text(f"Change: {text}", ("Change",), until=FIXED) or ""
    return ProposedEdit(text=fixed, reason=change)


def fixed_passage(text: str, *, current: str) -> str:
    """What stands behind the label of the new passage, with the white space of `current`."""
    fixed = labelled_text(text, FIXED)
    if fixed is None:
        raise no_line(FIXED)
    if count_labels(text, FIXED) > 1:
        raise UnreadableReply(f'"{FIXED[0]}:" stands in the reply more than once.')
    fixed = unquoted(fixed, like=current)
    if not fixed:
        raise UnreadableReply(f'Nothing stands behind "{FIXED[0]}:".')
    return as_spaced(fixed, like=current)


def as_spaced(text: str, *, like: str) -> str:
    """The text with the white space that `like` has at both ends."""
    inner = like.strip()
    if not inner:
        return text
    start = like.index(inner)
    return like[:start] + text + like[start + len(inner) :]
