"""Questions about all aspects of a passage, by prompt (section 3.1)."""

import re
from collections.abc import Sequence

from pipeline.backends.prompted.prompt_rendering import PromptedStep
from pipeline.backends.prompted.repair import Request, ask
from pipeline.rarr.errors import UnreadableReply
from pipeline.rarr.types import Passage, Query
from pipeline.replies.cleaning import json_fields, reply_text
from pipeline.replies.lists import ListItem, list_items
from pipeline.replies.markup import without_quotes
from pipeline.replies.remarks import is_about_reply, is_remark, refuse_apology

FORM = "Reply with the questions only, numbered, each on a line of its own."
MAX_TOKENS = 512
LONGEST = 300
"""Characters of one question."""

_KEYS = r"(?:search )?(?:q|query|queries|questions?|text)(?: ?\d+)?"
_NOTHING = re.compile(
    r"\W*(?:there (?:is|are) )?(?:none|nothing|no questions?)(?: to (?:ask|check|verify))?\W*",
    re.IGNORECASE,
)
_TO_USER = re.compile(
    r"\b(?:would you|do you (?:want|need|have any)|(?:could|can|will) you|shall i|should i|can i"
    r"|may i|let me|is there anything|want me|need (?:any|more)|you(?:['’]d)? like"
    r"|does (?:this|that) (?:help|work|look|sound)|how (?:do|does) (?:these|this|that)"
    r"|what do you think|any (?:other|more|further) questions)\b",
    re.IGNORECASE,
)
_TAIL = re.compile(
    r"\s*[*_\"”’)]*\s*(?:[(\[{<|]|[-–—:→>#/]|(?:a|answer|because|this|to|reason|purpose|note"
    r"|checks?"
    r"|verif|confirms?|for)\b)",
    re.IGNORECASE,
)
_TWO_QUESTIONS = re.compile(r"(?<=\?)[\"”]?\s+(?=[\"“]?[A-Z])")
_LETTER = re.compile(r"\w")
_LEAD = re.compile(
    r"[^?:]{1,60}:\s*(?=(?:when|who|whom|whose|what|where|which|how|why|is|are|was|were|did|does"
    r"|do|has|have|had|can|could|in (?:which|what)|at (?:which|what)|on (?:which|what))\b)",
    re.IGNORECASE,
)


class PromptedQueryGenerator(PromptedStep):
    """CQGen: all samples in one prompt; the loop takes their union."""

    def generate(
        self, passage: Passage, *, samples: int, temperature: float
    ) -> Sequence[Sequence[Query] | UnreadableReply]:
        """Return a list for each sample, or its error; one sample at temperature 0.

        Raises `UnreadableReply` where none is readable.
        """
        prompt = self._prompt(
            "query_generation",
            context=passage.context,
            samples=samples if temperature else 1,
            temperature=temperature,
            max_tokens=MAX_TOKENS,
            passage=passage.text.strip(),
        )
        request = Request(prompt=prompt, read=read_queries, form=FORM)
        (answers,) = ask(self._model, [request])
        unread = [answer for answer in answers if isinstance(answer, UnreadableReply)]
        if len(unread) == len(answers):
            raise unread[0]
        return answers


def read_queries(reply: str) -> list[Query]:
    """Read the questions of a reply: items of a list, or lines with a question mark.

    A reply with nothing to ask has none. Raises `UnreadableReply` where there is no question.
    """
    text = reply_text(reply)
    refuse_apology(text)
    pairs, outside = json_fields(text)
    if _NOTHING.fullmatch(text) or not (pairs or outside.strip()):
        return []
    items = list_items(text, _KEYS)
    has_list = any(item.is_listed for item in items)
    if not has_list:
        items = [ListItem(text=part) for each in items for part in _TWO_QUESTIONS.split(each.text)]
    questions: list[str] = []
    parent_asks = False
    for number, item in enumerate(items):
        question = _question(item.text)
        if item.is_listed and not item.is_nested:
            parent_asks = bool(question)
        elif item.is_nested and parent_asks:
            continue
        if not item.is_listed and has_list and not _is_first(items, number):
            continue
        is_to_user = bool(_TO_USER.search(question)) or is_about_reply(question)
        if question and (item.is_listed or not is_to_user):
            questions.append(question)
        elif not question and _is_keywords(items, number):
            questions.append(item.text)
    if not questions:
        raise UnreadableReply(f"There is no question in the reply: {text[:80]!r}.")
    short = [each for each in questions if len(each) <= LONGEST]
    if not short:
        raise UnreadableReply(
            f"A question has {len(questions[0])} characters: {questions[0][:80]!r}."
        )
    return [Query(text=each) for each in short]


def _question(text: str) -> str:
    """Return the text up to its question mark, or ""."""
    end = text.rfind("?") + 1
    if not end:
        return ""
    tail = text[end:].strip(' *_`"”’).')
    if _LETTER.search(tail) and not (_TAIL.match(text[end:]) or is_remark(tail)):
        return text
    text = without_quotes(text[:end]) if tail else without_quotes(text)
    return _LEAD.sub("", text, count=1) if _LEAD.match(text) else text


def _is_first(items: Sequence[ListItem], number: int) -> bool:
    """Return whether a line continues a list whose first number ends the prompt."""
    return number == 0 and len(items) > 1 and items[1].number == 2


def _is_keywords(items: Sequence[ListItem], number: int) -> bool:
    item = items[number]
    after = items[number + 1] if number + 1 < len(items) else None
    return (
        item.is_listed
        and not item.is_nested
        and not item.is_heading
        and not item.text.endswith((".", ":", "!"))
        and not is_remark(item.text)
        and not (after is not None and after.is_nested and "?" in after.text)
    )
