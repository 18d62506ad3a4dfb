"""The ten-line heuristic that the compact steps are measured against."""

import re

from research.swap_set import CITATION, values

WORD = re.compile(r"\w+")


def heuristic(sentence: str, evidence: str) -> str:
    """Replace each value that the evidence lacks by its nearest value of the same kind.

    Nearest: the one with most of the sentence's words within 60 characters on either side.
    """
    wanted = {word.lower() for word in WORD.findall(CITATION.sub("", sentence))}
    for kind, start, end in sorted(values(sentence), key=lambda value: -value[1]):
        if sentence[start:end] in evidence:
            continue
        found = [
            (len(wanted & set(WORD.findall(evidence[max(0, a - 60) : b + 60].lower()))), -a, b)
            for other, a, b in values(evidence)
            if other == kind and evidence[a:b] not in sentence
        ]
        if found:
            _, a, b = max(found)
            sentence = sentence[:start] + evidence[-a:b] + sentence[end:]
    return sentence
