"""Passages from questions, by prompt: what RARR revises (appendix E, Figures 19 to 22)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pipeline.backends.prompted.asking import Request, ask
from pipeline.backends.prompted.reading import said, under
from pipeline.rarr.ports import LanguageModel, Prompt
from pipeline.rarr.prompts import Prompts
from pipeline.rarr.types import UnreadableReply

MAX_TOKENS = 512
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


class PromptedPassageWriter:
    """Long answers to questions, all in one `complete`; `kind` is one of `KINDS`."""

    def __init__(self, *, model: LanguageModel, prompts: Prompts, kind: str) -> None:
        self._model = model
        name, self._placeholder = KINDS[kind]
        self._template = prompts[name]
        self._read: Callable[[str], Written] = read_turn if kind == "dialog" else read_explanation

    def write(
        self, questions: Sequence[str], *, temperature: float
    ) -> Sequence[Written | UnreadableReply]:
        """A passage for each question, in order, or the reply that could not be read."""
        # What begins with the label of the next question, or of the dialog's next turn, is no
        # part of the answer.
        stop = self._template.stop or ("\nUser:",)
        requests = [
            Request(
                prompt=Prompt(
                    text=self._template.render(**{self._placeholder: question.strip()}),
                    temperature=temperature,
                    max_tokens=MAX_TOKENS,
                    stop=stop,
                ),
                read=self._read,
            )
            for question in questions
        ]
        return [answer for (answer,) in ask(self._model, requests)]


def read_explanation(reply: str) -> Written:
    """The explanation and the short answer behind it.

    Where the prompt itself ends with "Explanation:", the reply begins with it. Raises
    `UnreadableReply` where the answer is missing: then the explanation may be cut off, too.
    """
    text = said(reply)
    answer = under(text, _ANSWER)
    if not answer:
        raise UnreadableReply('There is no line "Answer: …" in the reply.')
    explanation = under(text, _EXPLANATION, until=_ANSWER)
    if explanation is None:
        explanation = under(f"Explanation: {text}", _EXPLANATION, until=_ANSWER)
    if not explanation:
        raise UnreadableReply('There is no line "Explanation: …" in the reply.')
    return Written(text=explanation, answer=answer.splitlines()[0].strip())


def read_turn(reply: str) -> Written:
    """The next turn of a dialog, with or without its speaker's name."""
    text = said(reply)
    found = under(text, _SPEAKER)
    turn = text if found is None else found
    if not turn:
        raise UnreadableReply("The turn is empty.")
    return Written(text=turn)
