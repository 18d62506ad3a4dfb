"""Sentences that stand alone, by prompt, for auto-AIS (appendix B)."""

import re
from collections.abc import Sequence

from pipeline.backends.prompted.prompt_rendering import PromptedStep, tokens_for
from pipeline.backends.prompted.repair import Request, ask
from pipeline.rarr.errors import UnreadableReply
from pipeline.rarr.types import Passage
from pipeline.replies.cleaning import reply_text
from pipeline.replies.labels import labelled_parts, only_value
from pipeline.replies.markup import plain_answer
from pipeline.replies.remarks import is_about_reply, refuse_apology, refuse_brackets

MAX_TOKEN_DIFFERENCE = 4
"""The paper's rule: a result whose length differs by more tokens is discarded."""

MIN_WORDS = 3
"""Of an unlabelled sentence."""
_REWRITTEN = (
    r"(?:rewritten|decontextuali[sz]ed|rephrased|revised|standalone|stand-alone|self-contained"
    r"|updated|clarified|output)(?: (?:sentence|version|text|output))?|rewrite|sentence rewritten"
)
_TOKEN = re.compile(r"\w+|[^\w\s]")


class PromptedDecontextualizer(PromptedStep):
    """Rewrites all sentences of a passage in one `complete`.

    A first sentence without context stays unchanged, as does one with an unreadable reply.
    """

    def decontextualize(self, *, passage: Passage, sentences: Sequence[str]) -> Sequence[str]:
        context = passage.context.strip()
        indices = [index for index in range(len(sentences)) if index or context]
        requests = [
            Request(
                prompt=self._prompt(
                    "decontextualization",
                    max_tokens=64 + tokens_for(sentences[index]),
                    context=context or "none",
                    passage=passage.text.strip(),
                    sentence=" ".join(sentences[index].split()),
                ),
                read=read_sentence,
                form='Reply with one line: "Rewritten: " and the sentence.',
            )
            for index in indices
        ]
        decontextualized = list(sentences)
        answers = ask(self._model, requests)
        for index, (answer,) in zip(indices, answers, strict=True):
            if isinstance(answer, UnreadableReply):
                continue
            difference = len(_TOKEN.findall(answer)) - len(_TOKEN.findall(sentences[index]))
            if abs(difference) <= MAX_TOKEN_DIFFERENCE:
                decontextualized[index] = answer
        return decontextualized


def read_sentence(reply: str) -> str:
    """Read a sentence behind its label, or alone on the only line.

    Raises `UnreadableReply` for none or several.
    """
    text = reply_text(reply)
    parts = labelled_parts(text, {"rewritten": _REWRITTEN})
    labelled = [part for name, part in parts if name == "rewritten" and part]
    if labelled:
        lines = [plain_answer(each).split("\n")[0].strip() for each in labelled]
    else:
        alone = plain_answer(parts[0][1])
        is_sentence = alone.endswith((".", "!", "?", '"', "”")) and "\n" not in alone
        is_sentence = is_sentence and len(alone.split()) >= MIN_WORDS and not is_about_reply(alone)
        lines = [alone if is_sentence else ""]
    sentence = only_value(lines, "Rewritten")
    refuse_apology(sentence)
    refuse_brackets(sentence)
    return sentence
