"""Parts of a reply, by label, JSON key or tag."""

import re
from collections.abc import Mapping, Sequence
from functools import cache

from pipeline.rarr.errors import UnreadableReply
from pipeline.replies.cleaning import KEY_BREAK, json_fields
from pipeline.replies.markup import RULE, without_markup
from pipeline.replies.remarks import CLOSE, COLON, EXAMPLE, MARKS, REMARK, SOURCE, is_opening

_TAG = re.compile(r"<(?P<end>/?)(?P<name>[A-Za-z][\w -]{0,30})>")
_PASSAGE_TAG = re.compile(
    r"<(?P<end>/?)(?:(?:fixed|revised|corrected|edited|new|final)[_ -]?)?passage>", re.IGNORECASE
)

_LEAD = (
    rf"{SOURCE}"
    r"(?:(?:sure|certainly|of course|okay|ok|and|so|then|here(?:['’]s| is| are)|this is|below is"
    r"|following is|the|my|your|our|a|new|final|overall|full|complete|resulting|short|brief)"
    r"\b[^\w\n]{1,3}){0,5}"
)
_END = rf"(?:{COLON}|[*_` ]{{0,3}}[ \t][–—→-]{{1,2}}[ \t]|{CLOSE}$)"
_LOOSE_END = rf"(?:[ \t]+\d{{1,2}}\b)?(?:{_END}|(?:[ \t]+[\w'’,-]{{1,20}}){{1,8}}{COLON})"

_CLOSING_MARKS = re.compile(r"[*_`\"'”’]")
_NOT_ANSWERS = ("example", "remark")


def labelled_parts(
    text: str,
    loose: Mapping[str, str],
    strict: Mapping[str, str] | None = None,
    *,
    original: str = "",
) -> list[tuple[str, str]]:
    """Split a reply into (label name, text) pairs; the name is "" before the first label.

    `loose` and `strict` map names to patterns of labels that begin a line; `loose` ones may also
    follow a sentence and have words before the colon. JSON keys and XML tags are labels. Labels in
    `original` are text. An example after the answer is cut.
    """
    names = dict(strict or {})
    names.setdefault("example", EXAMPLE)
    names.setdefault("remark", REMARK)
    pattern = _labels(tuple(loose.items()), tuple(names.items()))
    pairs, outside = json_fields(text)
    parts = [
        (name, value)
        for key, value in pairs
        for name, label in (*loose.items(), *names.items())
        if name not in _NOT_ANSWERS and re.fullmatch(label, key, re.IGNORECASE)
    ]
    known = "|".join(
        label for name, label in (*loose.items(), *names.items()) if name not in _NOT_ANSWERS
    )
    if not parts and not (len(pairs) == 1 and _is_blank(outside)):
        outside = text  # JSON of the answer itself
    outside = _TAG.sub(lambda tag: _tag_as_label(tag, known), outside) if known else outside
    plain = _CLOSING_MARKS.sub("", original.lower())
    marks = [
        mark
        for mark in pattern.finditer(outside)
        if f"{mark[str(mark.lastgroup)].lower()}:" not in plain
    ]
    ends = [*(mark.start() for mark in marks), len(outside)]
    preamble = outside[: ends[0]].strip()
    if not parts and not marks and len(pairs) == 1 and _is_blank(preamble):
        preamble = pairs[0][1]  # {"text": "…"}
    parts.append(("", preamble))
    is_bare_answer = not loose and bool(preamble) and not is_opening(preamble)
    has_answer = is_bare_answer or any(name and part for name, part in parts)
    for mark, end in zip(marks, ends[1:], strict=True):
        name, body = str(mark.lastgroup), outside[mark.end() : end].strip()
        if name == "example" and has_answer:
            break
        has_answer |= bool(body) and name not in _NOT_ANSWERS
        parts.append((name, body))
    return parts


def _is_blank(text: str) -> bool:
    return not RULE.sub("", text).strip()


def _tag_as_label(tag: re.Match[str], known: str) -> str:
    name = KEY_BREAK.sub(" ", tag["name"]).strip()
    if not re.fullmatch(known, name, re.IGNORECASE):
        return tag[0]
    return "\n---\n" if tag["end"] else f"\n{name}: "


@cache
def _labels(
    loose: tuple[tuple[str, str], ...], strict: tuple[tuple[str, str], ...]
) -> re.Pattern[str]:
    def groups(labels: tuple[tuple[str, str], ...]) -> str:
        return "|".join(f"(?P<{name}>{label})" for name, label in labels) or "(?!)"

    return re.compile(
        rf"(?:^|(?<=[.!?;:…”\"')\]*`])[ \t]{{1,4}}){MARKS}{_LEAD}(?:{groups(loose)}){_LOOSE_END}"
        rf"|^{MARKS}{_LEAD}(?:{groups(strict)})(?:[ \t]+\d{{1,2}}\b)?(?:{COLON}|{CLOSE}$)",
        re.IGNORECASE | re.MULTILINE,
    )


def only_value(values: Sequence[str], what: str) -> str:
    """Return the value if all are copies of it; raise `UnreadableReply` for none or several."""
    known = {" ".join(without_markup(each).split()): each for each in values if each}
    if not known:
        raise UnreadableReply(f'There is no line "{what}: …" in the reply.')
    if len(known) > 1:
        raise UnreadableReply(f'The reply has more than one "{what}:".')
    return next(iter(known.values()))


def tagged_passage(text: str) -> str | None:
    """Return the text between `<passage>` and `</passage>`, None without tags.

    The last may be unclosed: a stop word. Raises `UnreadableReply` for different passages.
    """
    values, _ = json_fields(text)
    text = "\n".join(value for _, value in values if _PASSAGE_TAG.search(value)) or text
    complete: list[str] = []
    start: int | None = None
    for tag in _PASSAGE_TAG.finditer(text):
        if not tag["end"]:
            start = tag.end()
        elif start is not None:
            complete.append(text[start : tag.start()].strip())
            start = None
    if complete:
        return only_value(complete, "Passage")
    return None if start is None else text[start:].strip()
