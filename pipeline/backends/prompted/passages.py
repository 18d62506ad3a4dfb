"""Passages from questions, by prompt: what RARR revises (appendix E, Figures 19 to 22)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pipeline.backends.prompted.prompt_rendering import PromptedStep
from pipeline.backends.prompted.repair import Request, ask_each
from pipeline.backends.prompted.replies import labelled_text, no_line, reply_text, required_text
from pipeline.rarr.errors import RefusedPrompt, UnreadableReply
from pipeline.rarr.ports import LanguageModel
from pipeline.rarr.prompts import Prompts

MAX_TOKENS = 512
FORM = 'Reply with "Explanation: " and the explanation, then a line with "Answer: " and the answer.'
TURN_FORM = 'Reply with "System: " and the next turn of the dialog.'
KINDS: dict[str, tuple[str, str]] = {
    "nq": ("passage_nq", "question"),
    "strategyqa": ("passage_strategyqa", "question"),
    "dialog": ("passage_dialog", "dialog"),
}
"""Each kind of question with its prompt and what the prompt calls the question."""

_EXPLANATION, _ANSWER, _SPEAKER = ("Explanation",), ("Answer",), ("System", "Assistant")


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """A passage, and the short answer that the model drew from it; "" for dialogs."""

    text: str
    answer: str = ""


class PromptedPassageWriter(PromptedStep):
    """Long answers to questions, all in one `complete`; `kind` is one of `KINDS`."""

    def __init__(self, *, model: LanguageModel, prompts: Prompts, kind: str) -> None:
        super().__init__(model=model, prompts=prompts)
        self._kind = kind

    def write(
        self, questions: Sequence[str], *, temperature: float
    ) -> Sequence[Written | UnreadableReply | RefusedPrompt]:
        """A passage for each question, in order, or the reply that could not be read."""
        name, placeholder = KINDS[self._kind]
        values: list[dict[str, Any]] = [{placeholder: question.strip()} for question in questions]
        requests = [
            Request(
                prompt=self._prompt(
                    name,
                    temperature=temperature,
                    max_tokens=MAX_TOKENS,
                    # The label of the next question, or of the dialog's next turn, ends the answer.
                    stop=self._prompts[name].stop or ("\nUser:",),
                    **value,
                ),
                read=read_turn if self._kind == "dialog" else read_explanation,
                form=TURN_FORM if self._kind == "dialog" else FORM,
            )
            for value in values
        ]
        return [answer for (answer,) in ask_each(self._model, requests)]


def read_explanation(reply: str) -> Written:
    """The explanation and the short answer behind it.

    Where the prompt itself ends with "Explanation:", the reply begins with it. Raises
    `UnreadableReply` where the answer is missing: then the explanation may be cut off, too.
    """
    text = reply_text(reply)
    answer = required_text(text, _ANSWER)
    explanation = labelled_text(text, _EXPLANATION, until=_ANSWER)
    if explanation is None:
        explanation = labelled_text(f"Explanation: {text}", _EXPLANATION, until=_ANSWER)
    if not explanation:
        raise no_line(_EXPLANATION)
    return Written(text=explanation, answer=answer.splitlines()[0].strip())


def read_turn(reply: str) -> Written:
    """The next turn of a dialog, with or without its speaker's name."""
    text = reply_text(reply)
    found = labelled_text(text, _SPEAKER)
    turn = text if found is None else found
    if not turn:
        raise UnreadableReply("The turn is empty.")
    return Written(text=turn)
