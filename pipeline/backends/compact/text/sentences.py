"""Where sentences stand, by plain patterns.

Not the sentence splitter of the pipeline: this is run over every premise and before every parse,
and a boundary in the wrong place costs little there.
"""

import re
from itertools import pairwise

_BOUNDARY = re.compile(
    r"""
    [\n\r\u2028\u2029]\s*                               # a line break always ends one
    | (?<=[.!?…])["'”’)\]]*\s+(?=["'“‘(\[]?[A-Z0-9])    # a stop, a space, a capital or a figure
    | (?<=[。！？｡])[」』”’"'）)]*
    """,
    re.VERBOSE,
)
_NO_STOP = re.compile(
    r"(?:\b(?:[A-Z]|Mr|Mrs|Ms|Dr|Prof|St|Sr|Jr|vs|No|Vol|Fig|Gen|Col|Lt|Sgt|Capt|Rev|Hon|Sen|Rep"
    r"|Gov|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept|Oct|Nov|Dec|approx|ca|cf|etc|e\.g|i\.e))\.$"
)
Place = tuple[int, int]
"""Characters of the text, end exclusive."""


def sentences_of(text: str) -> list[Place]:
    """Where the sentences stand, by plain patterns; without white space at their ends.

    >>> [text[a:b] for text in ["Dr. Hart came. He saw."] for a, b in sentences_of(text)]
    ['Dr. Hart came.', 'He saw.']
    """
    cuts = [0]
    for found in _BOUNDARY.finditer(text):
        before = text[max(cuts[-1], found.start() - 12) : found.start()]
        if not _NO_STOP.search(before):
            cuts.append(found.end())
    places = (_stripped(text, a, b) for a, b in pairwise([*cuts, len(text)]))
    return [place for place in places if place[0] < place[1]]


def _stripped(text: str, start: int, end: int) -> Place:
    piece = text[start:end]
    start += len(piece) - len(piece.lstrip())
    return start, max(start, start + len(piece.strip()))
