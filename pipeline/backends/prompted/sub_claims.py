"""Sub-claims of reference answers: ALCE's measure of long answers (section 3, ELI5)."""

from collections.abc import Sequence

from pipeline.backends.prompted.prompt_rendering import PromptedStep
from pipeline.backends.prompted.repair import Request, ask_each
from pipeline.rarr.errors import RefusedPrompt, UnreadableReply
from pipeline.replies.cleaning import reply_text
from pipeline.replies.lists import list_items
from pipeline.replies.remarks import refuse_brackets

MAX_TOKENS = 256
CLAIMS = 3
"""Of each answer, as in ALCE's data."""


class PromptedSubClaims(PromptedStep):
    def write(
        self, answers: Sequence[tuple[str, str]]
    ) -> list[tuple[str, ...] | UnreadableReply | RefusedPrompt]:
        """Return the sub-claims of each (question, answer), in order, or an error."""
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
        return ask_each(self._model, requests)


def read_claims(reply: str) -> tuple[str, ...]:
    """Read a list of three items; raises `UnreadableReply`.

    >>> read_claims("1. It fell.\\n2. It rose.\\n3) It stayed.")
    ('It fell.', 'It rose.', 'It stayed.')
    """
    items = list_items(reply_text(reply), ends="question|answer")
    listed = [item for item in items if item.is_listed and not item.is_nested] or [
        item for item in items if item.text.endswith((".", "!"))
    ]
    claims = tuple(item.text for item in listed)
    if len(claims) != CLAIMS:
        raise UnreadableReply(f"There are {len(claims)} numbered statements, not {CLAIMS}.")
    for each in claims:
        refuse_brackets(each)
    return claims
