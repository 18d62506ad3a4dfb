"""The editor, which names the words to change first, by prompt (section 3.2)."""

import re
from collections import Counter
from functools import partial

from pipeline.backends.prompted.prompt_rendering import PromptedStep, evidence_line, tokens_for
from pipeline.backends.prompted.repair import Request, ask_one
from pipeline.rarr.errors import UnreadableReply
from pipeline.rarr.types import Agreement, Evidence, Passage, ProposedEdit, Query
from pipeline.replies.cleaning import reply_text
from pipeline.replies.labels import labelled_parts, only_value, tagged_passage
from pipeline.replies.markup import RULE, split_at_rules, without_markup, without_quotes
from pipeline.replies.remarks import (
    BRACKETS,
    MAX_REMARK,
    is_about_reply,
    is_remark,
    refuse_apology,
    refuse_brackets,
    without_opening,
    without_remarks,
    words_of,
)

THOUGHT_TOKENS = 160
"""For the words before the passage."""
MIN_SHARED_WORDS = 0.6
"""The least share of words in common between an unlabelled text and the passage."""
MAX_BRACKET_WORDS = 4
"""Of brackets that a fix may add, such as "(WHO)"; longer ones may be a remark."""
MIN_SENTENCE_WORDS = 0.5
"""The least share of a sentence's words; with fewer, the sentence is missing."""

FORM = 'Reply with "Fixed passage: " and the whole passage.'
_FIXED = (
    r"(?:fixed|revised|corrected|edited|updated|modified|rewritten|amended|adjusted|improved)"
    r"(?: and \w+)?(?: (?:passage|text|version|statement|paragraph|sentence|claim))?"
    r"|passage (?:should|would|must|now)(?: now)? (?:read|be)s?|passage reads|my fix|fix|(?:final"
    r"|new) (?:passage|text|version)"
    r"|passage (?:after|with)(?: the)? (?:fix|change|correction|edit)s?"
)
_CHANGE = (
    r"changes?(?: (?:needed|required|made))?|what (?:has to|needs to|must) change|this suggests"
)
_PARAGRAPH_BREAK = re.compile(r"\n[ \t]*\n\s*")
_SENTENCE_BREAK = re.compile(r"(?<=[.!?…])\s+|\n+")
_UNCHANGED = re.compile(
    r"\W{0,4}(?:no (?:changes?|edits?|corrections?|revisions?|fix)\b|unchanged|n/?a\b|none\b"
    r"|same as\b"
    r"|(?:the|this) (?:passage|text|statement) (?:is|was|remains|stays|does not|doesn['’]t"
    r"|already)\b|nothing to\b)",
    re.IGNORECASE,
)
_ADDITION = re.compile(
    r"(?<=[^\s,;])\s+(?=(?:I|Let|Note|Please|This|These|The|Chang\w{1,4}|Correct\w{1,4}|Explanation)\b|\()"
)
"""Possible starts of a remark without a full stop before it."""
_TRACKED = re.compile(r"~~|→|->|<del>|<ins>", re.IGNORECASE)
_WORD = re.compile(r"\w+")


class PromptedEditor(PromptedStep):
    """A new y that agrees with the evidence and otherwise changes nothing."""

    def edit(
        self,
        *,
        passage: Passage,
        current: str,
        query: Query,
        evidence: Evidence,
        agreement: Agreement,
    ) -> ProposedEdit:
        """Return the edit and the change that the model names; raises `UnreadableReply`."""
        prompt = self._prompt(
            "edit",
            context=passage.context,
            max_tokens=THOUGHT_TOKENS + tokens_for(current),
            passage=current.strip(),
            query=" ".join(query.text.split()),
            evidence=evidence_line(evidence),
        )
        read = partial(read_edit, current=current)
        return ask_one(self._model, Request(prompt=prompt, read=read, form=FORM))


def read_edit(reply: str, *, current: str) -> ProposedEdit:
    """Read the fixed passage of a reply and the words about it before.

    Keeps the white space around `current`. Raises `UnreadableReply` for no passage, for two, and
    for a possible remark within the passage.
    """
    text = reply_text(reply)
    fixed = fixed_passage(text, current=current)
    parts = labelled_parts(text, {"fixed": _FIXED}, {"change": _CHANGE}, original=current)
    reasons = [part for name, part in parts if name == "change"] or [
        part for name, part in parts[:1] if name == "" and part != text.strip()
    ]
    return ProposedEdit(text=fixed, reason=without_markup(reasons[0]) if reasons else "")


def fixed_passage(text: str, *, current: str) -> str:
    """Read the fixed passage between tags, behind its label, or alone, spaced like `current`.

    Raises `UnreadableReply`.
    """
    tagged = tagged_passage(text)
    if tagged is not None:
        return as_spaced(_without_additions(tagged, current), original=current)
    parts = labelled_parts(text, {"fixed": _FIXED}, {"change": _CHANGE}, original=current)
    labelled = [part for name, part in parts if name == "fixed" and part]
    if not labelled and any(name == "fixed" for name, _ in parts):
        raise UnreadableReply('Nothing follows "Fixed passage:".')
    if labelled:
        has_rule = bool(RULE.search(current))
        blocks = [each if has_rule else next(iter(split_at_rules(each)), "") for each in labelled]
        fixes = [_without_additions(block, current) for block in blocks]
        return as_spaced(only_value(fixes, "Fixed passage"), original=current)
    return as_spaced(_alone(parts[0][1], current), original=current)


def _alone(text: str, current: str) -> str:
    refuse_apology(text)
    for block in [text] if RULE.search(current) else split_at_rules(without_opening(text)):
        block = without_opening(block)
        if not is_remark(block, words_of(current)):
            fix = _without_additions(block, current)
            common = (
                Counter(_WORD.findall(fix.lower())) & Counter(_WORD.findall(current.lower()))
            ).total()
            total = max(len(_WORD.findall(fix)), len(_WORD.findall(current)))
            if common >= MIN_SHARED_WORDS * total and not is_about_reply(fix, words_of(current)):
                return fix
            break
    raise UnreadableReply('There is no line "Fixed passage: …" in the reply.')


def _without_additions(text: str, current: str) -> str:
    """Return a passage with as many paragraphs as `current`, without remarks and new Markdown.

    Raises `UnreadableReply` where that is unclear.
    """
    known = words_of(current)
    whole = without_quotes(
        without_markup(without_opening(text), original=current), original=current
    )
    paragraphs = list(_PARAGRAPH_BREAK.finditer(whole))
    while paragraphs and is_remark(whole[: paragraphs[0].start()], known):
        whole = whole[paragraphs[0].end() :]
        paragraphs = list(_PARAGRAPH_BREAK.finditer(whole))
    if whole[:20] != current.strip()[:20]:
        refuse_apology(whole)
    wanted = len(_PARAGRAPH_BREAK.findall(current.strip()))
    text = whole[: paragraphs[wanted].start()] if len(paragraphs) > wanted else whole
    if "\n" not in current.strip() and "\n" in text:
        text = _one_line(text, current)
    text = without_remarks(text, original=current)
    text = without_quotes(text.strip(), original=current)
    if not text:
        raise UnreadableReply('Nothing follows "Fixed passage:".')
    _refuse_remarks(text, current)
    if len(text) < len(whole) and not _is_whole(text, current):
        raise UnreadableReply("It is unclear where the passage ends and a remark begins.")
    return text


def _one_line(text: str, current: str) -> str:
    known = set(_WORD.findall(current.lower()))
    first, *rest = [line for line in text.split("\n") if line.strip()]
    if _is_whole(first, current):
        return first
    for line in rest:
        words = _WORD.findall(line.lower())
        if sum(word in known for word in words) < MIN_SENTENCE_WORDS * len(words):
            raise UnreadableReply("It is unclear where the passage ends and a remark begins.")
    return " ".join(" ".join([first, *rest]).split())


def _is_whole(text: str, current: str) -> bool:
    known = set(_WORD.findall(text.lower()))
    wanted = [words for each in _sentences(current) if (words := _WORD.findall(each.lower()))]
    return len(_sentences(text)) >= len(wanted) or all(
        sum(word in known for word in some) >= MIN_SENTENCE_WORDS * len(some) for some in wanted
    )


def _refuse_remarks(text: str, current: str) -> None:
    """Raise `UnreadableReply` for a possible remark and for a passage that is cut off."""
    known = words_of(current)
    if len(RULE.findall(text)) > len(RULE.findall(current)):
        raise UnreadableReply("A rule or a code fence in the reply may not belong to the passage.")
    if _UNCHANGED.match(text) and not _UNCHANGED.match(current):
        raise UnreadableReply(f"The reply has no passage: {text[:80]!r}.")
    if _TRACKED.search(text) and not _TRACKED.search(current):
        raise UnreadableReply("The passage contains marks of its changes.")
    refuse_brackets(text, original=current)
    groups = [group["inside"] for group in BRACKETS.finditer(text)]
    has_more = len(groups) > len(BRACKETS.findall(current))
    for inside in groups:
        if has_more and inside not in current and len(inside.split()) > MAX_BRACKET_WORDS:
            raise UnreadableReply(f"({inside[:80]}) may be a remark.")
    sentences = _sentences(text)
    tail = text[-MAX_REMARK:]
    for sentence in (*sentences[1:], *(tail[mark.start() :] for mark in _ADDITION.finditer(tail))):
        if is_remark(sentence, known, is_line=False):
            raise UnreadableReply(f"{sentence[:80]!r} may be a remark about the passage.")
    if len(sentences) > len(_sentences(current)) and is_about_reply(sentences[-1], known):
        raise UnreadableReply(f"{sentences[-1][:80]!r} may be a remark about the passage.")
    is_short = len(_WORD.findall(text)) + 1 < len(_WORD.findall(current))
    is_open = current.rstrip()[-1:] in ".!?" and text[-1:].isalnum()
    if (is_short and is_open) or (
        text.count("(") > text.count(")") and current.count("(") <= current.count(")")
    ):
        raise UnreadableReply(f"The passage is cut off: it ends in {text[-20:]!r}.")


def _sentences(text: str) -> list[str]:
    return [each for each in _SENTENCE_BREAK.split(text.strip()) if each.strip()]


def as_spaced(text: str, *, original: str) -> str:
    """Give a text the white space around `original`."""
    inner = original.strip()
    if not inner:
        return text
    start = original.index(inner)
    return original[:start] + text + original[start + len(inner) :]
