"""What an item is made of: from a revision's texts to what a rater is shown."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

BEFORE, AFTER, PAIR = "before", "after", "pair"
BOTH = "both"
"""In a campaign: an item for each side. Values of `Campaign.Side` and `Item.Side`."""
CONTEXT, EVIDENCE = "context", "evidence"
"""What an item can have beside the passage."""

Offsets = Sequence[Mapping[str, int]]
"""`{"start": int, "end": int}` of each sentence in its text."""
Evidence = Sequence[Mapping[str, Any]]
"""`{"title": str, "url": str, "text": str}` of each snippet; and the `number` by which the text
cites it, if it came with the text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """What a questionnaire may use of one revision."""

    side: str
    """Which item is wanted: `before`, `after`, or `pair` for both texts in one."""
    texts: Mapping[str, str]
    """The text of `before` and of `after`."""
    sentences: Mapping[str, Offsets]
    """The sentences of the same."""
    evidence: Evidence
    """The attribution report."""
    quotes: Mapping[int, Mapping[str, Any]] = field(default_factory=dict)
    """The sources that came with an imported answer, by the numbers with which it cites them."""
    has_units: bool = False
    """Whether `sentences` are the units that came with an imported answer, to be kept."""
    swapped: bool = False
    """A coin thrown for this revision: whether `after` stands first in a pair."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """The part of an item that a questionnaire makes; the campaign adds position and context."""

    text: str
    sentences: Offsets
    evidence: Evidence
    citations: Sequence[Mapping[str, int]] = ()
    second_text: str = ""
    second_sentences: Offsets = ()
    first_side: str = ""


def passage(material: Material) -> Draft | None:
    """One side, sentence by sentence, beside the attribution report; None without a sentence."""
    sentences = material.sentences[material.side]
    if not sentences:
        return None
    return Draft(
        text=material.texts[material.side], sentences=sentences, evidence=material.evidence
    )


def pair(material: Material) -> Draft | None:
    """Before and after side by side, in the order that was drawn; None if one has no sentence."""
    first, second = (AFTER, BEFORE) if material.swapped else (BEFORE, AFTER)
    if not material.sentences[first] or not material.sentences[second]:
        return None
    return Draft(
        text=material.texts[first],
        sentences=material.sentences[first],
        evidence=[],
        second_text=material.texts[second],
        second_sentences=material.sentences[second],
        first_side=first,
    )
