"""Sentence boundaries by rules."""

import re
from collections.abc import Iterator
from itertools import pairwise

from pipeline.metrics.citation_marks import GROUP
from pipeline.text.spans import Span

LONGEST_SENTENCE = 4000
"""Characters. Longer "sentences" (tables, lists) are cut, to keep snippets readable."""
LINE_BREAKS = r"\n\r\v\f\x85\u2028\u2029"
_BOUNDARY = re.compile(
    rf"""
    [{LINE_BREAKS}]\s*                                          # a line break ends a sentence
    | (?<=[.!?…])["'”’)\]]*[^\S{LINE_BREAKS}]+(?=["'“‘(\[*`]*(?P<next>\w+))
    | (?<=[。！？｡])(?![。！？｡])[」』”’"'）)]*
    """,
    re.VERBOSE,
)
_ABBREVIATION = re.compile(
    r"(?:(?<![\w°])(?:Mr|Mrs|Ms|Dr|Prof|St|Sr|Jr|v|vs|Vol|Fig|Gen|Col|Lt|Sgt|Capt|Rev|Hon"
    r"|Sen|Rep|Gov|cf|e\.g|i\.e)|^\s*\d{1,3})\.$"  # the last: a list's number
)
_INITIAL = re.compile(r"(?<![\w°])[A-Z]\.$")
_STARTER = re.compile(
    "After|Although|At|But|By|During|For|He|Her|His|However|If|In|It|Its|On|She|Since|The|Their"
    "|There|These|They|This|To|We|When|While|With|Without"
)
"""No name begins with these: an initial before one ends a sentence ("World War I. She …")."""
_BEFORE_NUMBER = re.compile(
    r"\b(?:[Nn]os?|pp?|ca?|approx|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\.$"
)
_CITATIONS = re.compile(rf"(?:{GROUP}\s*)+(?:[.!?…]+(?:\s+|$))?")
_LONGEST_ABBREVIATION = 12


def split_sentences(text: str) -> list[Span]:
    """Return the sentences without outer white space; line breaks and citations end one.

    >>> text = "Dr. Hart came. [1] He saw."
    >>> [sentence.of(text) for sentence in split_sentences(text)]
    ['Dr. Hart came. [1]', 'He saw.']
    """
    cuts = [0]
    for boundary in _BOUNDARY.finditer(text):
        cut = boundary.end()
        if following := boundary["next"]:
            before = text[
                max(cuts[-1], boundary.start() - _LONGEST_ABBREVIATION) : boundary.start()
            ]
            if (
                following[0].islower()
                or _ABBREVIATION.search(before)
                or (_INITIAL.search(before) and not _STARTER.fullmatch(following))
                or (following[0].isdigit() and _BEFORE_NUMBER.search(before))
            ):
                continue
            if marks := _CITATIONS.match(text, cut):
                cut = marks.end()
        cuts.append(max(cut, cuts[-1]))
    return [
        part for start, end in pairwise([*cuts, len(text)]) for part in cut_long(text, start, end)
    ]


def cut_long(text: str, start: int, end: int) -> Iterator[Span]:
    """Strip `text[start:end]` and cut it into parts of at most `LONGEST_SENTENCE`."""
    stretch = text[start:end]
    start += len(stretch) - len(stretch.lstrip())
    end = start + len(stretch.strip())
    while end - start > LONGEST_SENTENCE:
        space = max(
            text.rfind(space, start + LONGEST_SENTENCE // 2, start + LONGEST_SENTENCE)
            for space in (" ", "\n", "\t")
        )
        # Scripts without spaces are cut by length.
        cut = space if space > start else start + LONGEST_SENTENCE
        yield Span(start=start, end=cut)
        start = cut
        while start < end and text[start].isspace():
            start += 1
    if start < end:
        yield Span(start=start, end=end)
