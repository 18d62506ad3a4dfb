"""Markdown, HTML and quotation marks around an answer."""

import re

from pipeline.replies.remarks import without_opening, without_remarks

RULE = re.compile(
    r"^[ \t]*(?:-{3,}|\*{3,}|_{3,}|={3,}|~{3,}|`{3}[ \t]*[\w-]*)[ \t]*$", re.MULTILINE
)
"""A horizontal rule or the line of a code fence."""

_QUOTES = {'"': '"', "“": "”", "«": "»", "„": "“", "'": "'", "‘": "’"}

_CITATION = re.compile(r"\s?\[\d{1,2}(?:[,;–-] ?\d{1,2}){0,5}\]")
_EMPHASIS = {
    "*": re.compile(r"(?<![\w*])\*(?=\S)([^*\n]{1,500})(?<=\S)\*(?![\w*])"),
    "_": re.compile(r"(?<![\w_])_(?=\S)([^_\n]{1,500})(?<=\S)_(?![\w_])"),
}
_HTML = re.compile(r"</?(?:b|strong|i|em|u|mark|p|br ?/?|span|div)>", re.IGNORECASE)
_ESCAPED = re.compile(r"\\([*_\[\]().#$\"'-])")


def split_at_rules(text: str) -> list[str]:
    """Split a text at horizontal rules and code fences."""
    return [block for each in RULE.split(text) if (block := each.strip())]


def plain_answer(text: str, *, original: str = "") -> str:
    """Return the answer up to a rule, without remarks or markup not in `original`."""
    stretches = [text] if RULE.search(original) else split_at_rules(text)
    text = without_opening(stretches[0]) if stretches else ""
    text = without_remarks(without_markup(text, original=original), original=original)
    return without_quotes(text, original=original)


def without_markup(text: str, *, original: str = "") -> str:
    """Remove the Markdown and HTML marks that `original` does not contain.

    >>> without_markup("It fell in **1911** <b>twice</b>."), without_markup("2*3*4 and a_b_c")
    ('It fell in 1911 twice.', '2*3*4 and a_b_c')
    """
    for mark in ("**", "__", "`"):
        if mark not in original:
            text = text.replace(mark, "")
    for mark, pattern in _EMPHASIS.items():
        if mark not in original:
            text = pattern.sub(r"\1", text)
    if original and "[" not in original:
        text = _CITATION.sub("", text)
    if "<" not in original:
        text = _HTML.sub("", text)
    if "\\" not in original:
        text = _ESCAPED.sub(r"\1", text)
    lines = text.split("\n")
    if ">" not in original and all(line.startswith(">") for line in lines if line.strip()):
        text = "\n".join(line.lstrip("> ") for line in lines)
    return text.strip()


def without_quotes(text: str, *, original: str = "") -> str:
    """Remove quotation marks around the whole text, unless `original` has them.

    >>> without_quotes('"It fell."'), without_quotes('"It fell" and "it rose"')
    ('It fell.', '"It fell" and "it rose"')
    """
    closing = _QUOTES.get(text[:1])
    if (
        closing
        and len(text) > 2
        and text[-1:] == closing
        and (
            text.count(text[0]) - 1 - (closing == text[0]) == original.count(text[0])
            if text[0] in original
            else closing not in text[1:-1].replace("’s", "").replace("'s", "")
        )
    ):
        return text[1:-1].strip()
    return text
