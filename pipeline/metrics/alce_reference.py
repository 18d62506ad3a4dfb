"""How ALCE's reference evaluation splits an output, with all its quirks.

Its figures are comparable with published ones; `citation_corrections` lacks the quirks.
"""

import re
import string
from collections.abc import Iterator, Sequence

from pipeline.metrics.citation_marks import GROUP
from pipeline.metrics.citation_support import Statement

MAX_SOURCES = 3
"""How many citations of a statement count by default."""
_ARTICLES = re.compile(r"\b(a|an|the)\b")
_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)
_REFERENCE = re.compile(r"\[(\d+)")
_MARKS_BEHIND = re.compile(rf"[.!?][\"'”’»)]*(\s*)((?:{GROUP}\s*)+)([.!?…]*)$")


def first_line(output: str) -> str:
    """The scored part of an output: its first line.

    >>> first_line(" It fell [1].\\nQuestion: why?")
    'It fell [1].'
    """
    return output.strip().split("\n")[0].replace("<|im_end|>", "")


def remove_citations(text: str) -> str:
    """Remove what begins like a citation, " |" and any "]".

    >>> remove_citations("It fell [1][2], rose [1, 2] and [sic] | stayed.")
    'It fell, rose, 2 and [sic stayed.'
    """
    bare = re.sub(r"\[\d+", "", re.sub(r" \[\d+", "", text))
    return bare.replace(" |", "").replace("]", "")


def normalize_answer(text: str) -> str:
    """Lower the case; drop ASCII punctuation, English articles and doubled white space.

    >>> normalize_answer("The  Eiffel-Tower.")
    'eiffeltower'
    """
    bare = text.lower().translate(_NO_PUNCTUATION)
    return " ".join(_ARTICLES.sub(" ", bare).split())


def sentences_as_punkt(sentences: Sequence[str]) -> Iterator[str]:
    """Split sentences at citations as NLTK's Punkt does.

    `sentences` end with the citations after their full stop ("It fell. [1]"). Punkt gives these
    to the next sentence, unless their own full stop or nothing follows.
    """
    waiting = ""
    for sentence in sentences:
        marks = _MARKS_BEHIND.search(sentence)
        at = marks.end(1) if marks else len(sentence)
        yield waiting + sentence[:at].rstrip()
        waiting = ""
        if marks and marks[3]:
            yield sentence[at:]
        elif marks:
            waiting = f"{marks[2].rstrip()} "
    if waiting:
        yield waiting.rstrip()


def statements(
    sentences: Sequence[str], *, passages: int, at_most: int = MAX_SOURCES
) -> list[Statement]:
    """Parse sentences that may cite so many `passages`.

    Of "[1, 2]" only the first number counts, `[0]` is the last passage, repeated citations count.
    A sentence that cites an absent passage cites nothing.
    """
    return [
        Statement(text=remove_citations(each).strip(), sources=_sources(each, passages)[:at_most])
        for each in sentences
    ]


def listed(output: str, *, question: str) -> list[str]:
    """QAMPARI's statements: the question and each part between commas, also an empty one.

    >>> listed("Nim [1], Go [2].", question="Which games?")
    ['Which games? Nim [1]', 'Which games? Go [2]']
    """
    return [f"{question} {each}" for each in _parts(output)]


def predictions(output: str) -> list[str]:
    """QAMPARI's normalised answers; `output` has no citations.

    >>> predictions("Nim, the Nim, , Go.")
    ['nim', 'nim', 'go']
    """
    return [each for each in map(normalize_answer, _parts(output)) if each]


def _parts(output: str) -> list[str]:
    return [each.strip() for each in output.rstrip().rstrip(".").rstrip(",").split(",")]


def _sources(sentence: str, passages: int) -> tuple[int, ...]:
    # Nine digits suffice; Python refuses to read thousands of them.
    indexes = [int(number.lstrip("0")[:9] or 0) - 1 for number in _REFERENCE.findall(sentence)]
    # Without passages, the reference fails at [0].
    if not passages or any(each >= passages for each in indexes):
        return ()
    return tuple(indexes)
