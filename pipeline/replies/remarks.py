"""A model's remarks about its own reply.

Words of a revised `original` are no remark; a sentence about a revision is one.
"""

import re

from pipeline.rarr.errors import UnreadableReply

MAX_REMARK = 1_000
"""Characters searched for remarks, from the end of a text."""
MARKS = (
    r"(?:[^\w\n<{\[(]|</?\w{1,10}>){0,12}"
    r"(?:(?:\(?(?:\d{1,2}|[a-h])[.):]|step \d{1,2}[.:)]?)(?:[^\w\n<{\[]|<\w{1,10}>){0,8})?"
)
"""Marks before a label: list marks, headings, bold, emoji, a number."""
CLOSE = r"(?:[*_`\"'’”~ \t]|</\w{1,10}>){0,8}"
"""Marks between a label and its colon."""
COLON = (
    rf"{CLOSE}(?:\([^()\n]{{0,80}}\){CLOSE})?[:：=]"
    r"(?:(?:\*\*|__|[*_`]|</\w{1,10}>)(?=\s|$))?"
)
"""A label's colon, with a preceding remark in brackets and closing marks."""
SOURCE = (
    r"(?:(?:based on|according to|using|given|as|after|following|per)\b[^\n.:;!?,]{0,80}, {0,2})?"
)
"""An introductory clause: "Based on the evidence, here is …"."""
EXAMPLE = (
    r"passage|question|query|evidence|context|document|text|sentence|claim|user|human|input"
    r"|you said|i checked|i found this article|statements?|example|task|instructions?|premise"
    r"|hypothesis|base response|dialog(?:ue)?"
)
"""Labels of inputs: after an answer they begin an invented example."""
REMARK = (
    r"notes?|n\.?b\.?|p\.?s\.?|disclaimer|explanations?|reason(?:ing|s)?|rationale|justification"
    r"|(?:summary of |key |main )?(?:changes?|edits?|corrections?|modifications?)(?: made)?"
    r"|what (?:i |was )?changed|comments?|commentary|sources?(?: used)?|references?|citations?"
    r"|bibliography|literature|works cited|confidence(?: score| level)?"
    r"|original(?: passage| text)?|verdict|tip|warning|caveats?|remarks?"
)
"""Labels of remarks."""
BRACKETS = re.compile(r"[(\[](?P<inside>[^()\[\]\n]{0,400})[)\]]")

_REPLY = (
    r"(?:response|answer|reply|summary|explanation|questions?|queries|statements?|output|rewrite"
    r"|list|information)"
)
_REVISION = (
    r"(?:change|edit|correction|revision|fix|version|claim|sentence|passage|text|verdict|step)s?"
)
_DID = (
    r"(?:changed?|corrected|replaced|kept|updated|made|fixed|revised|edited|removed|adjusted|left"
    r"|preserved|rewrote|rewritten|added|modified|verified|checked|used|based|cited|altered?|chose"
    r"|focused|included|avoided|provided|relied|noticed)\b"
)


def _beginning(*phrases: str) -> re.Pattern[str]:
    return re.compile(rf"[^\w\n]{{0,8}}(?:{'|'.join(phrases)})", re.IGNORECASE)


_TO_USER = _beginning(
    r"(?:please )?let me know",
    r"(?:i )?hope (?:this|that|it|these)\b",
    r"would you like",
    r"do you (?:want|need) (?:me|more|any|help|further)",
    r"(?:shall|should) i\b",
    r"can i (?:help|assist)",
    r"(?:please )?feel free",
    r"is there anything",
    r"(?:please )?do(?: not|n['’]t) hesitate",
    r"if you(?:['’]d like| (?:have|need|want|would like)"
    r" (?:me|to know|any|more|further|help|questions))",
    r"(?:i['’]?m |i am |i['’]d be |i would be )?(?:happy|glad) to (?:help|assist|provide|answer)",
    r"thank you\b|thanks\b(?! to)|you['’]re welcome",
    r"please (?:tell me|provide)",
    r"i(?:['’]ll| will| can) (?:now |also )?(?:check|search|look|use|continue|suggest|end)\b",
    r"need (?:any|more)\b|want me to|as requested|as an ai",
    rf"i(?:['’]ve| have| also| only| just| simply| did| didn['’]t| made sure"
    rf"| did not){{0,3}} {_DID}",
    rf"(?:this|these|my|the (?:above|revised|rewritten|new)) {_REPLY} (?:\w{{1,20}} )?"
    r"(?:is|are|was|were|has|have|can|should|will|reflects?|follows?|covers?|ensures?|focus"
    r"|targets?|aims?|address(?:es)?|comes?|uses?|draws?|relies|summari[sz]es?|cites?|test"
    r"|verify)\b",
    r"these (?:target|cover|are the key|focus|address|should)\b",
)
_ON_REVISION = _beginning(
    rf"(?:this|these|my|the(?: \w{{1,20}})?) (?:{_REPLY}|{_REVISION})\b",
    r"this (?:reflects|ensures|corrects|follows|aligns|matches|is|changes?|was changed|resolves"
    r"|fixes|makes|way)\b",
    r"(?:the )?(?:only |main |other |opening )?(?:years?|dates?|numbers?|names?|figures?|facts?"
    r"|words?|phrases?|rest|error|mistake|location|value|original|city|place)"
    r"(?: [\w'’“”\".,-]{1,30}){0,6}?"
    r" (?:was|were|has been|have been|is|are|remains?|now|stays?) (?:now )?(?:changed|corrected"
    r"|updated|replaced|fixed|adjusted|revised|unchanged|the same|made|wrong|incorrect|left|kept"
    r"|matches)\b",
    r"(?:changed|corrected|replaced|updated|fixed|edited|revised|removed|added|kept|based on)\b",
    r"(?:no|nothing|everything|all|only)(?: else| other| further| the)?(?: \w{1,20}){0,4}"
    r" (?:changed?|changes|needed|required|necessary|unchanged|the same|stays|remains)\b",
    r"(?:according to|per|from|since|because) (?:the |your |my )?"
    r"(?:evidence|passage|provided|sources?)",
    r"(?:the )?(?:evidence|source|snippet|article) (?:says|states|shows|provided|confirms"
    r"|supports|indicates|given|does|clearly|gives|mentions)\b",
    r"(?:please )?note that|in (?:this|the) (?:revised|fixed|corrected)|evidence \d",
)
_OPENING = _beginning(
    r"(?:sure|certainly|of course|absolutely|okay|ok|great|alright|understood|got it"
    r"|great question|good question|no problem)(?: thing)?[!,.:](?=\s|$)",
    rf"{SOURCE}(?:here(?:['’]s| is| are)|below (?:is|are)|the following|this is"
    r"|i(?:['’]ve| have|['’]ll| will)\b)"
    rf"[^.!?\n]{{0,80}}\b(?:{_REPLY}|{_REVISION}|requested|json|below|following|evidence)\b"
    r"[^.!?:\n]{0,80}[.:!]",
)
_REFUSAL = _beginning(
    r"(?:i['’]?m |i am )?(?:very |really |so |truly )?sorry\b|unfortunately,? i\b"
    r"|i apologi[sz]e|my apologies|as an? (?:ai|large)",
    r"i(?: can ?not| can['’]t|['’]m (?:unable|not able)| am (?:unable|not able)| won['’]t"
    r"| do not| don['’]t) (?:to )?(?:help|assist|answer|provide|comply|fulfil|edit|do|generate"
    r"|create|write|verify|browse|access|continue|engage|discuss|revise|rewrite|fix|find|see"
    r"|have|determine|make|change)\b",
)
_ASKS_BACK = re.compile(
    r"\b(?:could|can|would) you (?:please |kindly )?"
    r"(?:clarify|provide|specify|share|tell me|give|paste)"
    r"|\bplease (?:clarify|provide|specify|share|paste)\b",
    re.IGNORECASE,
)
_META = re.compile(
    r"\b(?:chang(?:ed?|es|ing)|correct(?:ed|ion|ions|ing)|edit(?:ed|s|ing)?|revis(?:ed|ions?)"
    r"|fix(?:ed)?|replac(?:ed|ing)|evidence|passage|snippet|unchanged|updated|modified|rewritten"
    r"|rephrased|reworded|(?:the|this|given|original) (?:sentence|text|question|answer)"
    r"|my knowledge|unverified|citation needed|statement|claim|assum(?:ed|ing)|error|mistake"
    r"|inferred)\b|\bnote\b\s*:|\bsources?\b\s*[:\d]|→|->"
    r"|(?:\bwas|\bnot|previously|formerly|originally|instead of|rather than) [\"“'‘]?\d"
    r"|(?:according to|based on) (?:the (?:evidence|passage|text|source|question|information)|my"
    r"|your"
    r"|evidence|what)|as (?:stated|mentioned|given)",
    re.IGNORECASE,
)
"""Words about a reply or a revision."""
_LABEL = re.compile(rf"{MARKS}(?:{REMARK})(?:{COLON}|{CLOSE}$)", re.IGNORECASE | re.MULTILINE)
_ADDED_LABEL = re.compile(
    rf"{MARKS}(?:{REMARK}|{EXAMPLE})(?:{COLON}|{CLOSE}$)", re.IGNORECASE | re.MULTILINE
)
# Not after a list number such as "1.".
_SENTENCE_END = re.compile(r"(?<!\b\d)(?<!\b\d\d)[.!?…][\"”’')\]*_]{0,3}(?=\s)")
_WORD = re.compile(r"\w+")


def words_of(text: str) -> str:
    """Return the lower-case words of a text, separated by spaces."""
    return " ".join(_WORD.findall(text.lower()))


def is_remark(text: str, known: str = "", *, is_line: bool = True) -> bool:
    """Check whether a line or sentence is about the reply; `known` are the original's words."""
    bare = text.lstrip(" *_`")
    if bare.startswith(("(", "[")):
        group = BRACKETS.match(bare)
        return is_about_reply(group["inside"] if group else bare[:300], known)
    label = (_ADDED_LABEL if known else _LABEL).match(text)
    if label and not (is_line or known) and not is_about_reply(text[label.end() :]):
        return False
    if not (label or _TO_USER.match(text) or (known and _ON_REVISION.match(text))):
        return False
    first = " ".join(_WORD.findall(text[:80].lower())[: 1 if label else 4])
    return f" {first} " not in f" {known} "


def is_about_reply(text: str, known: str = "") -> bool:
    """Check whether bracketed words or a sentence describe the reply or a revision."""
    words = (f" {words_of(word.group())} " for word in _META.finditer(text))
    return any(word not in f" {known} " for word in words) or bool(_TO_USER.match(text))


def is_opening(text: str) -> bool:
    """Check whether a text only announces an answer, as in "Sure! Here is the summary:"."""
    return not without_opening(f"{text} .").strip(" .*_`")


def without_opening(text: str) -> str:
    """Remove announcements such as "Sure!" and "Here is the answer:" from the beginning.

    >>> without_opening("Sure! Here is the revised text:\\n\\nIt fell.")
    'It fell.'
    """
    text = text.strip()
    start = 0
    while (opening := _OPENING.match(text, start)) and text[opening.end() :].strip(" \n*_`"):
        start = opening.end()
        while text.startswith((" ", "\n", "**\n", "**:"), start):
            start += 1
    return text[start:]


def without_remarks(text: str, *, original: str = "") -> str:
    """Remove remarks from the end.

    >>> without_remarks("It fell in 1911. (I changed the year.)\\n\\nLet me know!")
    'It fell in 1911.'
    """
    known = words_of(original)
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
        if is_remark(sentence, known, is_line=False):
            cut = end
        elif not is_about_reply(_first_sentence(sentence), known):
            break
    return text[:cut].rstrip()


def _first_sentence(text: str) -> str:
    end = _SENTENCE_END.search(text.lstrip())
    return text.lstrip()[: end.end()] if end else text


def refuse_brackets(text: str, *, original: str = "") -> None:
    """Raise `UnreadableReply` if words in brackets may be a remark."""
    known = words_of(original)
    for group in BRACKETS.finditer(text):
        inside = group["inside"]
        if inside not in original and is_about_reply(inside, known):
            raise UnreadableReply(f"({inside[:80]}) is perhaps a remark and no part of the text.")


def refuse_apology(text: str) -> None:
    """Raise `UnreadableReply` for an apology or a refusal."""
    if _REFUSAL.match(text) or _ASKS_BACK.search(text[:400]):
        raise UnreadableReply(f"The reply declines to answer: {text[:80]!r}.")
