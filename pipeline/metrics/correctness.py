"""Correctness of short answers: the downstream figures of RARR's Figure 9.

Answers are compared after `normalised`, as in open-domain question answering.
"""

import re
import string
from collections import Counter
from collections.abc import Sequence

from pipeline.metrics.f1 import harmonic_mean

_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_DROPPED = str.maketrans("", "", string.punctuation + "“”‘’–—…")
_YES, _NO = {"yes", "true"}, {"no", "false"}


def normalised(answer: str) -> str:
    """Drop case, punctuation, English articles and doubled white space.

    >>> normalised("The  Eiffel-Tower.")
    'eiffeltower'
    """
    bare = answer.casefold().translate(_DROPPED)
    return " ".join(_ARTICLES.sub(" ", bare).split())


def exact_match(answer: str, gold: Sequence[str]) -> float | None:
    """1.0 where the normalised answer equals a gold answer, else 0.0; None without gold.

    >>> exact_match("Alexander Fleming", ["fleming", "alexander fleming"]), exact_match("", ["a b"])
    (1.0, 0.0)
    """
    if not gold:
        return None
    bare = normalised(answer)  # articles alone are no answer
    return float(bool(bare) and any(bare == normalised(each) for each in gold))


def token_f1(answer: str, gold: Sequence[str]) -> float | None:
    """The best F1 of words over the gold answers, 0.0 to 1.0; None without gold answers.

    >>> round(token_f1("Sir Alexander Fleming", ["Alexander Fleming"]), 2)
    0.8
    """
    if not gold:
        return None
    return max(words_f1(normalised(answer).split(), normalised(each).split()) for each in gold)


def yes_or_no(answer: str) -> bool | None:
    """Read yes or no from the first word; None for neither.

    >>> yes_or_no("Yes, it is."), yes_or_no("no"), yes_or_no("It is.")
    (True, False, None)
    """
    words = normalised(answer).split()
    first = words[0] if words else ""
    if first in _YES:
        return True
    return False if first in _NO else None


def yes_no_match(answer: str, gold: Sequence[str]) -> float | None:
    """1.0 where the answer is yes or no as the gold answer is, else 0.0.

    None where no gold answer is yes or no.

    >>> yes_no_match("Yes.", ["true"]), yes_no_match("Perhaps", ["no"]), yes_no_match("yes", ["b"])
    (1.0, 0.0, None)
    """
    # Only the bare word: "No Doubt" is a band.
    wanted = {yes_or_no(each) for each in gold if normalised(each) in _YES | _NO}
    if not wanted:
        return None
    return float(yes_or_no(answer) in wanted)


def words_f1(given: Sequence[str], wanted: Sequence[str]) -> float:
    """The F1 of words, counted with repetitions; 0.0 where they share none."""
    shared = sum((Counter(given) & Counter(wanted)).values())
    if not shared:
        return 0.0
    return harmonic_mean(shared / len(given), shared / len(wanted))
