"""The short answer of a passage to its question, by prompt (Figure 9)."""

import re
from collections.abc import Sequence

from pipeline.backends.prompted.prompt_rendering import PromptedStep
from pipeline.backends.prompted.repair import Request, ask_each
from pipeline.rarr.errors import RefusedPrompt, UnreadableReply
from pipeline.replies.cleaning import reply_text
from pipeline.replies.labels import labelled_parts, only_value
from pipeline.replies.markup import plain_answer, split_at_rules
from pipeline.replies.remarks import is_about_reply, refuse_apology

MAX_TOKENS = 64
UNKNOWN = "unknown"
MAX_WORDS = 8
"""Of an answer without a label; longer lines are sentences about it."""

_ANSWER = r"(?:short |final |extracted |correct )?answer"
_UNKNOWN = re.compile(
    r"\W{0,4}(?:(?:the )?answer is )?(?:unknown|n/a|not (?:stated|given|mentioned|specified"
    r"|provided"
    r"|answered|available|known|found)|no answer|cannot be (?:determined|answered)"
    r"|(?:the|this) (?:passage|text) (?:does not|doesn['’]t|gives no|has no|provides no))\b",
    re.IGNORECASE,
)
_ANSWER_IS = re.compile(
    r"(?:so,? |therefore,? )?the answer is:? (?P<text>[^\n]{1,200}?)\.?\s*", re.IGNORECASE
)
_BRACKET = re.compile(r"\s*[(\[](?P<inside>[^()\[\]]{0,300})[)\]][.\s]*\Z")
_ITEM = re.compile(r"\s*(?:[-*•–]|\d{1,2}[.)])\s+\S")


class PromptedAnswerExtractor(PromptedStep):
    """Extracts short answers, all in one `complete`."""

    def extract(
        self, pairs: Sequence[tuple[str, str]]
    ) -> Sequence[str | UnreadableReply | RefusedPrompt]:
        """Return the answer to each (question, passage), or ""."""
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
        return ask_each(self._model, requests)


def read_answer(reply: str) -> str:
    """Read a short answer behind its label, or alone on the only line, or "".

    Raises `UnreadableReply` for an unlabelled sentence, a list, and two answers.
    """
    text = reply_text(reply)
    if stated := _ANSWER_IS.fullmatch(text):
        text = f"Answer: {stated['text']}"
    parts = labelled_parts(text, {"answer": _ANSWER})
    answers = [_short_answer(part) for name, part in parts if name == "answer" and part]
    if not answers:
        answers = [_alone(plain_answer(parts[0][1]))]
    answer = only_value(answers, "Answer")
    return "" if answer == UNKNOWN else answer


def _short_answer(text: str) -> str:
    stretches = split_at_rules(text)
    if not stretches:
        return ""
    first, *rest = [line for line in stretches[0].split("\n") if line.strip()]
    if _ITEM.match(first):
        if rest and _ITEM.match(rest[0]):
            raise UnreadableReply("The answer is a list: write it on one line.")
        first = first.lstrip("-*•– \t")
    answer = plain_answer(first)
    bracket = _BRACKET.search(answer)
    if bracket and is_about_reply(bracket["inside"]):
        answer = answer[: bracket.start()]
    if _UNKNOWN.match(answer):
        return UNKNOWN
    refuse_apology(answer)
    return answer


def _alone(text: str) -> str:
    if _UNKNOWN.match(text):
        return UNKNOWN
    is_word = text.rstrip(".").lower() in ("yes", "no")
    is_sentence = (
        "\n" in text or len(text.split()) > MAX_WORDS or text.endswith((".", ":", "?", "!"))
    )
    return text if is_word or not is_sentence else ""
