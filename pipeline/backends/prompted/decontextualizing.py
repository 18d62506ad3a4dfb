"""Sentences made to stand alone by prompt, for auto-AIS (appendix B)."""

import re
from collections.abc import Sequence

from pipeline.backends.prompted.asking import Request, ask
from pipeline.backends.prompted.laying import tokens_for
from pipeline.backends.prompted.reading import said, under
from pipeline.rarr.ports import LanguageModel, Prompt
from pipeline.rarr.prompts import Prompts
from pipeline.rarr.types import Passage, UnreadableReply

MOST_TOKENS_APART = 4
"""A result whose length differs by more tokens is discarded: the paper's rule."""

_TOKEN = re.compile(r"\w+|[^\w\s]")
_NAMED = ("Rewritten",)


class PromptedDecontextualizer:
    """Rewrites all sentences of a passage in one `complete`.

    A first sentence without a context before it has nothing to refer to, and is not asked about.
    A reply that stays unreadable is discarded like one that is too long: the sentence stays.
    """

    def __init__(self, *, model: LanguageModel, prompts: Prompts) -> None:
        self._model = model
        self._prompts = prompts

    def decontextualize(self, *, passage: Passage, sentences: Sequence[str]) -> Sequence[str]:
        context = passage.context.strip()
        asked = [place for place in range(len(sentences)) if place or context]
        template = self._prompts["decontextualization"]
        requests = [
            Request(
                prompt=Prompt(
                    text=template.render(
                        context=context or "none",
                        passage=passage.text.strip(),
                        sentence=" ".join(sentences[place].split()),
                    ),
                    max_tokens=64 + tokens_for(sentences[place]),
                    stop=template.stop,
                ),
                read=read_sentence,
            )
            for place in asked
        ]
        standing_alone = list(sentences)
        answers = ask(self._model, requests)
        for place, (answer,) in zip(asked, answers, strict=True):
            if not isinstance(answer, UnreadableReply):
                standing_alone[place] = trusted(answer, instead_of=sentences[place])
        return standing_alone


def trusted(rewritten: str, *, instead_of: str) -> str:
    """The rewritten sentence, or the one it came from where their lengths are too far apart."""
    apart = abs(len(_TOKEN.findall(rewritten)) - len(_TOKEN.findall(instead_of)))
    return rewritten if apart <= MOST_TOKENS_APART else instead_of


def read_sentence(reply: str) -> str:
    """The sentence behind its label, on one line."""
    text = under(said(reply), _NAMED)
    if not text:
        raise UnreadableReply(f'There is no line "{_NAMED[0]}: …" in the reply.')
    return text.splitlines()[0].strip()
