"""The short answer that a passage gives to its question, by prompt (Figure 9)."""

from collections.abc import Sequence

from pipeline.backends.prompted.asking import Request, ask
from pipeline.backends.prompted.reading import said, under, unquoted
from pipeline.rarr.ports import LanguageModel, Prompt
from pipeline.rarr.prompts import Prompts
from pipeline.rarr.types import UnreadableReply

MAX_TOKENS = 64
UNKNOWN = "unknown"
_LABEL = ("Answer",)


class PromptedAnswerExtractor:
    """Answers read out of passages, all in one `complete`."""

    def __init__(self, *, model: LanguageModel, prompts: Prompts) -> None:
        self._model = model
        self._prompts = prompts

    def extract(self, pairs: Sequence[tuple[str, str]]) -> Sequence[str | UnreadableReply]:
        """The answer to each (question, passage); "" where the passage gives none."""
        template = self._prompts["answer_extraction"]
        requests = [
            Request(
                prompt=Prompt(
                    text=template.render(question=question.strip(), passage=passage.strip()),
                    max_tokens=MAX_TOKENS,
                    stop=template.stop,
                ),
                read=read_answer,
            )
            for question, passage in pairs
        ]
        return [answer for (answer,) in ask(self._model, requests)]


def read_answer(reply: str) -> str:
    """What stands behind "Answer:", on one line; "" for the word that says there is none."""
    text = under(said(reply), _LABEL)
    if not text:
        raise UnreadableReply('There is no line "Answer: …" in the reply.')
    answer = unquoted(text.splitlines()[0].strip(), like="")
    return "" if answer.rstrip(".").lower() == UNKNOWN else answer
