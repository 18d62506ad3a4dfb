"""Which parts of a long premise the trained reader is shown beside a sentence."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pipeline.backends.compact.entailing.covering import shares_of_windows

if TYPE_CHECKING:
    from pipeline.backends.compact.reader.model import Reader

SENTENCES = 5
STEP = 3
MOST = 3
"""Windows that are read of one premise; a whole page has a hundred."""


def windows_to_read(
    reader: "Reader", pairs: Sequence[tuple[str, str]]
) -> list[list[tuple[str, str]]]:
    """For each (premise, hypothesis) the (window, hypothesis) pairs to read, in page order.

    The windows that hold most of the hypothesis's words, `MOST` at most; none where the premise
    has no words.
    """
    windows = {
        premise: reader.windows(premise, sentences=SENTENCES, step=STEP)
        for premise in dict.fromkeys(premise for premise, _ in pairs)
    }
    found = []
    for premise, hypothesis in pairs:
        places = windows[premise]
        if len(places) > MOST:
            shares = shares_of_windows(premise, hypothesis, places)
            best = sorted(range(len(places)), key=lambda i: (-shares[i], i))[:MOST]
            places = [places[i] for i in sorted(best)]
        found.append([(premise[start:end], hypothesis) for start, end in places])
    return found
