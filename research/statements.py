"""A question and its answer as one statement, roughly in the order in which people write.

The grammar is rough on purpose: what the reader learns from is which words the answer must
stand with, in a wording that is not the premise's.
"""

import re

AUXILIARIES = frozenset(
    [
        "is",
        "are",
        "was",
        "were",
        "did",
        "does",
        "do",
        "has",
        "have",
        "had",
        "can",
        "could",
        "will",
        "would",
        "should",
        "may",
        "might",
        "must",
    ]
)
_ASKING = re.compile(
    r"^(?P<before>(?:in|on|at|by|from|to|for|with|of|under|during|through|into|about|along with)"
    r"\s+)?(?P<asking>who(?:se|m)?|what|which|when|where|why"
    r"|how (?:many|much|long|old|far|large|big|tall|often)|how)\b\s*(?P<rest>.*)$",
    re.IGNORECASE | re.DOTALL,
)
_PARTICIPLE = re.compile(r"(?:ed|en|wn|ne|ught|ade|ld|un|ung|id|ut|et|ilt|ent|ost)$")


def statement(question: str, answer: str) -> tuple[str, int, int] | None:
    """The statement, and where in it the answer begins and ends; None where no rule fits.

    >>> statement("Who discovered the comet?", "Anna Berg")
    ('Anna Berg discovered the comet.', 0, 9)
    >>> statement("When was the mill built?", "in 1902")[0]
    'the mill was built in 1902.'
    >>> statement("In what year did the mill burn down?", "1931")[0]
    'the mill did burn down in year 1931.'
    """
    found = _ASKING.match(question.strip().rstrip("?").strip())
    if not found:
        return None
    before, asking = (found["before"] or "").lower(), found["asking"].lower()
    rest = found["rest"].split()
    if len(rest) < 2:
        return None
    at = next((i for i, word in enumerate(rest[:6]) if word.lower() in AUXILIARIES), None)
    if asking.startswith("how ") and at is None:
        return _joined("", answer, " ".join(rest))
    if asking in {"who", "what", "which"} and at is None and not before:
        return _joined("", answer, " ".join(rest))
    if at is None:
        return None
    kind, auxiliary, tail = rest[:at], rest[at], rest[at + 1 :]
    if not tail:
        return None
    noun, does = " ".join(kind), auxiliary.lower() in {"did", "does", "do"}
    if asking in {"who", "what", "which"} and not before and not does:
        if not kind and _PARTICIPLE.search(tail[-1]) and len(tail) > 2 and asking != "who":
            return _joined(" ".join([*tail[:-1], auxiliary, tail[-1]]), answer, "")
        return _joined("", answer, " ".join([*kind, auxiliary, *tail]))
    if asking.startswith("how ") and not does:
        return _joined("", answer, " ".join([*kind, auxiliary, *tail]))
    if _PARTICIPLE.search(tail[-1]) and not does:
        said = [*tail[:-1], auxiliary, tail[-1]]
    elif does:
        # The verb is somewhere after the subject; that the auxiliary stands there too is enough.
        half = max(1, len(tail) // 2)
        said = [*tail[:half], auxiliary, *tail[half:]]
    else:
        said = [*tail, auxiliary]
    lead = " ".join([*said, *([before.strip()] if before else []), *([noun] if noun else [])])
    return _joined(lead, answer, "")


def _joined(before: str, answer: str, after: str) -> tuple[str, int, int]:
    head = f"{before} " if before else ""
    tail = f" {after}." if after else "."
    return head + answer + tail, len(head), len(head) + len(answer)
