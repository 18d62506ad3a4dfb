"""Self-made pairs that tell what contradicts a sentence from what is about something else."""

import json
import random
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from pipeline.rarr.types import with_title
from research.calibration_split import is_kept_back
from research.corruption import spoiled, strangers_of
from research.texts import sentences

FILE = "squad_dev-1.1.json"
OTHERS = 3
"""Other paragraphs of its article that a sentence is read beside."""


class Pair(NamedTuple):
    """A snippet under its title and a sentence."""

    premise: str
    hypothesis: str
    is_contradicted: bool


def pairs_of(folder: Path) -> Iterator[Pair]:
    """Of each paragraph of `FILE` that the reader never saw, one sentence.

    With a value swapped, or said to be otherwise (`opposites`), its paragraph contradicts it. As
    it was, neither the paragraph without it does nor others of the article.
    """
    rng = random.Random(7)  # a sample, no secret
    articles = {
        article["title"].replace("_", " "): [each["context"] for each in article["paragraphs"]]
        for article in json.loads((folder / FILE).read_text(encoding="utf-8"))["data"]
    }
    strangers = strangers_of([*chain.from_iterable(articles.values())], rng)
    for title, paragraphs in articles.items():
        for own in filter(is_kept_back, paragraphs):
            sentence = rng.choice(sentences(own))
            others = [each for each in paragraphs if each != own]
            for text in (own.replace(sentence, ""), *rng.sample(others, min(OTHERS, len(others)))):
                yield Pair(with_title(text, title=title), sentence, is_contradicted=False)
            for swapped in spoiled(sentence, own, place=0, rng=rng, strangers=strangers):
                if swapped.label == "contradiction":
                    yield Pair(with_title(title=title, text=own), swapped.text, is_contradicted=True)
