"""Research stage by prompt: questions about all aspects of a passage (section 3.1)."""

import re
from collections.abc import Sequence

from pipeline.backends.prompted.prompt_rendering import PromptedStep
from pipeline.backends.prompted.repair import Request, ask
from pipeline.backends.prompted.replies import reply_text, without_next_number
from pipeline.backends.prompted.shapes import QUERIES
from pipeline.rarr.errors import UnreadableReply
from pipeline.rarr.types import Passage, Query

FORM = "Reply with the questions only, numbered, each on a line of its own."
MAX_TOKENS = 512
LONGEST = 300
"""Characters of one question."""

_ITEM = re.compile(
    r"^[*_\s]*(?:(?:\(?(?:\d+|[a-z])[.)]|[-*•–])\s+)?(?P<asked>I googled\s*:)?\s*(?P<text>.*)$",
    re.IGNORECASE,
)
_NOTHING = re.compile(
    r"\W*(?:there (?:is|are) )?(?:none|nothing|no questions?)(?: to (?:ask|check|verify))?\W*",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"^[*_\s]*(?:\(?(?:\d+|[a-z])[.)]|[-*•–])\s+\S", re.IGNORECASE)


class PromptedQueryGenerator(PromptedStep):
    """CQGen: the model is sampled, all samples in one prompt; the loop takes their union."""

    def generate(
        self, passage: Passage, *, samples: int, temperature: float
    ) -> Sequence[Sequence[Query] | UnreadableReply]:
        """One list a sample; a single sample where the temperature is 0: all would be alike.

        In the place of a sample that stays unreadable after its repair stands why. Raises
        `UnreadableReply` where none can be read.
        """
        prompt = self._prompt_in_context(
            "query_generation",
            context=passage.context,
            samples=samples if temperature else 1,
            temperature=temperature,
            max_tokens=MAX_TOKENS,
            passage=passage.text.strip(),
        )
        request = Request(prompt=prompt, read=read_queries, form=FORM, shape=QUERIES)
        (answers,) = ask(self._model, [request])
        unread = [answer for answer in answers if isinstance(answer, UnreadableReply)]
        if len(unread) == len(answers):
            raise unread[0]
        return answers


def read_queries(reply: str) -> list[Query]:
    """The questions of a reply: a line each, numbered or with a question mark.

    Also as the paper's own prompt has them, "a) I googled: …". A line before the first question
    may introduce them. A reply that says in so many words that there is nothing to ask has no
    questions. Raises `UnreadableReply` for any other line, and where there is none.
    """
    queries: list[Query] = []
    listed = without_next_number(reply_text(reply))
    if _NOTHING.fullmatch(listed):
        return queries
    for line in listed.splitlines():
        if not line.strip():
            continue
        item = _ITEM.match(line)
        text = item["text"].strip().strip("*_").strip() if item else ""
        is_question = bool(text) and (
            bool(_NUMBERED.match(line)) or bool(item and item["asked"]) or text.endswith("?")
        )
        if not is_question and not queries and text.endswith(":"):
            continue
        if not is_question:
            raise UnreadableReply(f"The line {line.strip()[:80]!r} is no question.")
        if len(text) > LONGEST:
            raise UnreadableReply(f"A question has {len(text)} characters: {text[:80]!r}.")
        queries.append(Query(text=text))
    if not queries:
        raise UnreadableReply("There is no question in the reply.")
    return queries
