"""The contents of an item, made from a revision."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

BEFORE, AFTER, PAIR = "before", "after", "pair"
BOTH = "both"
"""Values of `Campaign.Side` and `Item.Side`; only campaigns have `BOTH`."""
CONTEXT, EVIDENCE = "context", "evidence"

Offsets = Sequence[Mapping[str, int]]
"""`{"start": int, "end": int}` of each sentence."""
Evidence = Sequence[Mapping[str, Any]]
"""`{"title": str, "url": str, "text": str}` of each snippet; with `number` if the text cites it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """What a questionnaire may use of a revision."""

    side: str
    """`before`, `after` or `pair`."""
    texts: Mapping[str, str]
    """By `before` and `after`."""
    sentences: Mapping[str, Offsets]
    evidence: Evidence
    """The attribution report."""
    quotes: Mapping[int, Mapping[str, Any]] = field(default_factory=dict)
    """Cited number to source of an imported answer."""
    has_units: bool = False
    """Whether `sentences` are the units of an imported answer."""
    swapped: bool = False
    """Whether `after` comes first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """An item without position and context."""

    text: str
    sentences: Offsets
    evidence: Evidence
    citations: Sequence[Mapping[str, int]] = ()
    second_text: str = ""
    second_sentences: Offsets = ()
    first_side: str = ""


def passage(material: Material) -> Draft | None:
    """Make one side with the attribution report; None without a sentence."""
    sentences = material.sentences[material.side]
    if not sentences:
        return None
    return Draft(
        text=material.texts[material.side], sentences=sentences, evidence=material.evidence
    )


def pair(material: Material) -> Draft | None:
    """Make a pair; None if one side has no sentence."""
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
