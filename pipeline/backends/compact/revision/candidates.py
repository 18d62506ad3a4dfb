"""Candidates in the evidence for a span of the passage."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pipeline.backends.compact.revision.context_features import features_of
from pipeline.backends.compact.revision.located import Located
from pipeline.backends.compact.revision.slot_alignment import Slot
from pipeline.backends.compact.text.spans import Mention, MentionKind, mentions, mentions_outside
from pipeline.backends.compact.text.words import coverage, rest_of, stems_of, words
from pipeline.backends.compact.values import (
    MAX_CANDIDATES,
    already_used,
    by_answer,
    contains_value,
    counts_something_else,
    is_counterpart,
    is_short_for,
    name_words,
    same_value,
    shares_prefix_or_suffix,
)
from pipeline.rarr.types import Evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A value of the evidence that may replace the passage's span."""

    mention: Mention
    """The replacement; positions are in the evidence, a line break and the title."""
    features: Mapping[str, float]
    """By name, mostly 0.0 to 1.0."""
    places: tuple[Mention, ...] = ()
    """All spans with this value."""
    is_passage_value: bool = False
    """Equals the passage's value."""
    fills_slot: bool = False
    """Stands between the neighbours of the passage's span."""


def find_candidates(
    located: Located, mention: Mention, evidence: Evidence, slot: Slot | None
) -> tuple[Candidate, ...]:
    """Return a candidate per value of the same kind that the sentence lacks elsewhere."""
    sentence, context = located.sentence, located.context
    rest = mentions_outside(sentence, mention)
    seen = evidence.text + "\n" + evidence.title
    alike = [other for other in mentions(seen)[:MAX_CANDIDATES] if is_counterpart(mention, other)]
    if mention.kind is MentionKind.TITLE:  # not the page's title, nor part of the span
        alike = [m for m in alike if m.end <= len(evidence.text)]
        alike = [m for m in alike if not is_short_for(m.text, mention.text)]
    same = [other for other in alike if same_value(mention, other)]
    possible = [
        other
        for other in alike
        if other not in same
        and not counts_something_else(mention, other)
        and not already_used(other, rest)
        and f" {other.text} " not in f" {mention.text} "
    ]
    if not same:
        # "Kings XI Delhi" beside "Kings XI Punjab"
        possible = [m for m in possible if shares_prefix_or_suffix(mention, m)] or possible
    if mention.quantity is not None:
        # Prefer digits for digits.
        is_word = mention.quantity.is_word
        digits = [m for m in possible if m.quantity is not None and m.quantity.is_word == is_word]
        possible = digits or possible
    filler = slot.theirs if slot and not same_value(mention, slot.theirs) else None
    if filler and filler not in possible:
        possible = [*(m for m in possible if not m.meets(filler)), filler]
    groups = by_answer(possible)
    if not groups:
        return ()
    if same:
        groups.append(same)
    window = stems_of(evidence.titled_text)
    known = [contains_value(other, seen) for other in rest]
    asking = [word for word in words(context) if word.is_content]
    shared = {
        "window": coverage(rest_of(sentence, mention), window),
        "others": sum(known) / len(known) if known else 0.0,
        "others_known": float(bool(known)),
        "asked": 1 - coverage(asking, window) if asking else 0.0,
        "only": float(len(groups) - bool(same) == 1),
    }
    rows = [
        [
            features_of(mention, other, sentence=sentence, evidence=seen, context=context)
            for other in group
        ]
        for group in groups
    ]
    pooled = [{name: max(row[name] for row in some) for name in some[0]} for some in rows]
    most = max(features["local"] for features in pooled)
    return tuple(
        Candidate(
            mention=_fullest(group, some),
            features={
                **features,
                **shared,
                "often": min(len(group), 4) / 4,
                "own": float(group is same),
                "nearest": float(0 < most == features["local"]),
            },
            places=tuple(group),
            is_passage_value=group is same,
            fills_slot=filler in group,
        )
        for group, some, features in zip(groups, rows, pooled, strict=True)
    )


def _fullest(group: Sequence[Mention], rows: Sequence[Mapping[str, float]]) -> Mention:
    """Prefer full names, then the most likely position."""
    order = range(len(group))
    return group[max(order, key=lambda i: (len(name_words(group[i].text)), rows[i]["local"], -i))]
