"""What a right answer says, as sub-claims: ALCE's measure of long answers (section 3, ELI5)."""

import re
from collections.abc import Sequence

from pipeline.backends.prompted.prompt_rendering import PromptedStep
from pipeline.backends.prompted.repair import Request, ask_each
from pipeline.backends.prompted.replies import reply_text, without_next_number
from pipeline.rarr.errors import RefusedPrompt, UnreadableReply

MAX_TOKENS = 256
CLAIMS = 3
"""Of each answer, as in ALCE's data."""
_ITEM = re.compile(r"^\s*(?:\(?\d+[.)]|[-*•–])\s+(?P<text>\S.*)$")


class PromptedSubClaims(PromptedStep):
    """The three sub-claims of each right answer."""

    def write(
        self, answers: Sequence[tuple[str, str]]
    ) -> list[tuple[str, ...] | UnreadableReply | RefusedPrompt]:
        """The sub-claims of each (question, right answer), in order, or why there are none."""
        requests = [
            Request(
                prompt=self._prompt(
                    "sub_claims",
                    max_tokens=MAX_TOKENS,
                    # A blank line would look like the end of a demonstration.
                    question=" ".join(question.split()),
                    answer=" ".join(answer.split()),
                ),
                read=read_claims,
                form="Reply with the statements only, numbered, each on a line of its own.",
            )
            for question, answer in answers
        ]
        return [claims for (claims,) in ask_each(self._model, requests)]


def read_claims(reply: str) -> tuple[str, ...]:
    """The numbered lines of a reply; raises `UnreadableReply` unless they are three.

    >>> read_claims("1. It fell.\\n2. It rose.\\n3) It stayed.")
    ('It fell.', 'It rose.', 'It stayed.')
    """
    lines = without_next_number(reply_text(reply)).splitlines()
    found = tuple(item["text"].strip() for line in lines if (item := _ITEM.match(line)))
    if len(found) != CLAIMS:
        raise UnreadableReply(f"There are {len(found)} numbered statements, not {CLAIMS}.")
    return found
