"""What an item is made of: from a revision's texts to what a rater is shown, frozen."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

BEFORE, AFTER, PAIR = "before", "after", "pair"
BOTH = "both"
"""Of a campaign: an item of each side. The words of `Campaign.Side` and `Item.Side`."""

Offsets = Sequence[Mapping[str, int]]
"""`{"start": int, "end": int}` of each sentence in its text."""
Evidence = Sequence[Mapping[str, Any]]
"""`{"title": str, "url": str, "text": str}` of each snippet; and `number`, the one that the text
cites it by, where it came with the text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """One revision, as far as a questionnaire may use it."""

    side: str
    """Which item is wanted: `before`, `after`, or `pair` for both texts in one."""
    texts: Mapping[str, str]
    """The text of `before` and of `after`."""
    sentences: Mapping[str, Offsets]
    """The sentences of the same."""
    evidence: Evidence
    """The attribution report."""
    quotes: Mapping[int, Mapping[str, Any]] = field(default_factory=dict)
    """The sources that came with an imported answer, by the number that it cites them by."""
    swapped: bool = False
    """A coin thrown for this revision: whether `after` stands first in a pair."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """What of an item a questionnaire decides; the campaign adds its place and its context."""

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
