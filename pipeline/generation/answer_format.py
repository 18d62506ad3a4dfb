"""The form of an answer's citations (HAGRID, section 3.3, excludes other answers)."""

import re
from collections.abc import Mapping

from pipeline.metrics.citation_marks import GROUP, MARKS, cited, end_of, has_words, next_word

UNCITED = "uncited"
UNKNOWN_SOURCE = "unknown-source"
REFERENCE_LIST = "reference-list"
OTHER_BRACKETS = "other-brackets"
MARKUP = "markup"
UNCITED_END = "uncited-end"

PROBLEMS: Mapping[str, str] = {
    UNCITED: "It cites nothing.",
    UNKNOWN_SOURCE: "It cites a number that none of its sources has.",
    REFERENCE_LIST: "It ends in a list of references.",
    OTHER_BRACKETS: "It cites in another form than [1].",
    MARKUP: "It has HTML in it.",
    UNCITED_END: "Its last words come after the last citation.",
}
"""Possible problems, as sentences about the answer."""

VIOLATIONS = (UNCITED, UNKNOWN_SOURCE, REFERENCE_LIST, OTHER_BRACKETS, MARKUP)
"""Violations of the form; raters can judge words after the last citation."""

_LIST = re.compile(
    r"\b(?:references|sources|bibliography|works cited|citations)\s{0,3}:\s{0,3}\W{0,3}\[?\d",
    re.IGNORECASE,
)
_OTHER = re.compile(
    r"【\d|\[\^\d|\[\[\d|\[\d{1,3}\]\("
    # An unclosed bracket; a superscript after a sentence.
    r"|\[\d{1,3}(?![^\[\]]{0,60}\])|[.!?][¹²³⁴-⁹]"
    r"|[\[(](?:source|document|doc|passage|quote|context|citation|reference|ref)s?\.?\s{0,3}\d"
    r"|\(\d{1,2}\)(?=\s{0,3}[.,;:!?]|\s{0,3}$)",
    re.IGNORECASE,
)
_GROUP = re.compile(GROUP)
_ENTRY = re.compile(r"[ *-]*\[\d{1,3}\]:?[ \t]+[^\s\[]")
_MARKUP = re.compile(r"</?[A-Za-z][^<>]{0,80}>")


def check_format(text: str, *, sources: int) -> tuple[str, ...]:
    """Return the problems (keys of `PROBLEMS`) of an answer that may cite 1 to `sources`.

    >>> check_format("It fell [1]. It rose [3]. So it goes.", sources=2)
    ('unknown-source', 'uncited-end')
    """
    numbers = cited(text)
    *lines, last_line = text.strip().split("\n")
    end = 0
    for run in MARKS.finditer(text):
        end = end_of(text, run.end())
    checks = {
        UNCITED: not numbers,
        UNKNOWN_SOURCE: any(not 1 <= number <= sources for number in numbers),
        REFERENCE_LIST: bool(_LIST.search(text) or (lines and _ENTRY.match(last_line))),
        # A descending range, such as [3-1], cites nothing.
        OTHER_BRACKETS: bool(_OTHER.search(text)) or not all(map(cited, _GROUP.findall(text))),
        MARKUP: bool(_MARKUP.search(text)),
        UNCITED_END: bool(numbers) and has_words(text[next_word(text, end) :]),
    }
    return tuple(problem for problem, has_problem in checks.items() if has_problem)
