"""What replies of language models have in common, whatever the step.

Chat models think aloud, wrap their answer in Markdown, JSON or tags, introduce it, and comment on
it; completing models go on with an example of their own. `reply_text` removes what is never part
of an answer, `sections` finds the parts of a reply by their labels, and `without_remarks` cuts
sentences about the reply. Every pattern is bounded, so that the work grows with the length of the
reply and not with its square.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from pipeline.rarr.errors import UnreadableReply
from pipeline.rarr.remarks import (
    CLOSE,
    COLON,
    EXAMPLE,
    MARKS,
    REMARK,
    SOURCE,
    is_opening,
    without_opening,
    without_remarks,
)

MAX_JSON_ATTEMPTS = 8
"""Places of a reply that are tried as the beginning of a JSON value and are none."""

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
RULE = re.compile(
    r"^[ \t]*(?:-{3,}|\*{3,}|_{3,}|={3,}|~{3,}|`{3}[ \t]*[\w-]*)[ \t]*$", re.MULTILINE
)
"""A horizontal rule, or the line of a code fence."""
_JSON_START = re.compile(r"(?:^|[\n:`])[ \t]*(?P<start>\{(?=[\s\"}])|\[(?=[\s\"{\]]))")
_JSON_BEGINNING = re.compile(r"\s*(?:```\w{0,9}\s*)?(?:\{\s*\"|\[\s*[\"{])")
_DECODER = json.JSONDecoder(strict=False)
_KEY_BREAK = re.compile(r"[_\-\s]+|(?<=[a-z0-9])(?=[A-Z])")
_TAG = re.compile(r"<(?P<end>/?)(?P<name>[A-Za-z][\w -]{0,30})>")
_PASSAGE_TAG = re.compile(
    r"<(?P<end>/?)(?:(?:fixed|revised|corrected|edited|new|final)[_ -]?)?passage>", re.IGNORECASE
)
_QUOTES = {'"': '"', "“": "”", "«": "»", "„": "“", "'": "'", "‘": "’"}

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
_ITEM_LABEL = (
    r"(?:search )?(?:q|questions?|query|claim|sub-?claim|statement|fact|item|search(?: for)?)"
    r"(?: ?#?\d{1,2}[*_]{0,2} ?[:.)–-]|[*_]{0,2} ?:)"
)
_ITEM_MARK = re.compile(
    r"(?P<indent>[ \t]{0,40})(?P<heading>#{1,6}[ \t]+)?(?:>[ \t]*)?(?:[*_]{2})?"
    r"(?P<bullet>(?:[-*•–—+·●▪➤→✅]|[🔍❓🔎])[ \t]+)?(?:\[[ x]\][ \t]*)?(?:[*_]{2})?"
    r"(?P<number>\(?(?:\d{1,2}|[a-z])[.):](?=[\s*_\"“A-Z])[*_]{0,2}[ \t]*)?[*_]{0,3}"
    rf"(?P<label>(?:I googled ?:|{_ITEM_LABEL})[*_]{{0,2}}[ \t]*)?",
    re.IGNORECASE,
)
_NUMBER_IN_LINE = re.compile(
    r"(?:^[ \t]{0,40}|(?<=[.?!:\"”])[ \t]{1,3})(?P<number>\(?\d{1,2}[.)])(?=[ \t]{1,3}[\w\"“*])"
)
_EXAMPLE_LINE = (
    r"^[^\w\n<{{\[(]{{0,6}}(?:\(?\d{{1,2}}[.)] )?"
    r"(?:passage|context|text|evidence|document|user|human|you said|example|{ends})[*_]{{0,2}}:"
)
_LISTED_LINE = re.compile(r"^[ \t]{0,9}(?:[-*•–]|\(?\d{1,2}[.)])[ \t]+\S", re.MULTILINE)
_BOLD_LEAD = re.compile(r"(?:\*\*)?[^*\n?]{1,80}(?::\*\*|\*\*[ \t]*[:–—-])[ \t]*(?P<rest>\S.*)")
_CITATION = re.compile(r"\s?\[\d{1,2}(?:[,;–-] ?\d{1,2}){0,5}\]")
_EMPHASIS = {
    "*": re.compile(r"(?<![\w*])\*(?=\S)([^*\n]{1,500})(?<=\S)\*(?![\w*])"),
    "_": re.compile(r"(?<![\w_])_(?=\S)([^_\n]{1,500})(?<=\S)_(?![\w_])"),
}
_HTML = re.compile(r"</?(?:b|strong|i|em|u|mark|p|br ?/?|span|div)>", re.IGNORECASE)
_ESCAPED = re.compile(r"\\([*_\[\]().#$\"'-])")


def reply_text(reply: str) -> str:
    """The reply without thoughts, special tokens, byte-order marks and white space around it.

    Raises `UnreadableReply` where nothing is left, and for a reply that ends in its thoughts.
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


def fields(text: str) -> tuple[list[tuple[str, str]], str]:
    """The fields of JSON values in a reply, each with its key in plain words, and all other text.

    A list has a field for each of its entries. Raises `UnreadableReply` for a reply that is
    nothing but the beginning of a JSON value.

    >>> fields('Sure: {"fixedPassage": "It fell."} Bye.')
    ([('fixed passage', 'It fell.')], 'Sure: \\n Bye.')
    """
    pairs: list[tuple[str, str]] = []
    outside: list[str] = []
    at = attempts = 0
    while attempts < MAX_JSON_ATTEMPTS and (start := _JSON_START.search(text, at)):
        try:
            value, end = _DECODER.raw_decode(text, start.start("start"))
        except (ValueError, RecursionError):
            attempts += 1
            outside.append(text[at : start.end()])
            at = start.end()
            continue
        outside += [text[at : start.start("start")], "\n"]
        pairs += _flat(value, "")
        at = end
    outside.append(text[at:])
    if attempts and not pairs and _JSON_BEGINNING.match(text):
        raise UnreadableReply(
            f"The reply is not a whole JSON value, it ends in {text[-20:]!r}: it may need more "
            "tokens (RARR_LLM_EXTRA_TOKENS)."
        )
    return pairs, "".join(outside)


def _flat(value: Any, key: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for name, each in value.items():
            yield from _flat(each, _KEY_BREAK.sub(" ", name).strip().lower())
    elif isinstance(value, list):
        for each in value:
            yield from _flat(each, key)
    else:
        text = value.strip() if isinstance(value, str) else json.dumps(value)
        yield key, "" if value is None else text


def sections(
    text: str, loose: Mapping[str, str], strict: Mapping[str, str] | None = None, *, like: str = ""
) -> list[tuple[str, str]]:
    """The parts of a reply in order, each with the name of its label; "" before the first one.

    Labels are patterns by name. They begin a line, with any list marks, headings, bold, tags and
    words such as "Here is the final"; a `loose` one may also follow the end of a sentence, and
    may have words between it and its colon. JSON keys and XML tags are labels too. Labels that
    `like` has are text, and an example that follows the first part of the answer is cut.
    """
    names = dict(strict or {})
    names.setdefault("example", EXAMPLE)
    names.setdefault("remark", REMARK)
    pattern = _labels(tuple(loose.items()), tuple(names.items()))
    pairs, outside = fields(text)
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
    plain = _CLOSING_MARKS.sub("", like.lower())
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
    name = _KEY_BREAK.sub(" ", tag["name"]).strip()
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


def blocks(text: str) -> list[str]:
    """The stretches of a text between horizontal rules and the lines of code fences."""
    return [block for each in RULE.split(text) if (block := each.strip())]


def only(values: Sequence[str], what: str) -> str:
    """The value of which all others are copies; raises `UnreadableReply` for none or several."""
    known = {" ".join(unmarked(each).split()): each for each in values if each}
    if not known:
        raise UnreadableReply(f'There is no line "{what}: …" in the reply.')
    if len(known) > 1:
        raise UnreadableReply(f'The reply has more than one "{what}:".')
    return next(iter(known.values()))


def tagged_passage(text: str) -> str | None:
    """What stands between `<passage>` and `</passage>`; None where there are no such tags.

    The last tag may be left open: `</passage>` is a stop word. Raises `UnreadableReply` for two
    passages that differ.
    """
    values, _ = fields(text)
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
        return only(complete, "Passage")
    return None if start is None else text[start:].strip()


def plain_answer(text: str, *, like: str = "") -> str:
    """An answer up to a rule, without remarks, and without the Markdown that `like` lacks."""
    stretches = [text] if RULE.search(like) else blocks(text)
    text = without_opening(stretches[0]) if stretches else ""
    text = without_remarks(unmarked(text, like=like), like=like)
    return unquoted(text, like=like)


def unmarked(text: str, *, like: str = "") -> str:
    """The text without the Markdown and HTML marks that `like` does not have.

    >>> unmarked("It fell in **1911** <b>twice</b>."), unmarked("2*3*4 and a_b_c")
    ('It fell in 1911 twice.', '2*3*4 and a_b_c')
    """
    for mark in ("**", "__", "`"):
        if mark not in like:
            text = text.replace(mark, "")
    for mark, pattern in _EMPHASIS.items():
        if mark not in like:
            text = pattern.sub(r"\1", text)
    if like and "[" not in like:
        text = _CITATION.sub("", text)
    if "<" not in like:
        text = _HTML.sub("", text)
    if "\\" not in like:
        text = _ESCAPED.sub(r"\1", text)
    lines = text.split("\n")
    if ">" not in like and all(line.startswith(">") for line in lines if line.strip()):
        text = "\n".join(line.lstrip("> ") for line in lines)
    return text.strip()


def unquoted(text: str, *, like: str = "") -> str:
    """The text without quotation marks around the whole of it, unless `like` has them too.

    >>> unquoted('"It fell."'), unquoted('"It fell" and "it rose"')
    ('It fell.', '"It fell" and "it rose"')
    """
    closing = _QUOTES.get(text[:1])
    if (
        closing
        and len(text) > 2
        and text[-1:] == closing
        and (
            text.count(text[0]) - 1 - (closing == text[0]) == like.count(text[0])
            if text[0] in like
            else closing not in text[1:-1].replace("’s", "").replace("'s", "")
        )
    ):
        return text[1:-1].strip()
    return text


@dataclass(frozen=True, slots=True, kw_only=True)
class ListItem:
    """A line of a reply, or an entry of its JSON list."""

    text: str
    """Without its mark, Markdown and quotation marks."""
    number: int | None = None
    """Of a list with numbers or letters."""
    is_listed: bool = False
    """Whether it has a number, a bullet or a label."""
    is_below: bool = False
    """Whether it belongs to the item above it."""
    is_heading: bool = False
    """Whether it is a heading, or bold as a whole."""


def list_items(text: str, keys: str = "", *, ends: str = "(?!)") -> list[ListItem]:
    """The lines of a reply as items of a list, without blank ones; JSON values are items too.

    `keys` is the pattern of the JSON keys that hold items; without any of those all do. Labels
    that match `ends` begin an example of the model's own, as those of the input do.

    >>> [item.text for item in list_items('Sure:\\n1. **Year**: It fell. 2. "It rose."')]
    ['Sure:', 'It fell.', 'It rose.']
    """
    pairs, outside = fields(text)
    if pairs:
        named = [value for key, value in pairs if re.fullmatch(keys, key)]
        values = named or [value for _, value in pairs]
        return [
            ListItem(text=value, is_listed=True) for each in values if (value := unmarked(each))
        ]
    items: list[ListItem] = []
    outside = _before_example(outside, ends)
    first: tuple[int, bool] | None = None
    for line in _split_numbers(RULE.sub("", outside)):
        mark = _ITEM_MARK.match(line)
        if mark is None:
            continue
        is_table = line.lstrip().startswith("|")
        body = _table_cell(line) if is_table else line[mark.end() :]
        is_listed = is_table or bool(mark["label"] or mark["number"] or mark["bullet"])
        has_number = bool(mark["label"] or mark["number"])
        indent = len(mark["indent"].expandtabs(4))
        if is_listed and first is None:
            first = indent, has_number
        is_below = (
            is_listed
            and first is not None
            and (indent > first[0] + 1 or (first[1] and not has_number))
        )
        bare = body.strip(" *_`#")
        if not bare:
            continue
        if lead := _BOLD_LEAD.match(body.strip()):
            body = lead["rest"]
        items.append(
            ListItem(
                text=unquoted(unmarked(body.strip().removesuffix("**"))).strip(),
                number=_number(mark["number"]),
                is_listed=is_listed,
                is_below=is_below,
                is_heading=bool(mark["heading"])
                or (body.strip().startswith("**") and body.strip().endswith("**"))
                or bare.endswith(":"),
            )
        )
    return items


def _before_example(text: str, ends: str) -> str:
    """The text before an example of the model's own that follows a list or a question."""
    starts = [text.find("?") % (len(text) + 1)]
    if listed := _LISTED_LINE.search(text):
        starts.append(listed.start())
    example = re.compile(_EXAMPLE_LINE.format(ends=ends), re.IGNORECASE | re.MULTILINE)
    first = example.search(text, min(starts))
    return text[: first.start()] if first else text


def _split_numbers(text: str) -> Iterator[str]:
    """The lines of a text; a list on one line is taken apart where its numbers run on."""
    for line in text.split("\n"):
        start, last = 0, None
        for mark in _NUMBER_IN_LINE.finditer(line):
            number = _number(mark["number"])
            if mark.start() == 0 or number == 1 or number == (last or 0) + 1:
                if line[start : mark.start()].strip():
                    yield line[start : mark.start()]
                start, last = mark.start(), number
        if line[start:].strip():
            yield line[start:]


def _number(mark: str | None) -> int | None:
    name = (mark or "").strip(" ().:*_").lower()
    if not name:
        return None
    return int(name) if name.isdecimal() else ord(name[0]) - ord("a") + 1


def _table_cell(line: str) -> str:
    cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
    return next((cell for cell in cells if cell.endswith(("?", "."))), "")
