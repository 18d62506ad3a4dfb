"""ALCE's reference evaluation, to the letter: how it takes an output apart.

All its quirks are kept, for figures beside published ones; `citation_corrections` does without.
"""

import re
import string
from collections.abc import Iterator, Sequence

from pipeline.metrics.citation_marks import GROUP
from pipeline.metrics.citation_support import Statement

AT_MOST = 3
"""Citations of a statement that count, unless somebody says otherwise."""
_ARTICLES = re.compile(r"\b(a|an|the)\b")
_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)
_REFERENCE = re.compile(r"\[(\d+)")
_MARKS_BEHIND = re.compile(rf"[.!?][\"'”’»)]*(\s*)((?:{GROUP}\s*)+)([.!?…]*)$")


def first_line(output: str) -> str:
    """What of an output is scored: what stands before the first line break.

    >>> first_line(" It fell [1].\\nQuestion: why?")
    'It fell [1].'
    """
    return output.strip().split("\n")[0].replace("<|im_end|>", "")


def remove_citations(text: str) -> str:
    """The text without what begins like a citation, without " |" and without any "]".

    >>> remove_citations("It fell [1][2], rose [1, 2] and [sic] | stayed.")
    'It fell, rose, 2 and [sic stayed.'
    """
    bare = re.sub(r"\[\d+", "", re.sub(r" \[\d+", "", text))
    return bare.replace(" |", "").replace("]", "")


def normalize_answer(text: str) -> str:
    """Lower case, without ASCII punctuation, English articles and doubled white space.

    >>> normalize_answer("The  Eiffel-Tower.")
    'eiffeltower'
    """
    bare = text.lower().translate(_NO_PUNCTUATION)
    return " ".join(_ARTICLES.sub(" ", bare).split())


def sentences_as_punkt(sentences: Sequence[str]) -> Iterator[str]:
    """The sentences as NLTK's splitter cuts them where they cite.

    `sentences` keep the citations behind their full stop ("It fell. [1]"). NLTK gives them to the
    sentence that follows, unless a full stop of their own follows them, or nothing.

    >>> list(sentences_as_punkt(["It fell. [1]", "Why? [2] .", "So [3].", "Or not. [4]"]))
    ['It fell.', '[1] Why?', '[2] .', 'So [3].', 'Or not.', '[4]']
    """
    waiting = ""
    for sentence in sentences:
        found = _MARKS_BEHIND.search(sentence)
        at = found.end(1) if found else len(sentence)
        yield waiting + sentence[:at].rstrip()
        waiting = ""
        if found and found[3]:
            yield sentence[at:]
        elif found:
            waiting = f"{found[2].rstrip()} "
    if waiting:
        yield waiting.rstrip()


def statements(
    sentences: Sequence[str], *, passages: int, at_most: int = AT_MOST
) -> list[Statement]:
    """What each sentence says, and which of so many passages it cites.

    Of "[1, 2]" only the first number counts, `[0]` is the last passage, a repeated citation counts
    as often as it stands there. A sentence that cites a passage which is not there cites nothing.
    """
    return [
        Statement(text=remove_citations(each).strip(), sources=_sources(each, passages)[:at_most])
        for each in sentences
    ]


def listed(output: str, *, question: str) -> list[str]:
    """QAMPARI's statements: the question before each part between commas, even before none.

    >>> listed("Nim [1], Go [2].", question="Which games?")
    ['Which games? Nim [1]', 'Which games? Go [2]']
    """
    return [f"{question} {each}" for each in _parts(output)]


def predictions(output: str) -> list[str]:
    """QAMPARI's answers, normalised; `output` is without its citations.

    >>> predictions("Nim, the Nim, , Go.")
    ['nim', 'nim', 'go']
    """
    return [each for each in map(normalize_answer, _parts(output)) if each]


def _parts(output: str) -> list[str]:
    return [each.strip() for each in output.rstrip().rstrip(".").rstrip(",").split(",")]


def _sources(sentence: str, passages: int) -> tuple[int, ...]:
    # Nine figures tell that a passage is not there; Python reads no number of thousands of them.
    found = [int(number.lstrip("0")[:9] or 0) - 1 for number in _REFERENCE.findall(sentence)]
    # Without any passage the reference breaks off at [0]; nothing can be cited then.
    if not passages or any(each >= passages for each in found):
        return ()
    return tuple(found)
