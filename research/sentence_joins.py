"""Sentences made of two: what people write is often supported in one half and not in the other."""

import random
from collections.abc import Sequence

from research.groups import Hypothesis, absent

JOINED = 0.4
"""Share of the premises of which two sentences are joined."""
MOST_WORDS = 55
"""Of a joined sentence."""
_BETWEEN = (". ", ". ", "; ", ", and ", ", while ")


def joined(
    part: Sequence[Hypothesis], stranger: str, premise: str, rng: random.Random
) -> list[Hypothesis]:
    """A supported sentence of `part` with another supported one, and with `stranger`.

    `stranger` is a sentence that the premise does not support; "" where there is none. At most
    one of each is made, so that two halves alone say nothing of the label.
    """
    sound = [
        (place, h)
        for place, h in enumerate(part)
        if h.label in {"entailment", "supported"} and h.wrong == () and h.beaten_by is None
    ]
    found: list[Hypothesis] = []
    if not sound:
        return found
    place, first = rng.choice(sound)
    others = [h for _, h in sound if h.text != first.text]
    if others:
        other = rng.choice(others)
        text, _ = _one(first.text, other.text, rng)
        both = "entailment" if first.label == other.label == "entailment" else "supported"
        found.append(Hypothesis(text=text, label=both, wrong=(), vote=first.vote))
    if stranger:
        text, begins = _one(first.text, stranger, rng)
        places = absent(text[begins : begins + len(stranger)], premise)
        moved = tuple((s + begins, e + begins) for s, e in places)
        if moved:
            found.append(Hypothesis(text=text, label="unsupported", missing=moved, beaten_by=place))
    return [h for h in found if len(h.text.split()) <= MOST_WORDS]


def _one(first: str, second: str, rng: random.Random) -> tuple[str, int]:
    """Both as one text, in either order, and where the second begins."""
    between = rng.choice(_BETWEEN)
    if rng.random() < 0.5:
        head = first.rstrip(" .") + between
        return head + second, len(head)
    return second.rstrip(" .") + between + first, 0
