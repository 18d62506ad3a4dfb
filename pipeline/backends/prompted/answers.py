"""The short answer that a passage gives to its question, by prompt (Figure 9)."""

from collections.abc import Sequence

from pipeline.backends.prompted.prompt_rendering import PromptedStep
from pipeline.backends.prompted.repair import Request, ask_each
from pipeline.backends.prompted.replies import reply_text, required_text, unquoted
from pipeline.rarr.errors import RefusedPrompt, UnreadableReply

MAX_TOKENS = 64
UNKNOWN = "unknown"


class PromptedAnswerExtractor(PromptedStep):
    """Answers read out of passages, all in one `complete`."""

    def extract(
        self, pairs: Sequence[tuple[str, str]]
    ) -> Sequence[str | UnreadableReply | RefusedPrompt]:
        """The answer to each (question, passage); "" where the passage gives none."""
        requests = [
            Request(
                prompt=self._prompt(
                    "answer_extraction",
                    max_tokens=MAX_TOKENS,
                    question=question.strip(),
                    passage=passage.strip(),
                ),
                read=read_answer,
                form='Reply with one line: "Answer: " and the short answer.',
            )
            for question, passage in pairs
        ]
        return [answer for (answer,) in ask_each(self._model, requests)]


def read_answer(reply: str) -> str:
    """What stands behind "Answer:", on one line; "" for the word that says there is none."""
    text = required_text(reply_text(reply), ["Answer"])
    answer = unquoted(text.splitlines()[0].strip(), like="")
    return "" if answer.rstrip(".").lower() == UNKNOWN else answer
