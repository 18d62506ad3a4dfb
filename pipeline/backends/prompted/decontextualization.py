"""Sentences made to stand alone by prompt, for auto-AIS (appendix B)."""

import re
from collections.abc import Sequence

from pipeline.backends.prompted.prompt_rendering import PromptedStep, tokens_for
from pipeline.backends.prompted.repair import Request, ask
from pipeline.backends.prompted.replies import reply_text, required_text
from pipeline.rarr.errors import UnreadableReply
from pipeline.rarr.types import Passage

MOST_TOKENS_APART = 4
"""A result whose length differs by more tokens is discarded: the paper's rule."""

_TOKEN = re.compile(r"\w+|[^\w\s]")


class PromptedDecontextualizer(PromptedStep):
    """Rewrites all sentences of a passage in one `complete`.

    A first sentence without a context before it has nothing to refer to, and is not asked about.
    A reply that stays unreadable is discarded like one that is too long: the sentence stays.
    """

    def decontextualize(self, *, passage: Passage, sentences: Sequence[str]) -> Sequence[str]:
        context = passage.context.strip()
        asked = [place for place in range(len(sentences)) if place or context]
        requests = [
            Request(
                prompt=self._prompt(
                    "decontextualization",
                    max_tokens=64 + tokens_for(sentences[place]),
                    context=context or "none",
                    passage=passage.text.strip(),
                    sentence=" ".join(sentences[place].split()),
                ),
                read=read_sentence,
                form='Reply with one line: "Rewritten: " and the sentence.',
            )
            for place in asked
        ]
        standing_alone = list(sentences)
        answers = ask(self._model, requests)
        for place, (answer,) in zip(asked, answers, strict=True):
            if not isinstance(answer, UnreadableReply) and _is_near(answer, sentences[place]):
                standing_alone[place] = answer
        return standing_alone


def _is_near(rewritten: str, sentence: str) -> bool:
    """Whether the lengths of the two are near enough to trust the rewritten one."""
    apart = abs(len(_TOKEN.findall(rewritten)) - len(_TOKEN.findall(sentence)))
    return apart <= MOST_TOKENS_APART


def read_sentence(reply: str) -> str:
    """The sentence behind its label, on one line."""
    return required_text(reply_text(reply), ["Rewritten"]).splitlines()[0].strip()
