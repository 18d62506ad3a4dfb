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

MAX_JSON_ATTEMPTS = 8
"""Places of a reply that are tried as the beginning of a JSON value and are none."""

_TOKEN = r"(?:<[|｜][^<>\n]{1,40}[|｜]>|</?s>|<(?:start|end)_of_(?:turn|text)>|<(?:eos|bos|pad)>|\[/?INST\])"
_FIRST_TOKENS = re.compile(
    rf"\A\s*(?:{_TOKEN}(?:\s{{0,3}}(?:assistant|model)\b)?\s*)+|\A\s*(?:assistant|model)[ \t]*\n",
)
_END_TOKEN = re.compile(rf"{_TOKEN}(?=[ \t]{{0,9}}(?:\Z|\n|{_TOKEN}))")
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
_DECODER = json.JSONDecoder(strict=False)
_KEY_BREAK = re.compile(r"[_\-\s]+|(?<=[a-z0-9])(?=[A-Z])")
_TAG = re.compile(r"<(?P<end>/?)(?P<name>[A-Za-z][\w -]{0,30})>")
_PASSAGE_TAG = re.compile(
    r"<(?P<end>/?)(?:(?:fixed|revised|corrected|edited|new|final)[_ -]?)?passage>", re.IGNORECASE
)
_QUOTES = {'"': '"', "“": "”", "«": "»", "„": "“", "'": "'", "‘": "’"}

_MARKS = (
    r"(?:[^\w\n<{\[(]|</?\w{1,10}>){0,12}"
    r"(?:(?:\(?(?:\d{1,2}|[a-h])[.):]|step \d{1,2}[.:)]?)(?:[^\w\n<{\[]|<\w{1,10}>){0,8})?"
)
_LEAD = (
    r"(?:(?:sure|certainly|of course|okay|ok|and|so|then|here(?:['’]s| is| are)|this is|below is"
    r"|following is|the|my|your|our|a|new|final|overall|full|complete|resulting|short|brief)"
    r"\b[^\w\n]{1,3}){0,5}"
)
_CLOSE = r"(?:[*_`\"'’”~ \t]|</\w{1,10}>){0,8}"
_AFTER = r"(?:(?:\*\*|__|[*_`]|</\w{1,10}>)(?=\s|$))?"
_COLON = rf"{_CLOSE}(?:\([^()\n]{{0,80}}\){_CLOSE})?[:：=]{_AFTER}"
_END = rf"(?:{_COLON}|[*_` ]{{0,3}}[ \t][–—→-]{{1,2}}[ \t]|{_CLOSE}$)"
_LOOSE_END = rf"(?:[ \t]+\d{{1,2}}\b)?(?:{_END}|(?:[ \t]+[\w'’,-]{{1,20}}){{1,8}}{_COLON})"

EXAMPLE = (
    r"passage|question|query|evidence|context|document|text|sentence|claim|user|human|input"
    r"|you said|i checked|i found this article|statements?|example|task|instructions?|premise"
    r"|hypothesis|base response|dialog(?:ue)?"
)
"""Labels of the input: after an answer they begin an example of the model's own."""
REMARK = (
    r"notes?|n\.?b\.?|p\.?s\.?|disclaimer|explanations?|reason(?:ing|s)?|rationale|justification"
    r"|(?:summary of |key |main )?(?:changes?|edits?|corrections?|modifications?)(?: made)?"
    r"|what (?:i |was )?changed|comments?|commentary|sources?(?: used)?|references?|citations?"
    r"|bibliography|literature|works cited|confidence(?: score| level)?|original(?: passage| text)?"
    r"|verdict|tip|warning|caveats?|remarks?"
)
"""Labels of remarks about an answer."""
_REMARK_LABEL = re.compile(
    rf"{_MARKS}(?:{REMARK})(?:{_COLON}|{_CLOSE}$)", re.IGNORECASE | re.MULTILINE
)
_ABOUT_REPLY = (
    r"(?:change|edit|correction|revision|fix|response|answer|reply|rewrite|version|questions?"
    r"|quer(?:y|ies)|statements?|claims?|sentences?|summary|passage|text|verdict|explanation"
    r"|output|list|step|information)s?"
)
_REMARK = re.compile(
    r"[^\w\n]{0,8}(?:"
    r"(?:please )?let me know|(?:i )?hope (?:this|that|it|these)|would you like|do you (?:want|need)\b"
    r"|shall i|should i|can i (?:help|assist)|(?:please )?feel free|is there anything|if you(?:['’]d"
    r"| would| need| have (?:any|more|further)| want|['’]re interested|['’]d like)"
    r"|(?:i['’]?m |i am |i['’]d be |i would be )?(?:happy|glad) to|thank(?:s| you)\b|you['’]re welcome"
    r"|please (?:note|tell me|provide|do not hesitate|don['’]t hesitate)|need (?:any|more)\b|want me to"
    r"|(?:just )?note that|as requested|as an ai|end of\b"
    r"|i(?:['’]ve| have| also| only| just| simply| did| didn['’]t| made sure| did not|['’]ll){0,3} "
    r"(?:only |just |also |simply |then ){0,2}(?:not )?(?:changed?|corrected|replaced|kept|updated|made"
    r"|fixed|revised|edited|removed|adjusted|left|preserved|rewr(?:ote|itten)|added|modified|verified"
    r"|checked|used|based|cited|alter(?:ed)?|chose|focused|included|avoided|written|wrote|provided)\b"
    rf"|(?:this|these|the (?:above|revised|corrected|fixed|updated|edited|rewritten|new)|my) "
    rf"(?:\w+ ){{0,2}}{_ABOUT_REPLY} (?:\w+ )?(?:is|are|was|were|has|have|reflects?|follows?|covers?|corrects?"
    r"|ensures?|focus|aims?|addresse?s?|comes?|uses?|draws?|relies|summari[sz]es?|can|should|will|now|cites?)\b"
    r"|this (?:reflects|ensures|corrects|follows|aligns|matches|is (?:based|because|in line|consistent"
    r"|supported)|change[sd]?|was changed|resolves|fixes|makes it|way)\b"
    r"|(?:the )?(?:only |main |other )?(?:years?|dates?|numbers?|names?|figures?|facts?|words?|phrases?"
    r"|rest|passage|text|error|mistake|location|value|change|edit|correction|original)"
    r"(?: [\w'’“”\".,-]+){0,6}? (?:was|were|has been|have been|is|are|remains?) (?:now )?"
    r"(?:changed|corrected|updated|replaced|fixed|adjusted|revised|unchanged|the same|made|wrong|incorrect"
    r"|left|kept)\b"
    r"|(?:changed|corrected|replaced|updated|fixed|edited|revised|removed|added|kept)\b[^.\n]{0,80}"
    r"\b(?:to|with|from|because|as|per|based|evidence|unchanged|by)\b"
    r"|(?:no|nothing|everything|all|only)(?: else| other| further| the)?(?: \w+){0,4}"
    r" (?:changed?|changes|needed|required|necessary|unchanged|the same)\b"
    r"|(?:based on|according to|per|from) (?:the |your |my )?(?:evidence|passage|provided|given|knowledge|text"
    r"|information (?:above|provided)|sources? (?:above|provided)|question)\b"
    r"|(?:the )?(?:evidence|passage|source|snippet|article|text) (?:says|states|shows|provided|confirms"
    r"|supports|indicates|given|does|clearly|gives|mentions)\b"
    r"|since the (?:evidence|passage)|because the (?:evidence|passage)"
    r")",
    re.IGNORECASE,
)
_OPENING = re.compile(
    r"[^\w\n]{0,8}(?:(?:sure|certainly|of course|absolutely|okay|ok|great|alright|understood|got it"
    r"|great question|good question|no problem)(?: thing)?[!,.:](?=\s|$)"
    rf"|(?:here(?:['’]s| is| are)|below (?:is|are)|the following|this is|i(?:['’]ve| have|['’]ll| will)\b)"
    rf"[^.!?\n]{{0,80}}\b(?:{_ABOUT_REPLY}|requested|json|below|following|evidence|steps?)\b[^.!?:\n]{{0,80}}[.:!])",
    re.IGNORECASE,
)
_REFUSAL = re.compile(
    r"[^\w\n]{0,8}(?:(?:i['’]?m |i am )?(?:very |really |so |truly )?sorry\b|unfortunately,? i\b|i apologi[sz]e|my apologies|as an? (?:ai|large)"
    r"|i(?: can ?not| can['’]t|['’]m (?:unable|not able)| am (?:unable|not able)| won['’]t| do not| don['’]t) "
    r"(?:to )?(?:help|assist|answer|provide|comply|fulfil|edit|do|generate|create|write|verify|browse"
    r"|access|continue|engage|discuss|revise|rewrite|fix|find|see|have|determine|make|change|know (?:which|what you)))",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"[.!?…][\"”’')\]*_]{0,3}(?=\s)")
_WORD = re.compile(r"\w+")
_ITEM_LABEL = (
    r"(?:search )?(?:q|questions?|query|claim|sub-?claim|statement|fact|item|search)"
    r"(?: ?#?\d{1,2}[*_]{0,2} ?[:.)–-]|[*_]{0,2} ?:)"
)
_ITEM_MARK = re.compile(
    r"(?P<indent>[ \t]{0,40})(?P<heading>#{1,6}[ \t]+)?(?:>[ \t]*)?(?:[*_]{2})?"
    r"(?P<bullet>(?:[-*•–—+·●▪➤→✅]|[🔍❓🔎])[ \t]+)?(?:\[[ x]\][ \t]*)?(?:[*_]{2})?"
    r"(?P<number>\(?(?:\d{1,2}|[a-z])[.):](?=[\s*_\"“A-Z])[*_]{0,2}[ \t]*)?[*_\"“]{0,3}"
    rf"(?P<label>(?:I googled ?:|{_ITEM_LABEL})[*_]{{0,2}}[ \t]*)?",
    re.IGNORECASE,
)
_NUMBER_IN_LINE = re.compile(
    r"(?:^[ \t]{0,40}|(?<=[.?!:\"”])[ \t]{1,3})(?P<number>\(?\d{1,2}[.)])(?=[ \t]{1,3}[\w\"“*])"
)
_BOLD_LEAD = re.compile(r"\*\*[^*\n?]{1,80}(?::\*\*|\*\*[ \t]*[:–—-])[ \t]*(?P<rest>\S.*)")
BRACKETS = re.compile(r"[(\[](?P<inside>[^()\[\]\n]{0,400})[)\]]")
_META = re.compile(
    r"\b(?:chang(?:ed?|es|ing)|correct(?:ed|ion|ions|ing)|edit(?:ed|s|ing)?|revis(?:ed|ion|ions)|fix(?:ed)?"
    r"|replac(?:ed|ing)|evidence|passage|snippet|unchanged|updated|modified|rewritten|rephrased|reworded"
    r"|my knowledge|unverified|citation needed|statement|claim|assum(?:ed|ing)|error|mistake|inferred)\b"
    r"|\bnote\b\s*:|\bsources?\b\s*[:\d]|(?:\bwas|\bnot|previously|formerly|originally|instead of"
    r"|rather than) [\"“'‘]?\d|→|->|according to|based on|as (?:stated|mentioned|given)",
    re.IGNORECASE,
)
_EMPHASIS = {
    "*": re.compile(r"(?<![\w*])\*(?=\S)([^*\n]{1,500})(?<=\S)\*(?![\w*])"),
    "_": re.compile(r"(?<![\w_])_(?=\S)([^_\n]{1,500})(?<=\S)_(?![\w_])"),
}
_HTML = re.compile(r"</?(?:b|strong|i|em|u|mark|p|br ?/?|span|div)>", re.IGNORECASE)
_ESCAPED = re.compile(r"\\([*_\[\]().#$-])")
MAX_REMARK = 1_000
"""Characters at the end of a text in which sentences about the reply are looked for."""


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
    text = _BOXED.sub(lambda found: found["text"], text).strip()
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
    found: list[tuple[str, str]] = []
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
        found += _flat(value, "")
        at = end
    outside.append(text[at:])
    begins = text.lstrip("`json \n")
    if not found and begins.startswith(('{"', "{\n", '["', '[{"', "[\n")):
        raise UnreadableReply(
            f"The reply is not a whole JSON value, it ends in {text[-20:]!r}: it may need more "
            "tokens (RARR_LLM_EXTRA_TOKENS)."
        )
    return found, "".join(outside)


def _flat(value: Any, key: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for name, each in value.items():
            yield from _flat(each, _KEY_BREAK.sub(" ", name).strip().lower())
    elif isinstance(value, list):
        for each in value:
            yield from _flat(each, key)
    else:
        yield key, value.strip() if isinstance(value, str) else json.dumps(value).strip("null")


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
    found, outside = fields(text)
    parts = [
        (name, value)
        for key, value in found
        for name, label in (*loose.items(), *names.items())
        if name not in ("example", "remark") and re.fullmatch(label, key, re.IGNORECASE)
    ]
    known = "|".join(label for name, label in loose.items())
    outside = _TAG.sub(lambda tag: _tag_as_label(tag, known), outside) if known else outside
    marks = [
        mark
        for mark in pattern.finditer(outside)
        if not like or mark.lastgroup in loose or f"{_label_of(mark).lower()}:" not in like.lower()
    ]
    ends = [*(mark.start() for mark in marks), len(outside)]
    parts.append(("", outside[: ends[0]].strip()))
    for mark, end in zip(marks, ends[1:], strict=True):
        name, body = str(mark.lastgroup), outside[mark.end() : end].strip()
        if name == "example" and any(each and each != "remark" and part for each, part in parts):
            break
        parts.append((name, body))
    return parts


def _label_of(mark: re.Match[str]) -> str:
    return mark[str(mark.lastgroup)]


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
        rf"(?:^|(?<=[.!?;:…”\"')\]*`])[ \t]{{1,4}}){_MARKS}{_LEAD}(?:{groups(loose)}){_LOOSE_END}"
        rf"|^{_MARKS}{_LEAD}(?:{groups(strict)})(?:[ \t]+\d{{1,2}}\b)?(?:{_COLON}|{_CLOSE}$)",
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


def refuse_apology(text: str) -> None:
    """Raise `UnreadableReply` for an apology or a refusal in the place of an answer."""
    if _REFUSAL.match(text):
        raise UnreadableReply(f"The reply declines to answer: {text[:80]!r}.")


def without_opening(text: str) -> str:
    """The text without sentences such as "Sure!" and "Here is the answer:" before it.

    >>> without_opening("Sure! Here is the revised text:\\n\\nIt fell.")
    'It fell.'
    """
    text = text.strip()
    while (opening := _OPENING.match(text)) and text[opening.end() :].strip(" \n*_`"):
        text = text[opening.end() :].lstrip(" \n")
        text = text[2:].lstrip() if text.startswith("**\n") else text
    return text


def refuse_brackets(text: str, *, like: str = "") -> None:
    """Raise `UnreadableReply` for brackets in which perhaps a remark about the reply stands."""
    known = words_of(like)
    for group in BRACKETS.finditer(text):
        inside = group["inside"]
        if inside not in like and is_about_reply(inside, known):
            raise UnreadableReply(f"({inside[:80]}) is perhaps a remark and no part of the text.")


def plain_answer(text: str, *, like: str = "") -> str:
    """An answer up to a rule, without remarks, and without the Markdown that `like` lacks."""
    found = [text] if RULE.search(like) else blocks(text)
    text = without_opening(found[0]) if found else ""
    text = without_remarks(unmarked(text, like=like), like=like)
    return unquoted(text, like=like)


def without_remarks(text: str, *, like: str = "") -> str:
    """The text without sentences, paragraphs and brackets about the reply behind it.

    What `like` begins in the same words is no remark.

    >>> without_remarks("It fell in 1911. (I changed the year.)\\n\\nLet me know!")
    'It fell in 1911.'
    """
    known = words_of(like)
    lines = text.strip().split("\n")
    for number, line in enumerate(lines):
        if number and is_remark(line, known):
            lines = lines[:number]
            break
    text = "\n".join(lines).strip()
    start = max(len(text) - MAX_REMARK, 0)
    cut = len(text)
    for end in reversed([start + end.end() for end in _SENTENCE_END.finditer(text[start:])]):
        sentence = text[end:]
        if is_remark(sentence, known):
            cut = end
        elif not is_about_reply(_first_sentence(sentence), known):
            break
    return text[:cut].rstrip()


def _first_sentence(text: str) -> str:
    end = _SENTENCE_END.search(text.lstrip())
    return text.lstrip()[: end.end()] if end else text


def is_remark(text: str, known: str = "") -> bool:
    """Whether a line or a sentence is about the reply; not if its first words are `known`."""
    if text.lstrip(" *_`").startswith(("(", "[")) and is_about_reply(text[:300], known):
        return True
    if not (_REMARK.match(text) or _REMARK_LABEL.match(text)):
        return False
    count = 1 if _REMARK_LABEL.match(text) else 4
    first = " ".join(_WORD.findall(text[:80].lower())[:count])
    return f" {first} " not in f" {known} "


def is_about_reply(text: str, known: str = "") -> bool:
    """Whether words in brackets or of an added sentence tell what was done to the text."""
    found = (f" {words_of(word.group())} " for word in _META.finditer(text))
    return any(word not in f" {known} " for word in found) or bool(_REMARK.match(text))


def words_of(text: str) -> str:
    """The words of a text in lower case, with a space between them."""
    return " ".join(_WORD.findall(text.lower()))


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
        and closing not in text[1:-1].replace("’s", "").replace("'s", "")
        and like.strip()[:1] != text[0]
    ):
        return text[1:-1].strip()
    return text


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
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


def list_items(text: str, keys: str = "") -> list[Item]:
    """The lines of a reply as items of a list, without blank ones; JSON values are items too.

    `keys` is the pattern of the JSON keys that hold items; without any of those all do.

    >>> [item.text for item in list_items('Sure:\\n1. **Year**: It fell. 2. "It rose."')]
    ['Sure:', 'It fell.', 'It rose.']
    """
    found, outside = fields(text)
    if found:
        named = [value for key, value in found if re.fullmatch(keys, key)]
        values = named or [value for _, value in found]
        return [Item(text=value, is_listed=True) for each in values if (value := unmarked(each))]
    items: list[Item] = []
    first: tuple[int, bool] | None = None
    for line in _split_numbers(RULE.sub("", outside)):
        mark = _ITEM_MARK.match(line)
        assert mark is not None
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
            Item(
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
