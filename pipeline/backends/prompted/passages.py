"""Passages from questions, by prompt: RARR's input (appendix E, Figures 19 to 22)."""

from collections.abc import Sequence
from dataclasses import dataclass

from pipeline.backends.prompted.prompt_rendering import PromptedStep
from pipeline.backends.prompted.repair import Request, ask_each
from pipeline.language_model import LanguageModel
from pipeline.rarr.errors import RefusedPrompt, UnreadableReply
from pipeline.rarr.prompts import Prompts
from pipeline.replies.cleaning import reply_text
from pipeline.replies.labels import labelled_parts, only_value, tagged_passage
from pipeline.replies.markup import plain_answer
from pipeline.replies.remarks import refuse_apology

MAX_TOKENS = 512
FORM = 'Reply with "Explanation: " and the explanation, then a line with "Answer: " and the answer.'
TURN_FORM = 'Reply with "System: " and the next turn of the dialog.'
KINDS: dict[str, tuple[str, str]] = {
    "nq": ("passage_nq", "question"),
    "strategyqa": ("passage_strategyqa", "question"),
    "dialog": ("passage_dialog", "dialog"),
}
"""The prompt for each kind of question, and its placeholder."""

_EXPLANATION = r"(?:detailed )?(?:explanation|reasoning|long answer)"
_ANSWER = r"(?:short |final )?answer"
_SPEAKER = (
    r"(?:system|assistant|bot|ai)(?: (?:response|reply|turn))?|(?:next )?(?:response|reply|turn)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenPassage:
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
    ) -> Sequence[WrittenPassage | UnreadableReply | RefusedPrompt]:
        """Return a passage for each question, in order, or its error."""
        name, placeholder = KINDS[self._kind]
        requests = [
            Request(
                prompt=self._prompt(
                    name,
                    temperature=temperature,
                    max_tokens=MAX_TOKENS,
                    # The label of the next question or turn ends the answer.
                    stop=self._prompts[name].stop or ("\nUser:",),
                    **{placeholder: question.strip()},  # type: ignore[arg-type]  # a text
                ),
                read=read_turn if self._kind == "dialog" else read_explanation,
                form=TURN_FORM if self._kind == "dialog" else FORM,
            )
            for question in questions
        ]
        return ask_each(self._model, requests)


def read_explanation(reply: str) -> WrittenPassage:
    """Read the passage between tags or in the explanation, and the short answer.

    Where the prompt ends with "Explanation:", the reply begins with it. Raises `UnreadableReply`
    where neither tag nor answer proves that the passage is whole.
    """
    text = reply_text(reply)
    tagged = tagged_passage(text)
    parts = labelled_parts(text, {"answer": _ANSWER}, {"explanation": _EXPLANATION})
    answers = [plain_answer(part).split("\n")[0] for name, part in parts if name == "answer"]
    answer = only_value(answers, "Answer") if tagged is None or any(answers) else ""
    if tagged is None:
        texts = [part for name, part in parts if name == "explanation" and part] or [parts[0][1]]
    else:
        texts = [tagged]
    passage = only_value([plain_answer(each) for each in texts], "Explanation")
    refuse_apology(passage)
    return WrittenPassage(text=passage, answer=answer)


def read_turn(reply: str) -> WrittenPassage:
    """Read the next turn of a dialog, with or without its speaker."""
    text = reply_text(reply)
    tagged = tagged_passage(text)
    parts = labelled_parts(text, {}, {"speaker": _SPEAKER})
    turns = [part for name, part in parts if name == "speaker" and part] or [parts[0][1]]
    turn = plain_answer(turns[0] if tagged is None else tagged)
    if not turn:
        raise UnreadableReply("The turn is empty.")
    refuse_apology(turn)
    return WrittenPassage(text=turn)
