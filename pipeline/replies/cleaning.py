"""Removal of thoughts, special tokens and boxes from a reply."""

import re

from pipeline.rarr.errors import UnreadableReply

_SPECIAL = (
    r"(?:<[|｜][^<>\n]{1,40}[|｜]>|</?s>|<(?:start|end)_of_(?:turn|text)>|<(?:eos|bos|pad)>"
    r"|\[/?INST\])"
)
_FIRST_TOKENS = re.compile(
    rf"\A\s*(?:{_SPECIAL}(?:\s{{0,3}}(?:assistant|model)\b)?\s*)+|\A\s*(?:assistant|model)[ \t]*\n",
)
_END_TOKEN = re.compile(rf"{_SPECIAL}(?=[ \t]{{0,9}}(?:\Z|\n|{_SPECIAL}))")
_FINAL_CHANNEL = re.compile(r"<\|channel\|>final[^<>\n]{0,40}<\|message\|>|assistantfinal")
_THOUGHTS = re.compile(
    r"<(?P<end>/?)(?:think|thinking|thoughts?|reflection|scratchpad|analysis)>"
    r"|\[(?P<end2>/?)THINK\]|◁(?P<end3>/?)think▷",
    re.IGNORECASE,
)
_BOXED = re.compile(r"\$*\\boxed\{(?:\\text(?:bf)?\{)?(?P<text>[^{}\n]*)\}{1,2}\$*")


def reply_text(reply: str) -> str:
    """Return the reply without thoughts, special tokens and outer white space.

    Raises `UnreadableReply` if nothing is left or the reply ends within its thoughts.
    """
    text = re.sub(r"\r\n?", "\n", reply).replace("\ufeff", "").replace("\u200b", "")
    channels = _FINAL_CHANNEL.split(text)
    if len(channels) == 1 and "<|channel|>analysis" in text:
        raise _cut_in_thoughts()
    text = _FIRST_TOKENS.sub("", channels[-1])
    text = _FIRST_TOKENS.sub("", _without_thoughts(text))
    if end := _END_TOKEN.search(text):
        text = text[: end.start()]
    text = _BOXED.sub(lambda box: box["text"], text).strip()
    if not text:
        raise UnreadableReply("The reply is empty.")
    return text


def _without_thoughts(text: str) -> str:
    marks = list(_THOUGHTS.finditer(text))
    is_end = [bool(mark["end"] or mark["end2"] or mark["end3"]) for mark in marks]
    if not any(is_end):
        if marks:
            raise _cut_in_thoughts()
        return text
    last = len(marks) - 1 - is_end[::-1].index(True)
    if last < len(marks) - 1:
        raise _cut_in_thoughts()
    before = "" if is_end[0] else text[: marks[0].start()]
    rest = text[marks[last].end() :].strip() or before.strip()
    if not rest:
        raise _cut_in_thoughts()
    return rest


def _cut_in_thoughts() -> UnreadableReply:
    return UnreadableReply(
        "The reply ends within its thoughts: give the model more tokens (RARR_LLM_EXTRA_TOKENS)."
    )
