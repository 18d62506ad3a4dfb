"""Random passages and evidence of realistic length."""

import random
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

SENTENCES = 5
SNIPPETS = 5
SNIPPET_SENTENCES = 4
"""As in RARR: a window of four sentences."""
POOL = 3_000
"""Sentences that are drawn from; drawing words each time would take most of the filling."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    text: str
    context: str
    sentences: tuple[Mapping[str, int], ...]
    """As a run stores them: where each begins and ends."""
    score: float
    """What auto-AIS is supposed to have given."""


def passage(number: int) -> Made:
    chance = random.Random(number)
    chosen = chance.choices(_pool(), k=SENTENCES)
    offsets = []
    start = 0
    for sentence in chosen:
        offsets.append({"start": start, "end": start + len(sentence)})
        start += len(sentence) + 1
    return Made(
        text=" ".join(chosen),
        context=f"Question {number}: {chance.choice(_pool()).lower()}",
        sentences=tuple(offsets),
        score=round(chance.random(), 3),
    )


def evidence(number: int) -> list[dict[str, str]]:
    chance = random.Random(-1 - number)
    return [
        {
            "title": f"Source {number}.{position}",
            "url": f"https://source-{position}.example/{number}",
            "text": " ".join(chance.choices(_pool(), k=SNIPPET_SENTENCES)),
        }
        for position in range(1, SNIPPETS + 1)
    ]


@cache
def _pool() -> list[str]:
    chance = random.Random(7)
    words = ["".join(chance.choices("aeioulmnrst", k=chance.randint(2, 9))) for _ in range(4_000)]
    sentences = (chance.choices(words, k=chance.randint(12, 26)) for _ in range(POOL))
    return [" ".join(chosen).capitalize() + "." for chosen in sentences]
