"""What the reader is trained on: a premise with hypotheses, each with what is known of it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

Place = tuple[int, int]
"""Characters start:end of a text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hypothesis:
    """One sentence or question about a premise. What is None is not known, and not learnt."""

    text: str
    label: str | None = None
    """entailment, neutral or contradiction; or supported or unsupported, where people only
    said whether the premise supports it."""
    wrong: tuple[Place, ...] | None = None
    """The characters that the premise does not support; () where it supports them all."""
    missing: tuple[Place, ...] = ()
    """Words that the premise surely does not support, where of the others nothing is known."""
    vote: float = 1.0
    """How much `label` counts. In a file where nearly all is supported, or nearly nothing, the
    other label counts more: else the reader learns which file a pair is from."""
    mask: Place | None = None
    """Replaced by [MASK]: the premise is asked what stands there."""
    answers: tuple[Place, ...] = ()
    """Where the premise says what `mask` hides; () where it does not."""
    relevant: bool | None = None
    """Of a question: whether the premise answers it."""
    beaten_by: int | None = None
    """The place in the group of the sound sentence that this is a spoiled copy of."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Hypotheses about one premise."""

    premise: str
    hypotheses: tuple[Hypothesis, ...]
    source: str
    begins: int = field(default=0)
    """Where the text that the hypotheses are about begins, if others were put before it."""


def surrounded(group: Group, before: Sequence[str], after: Sequence[str]) -> Group:
    """The group with other texts around its premise; answers keep their places in it."""
    head = "".join(f"{text} " for text in before)
    tail = "".join(f" {text}" for text in after)
    moved = tuple(
        replace(h, answers=tuple((s + len(head), e + len(head)) for s, e in h.answers))
        for h in group.hypotheses
    )
    return replace(group, premise=head + group.premise + tail, hypotheses=moved, begins=len(head))


def absent(text: str, premise: str) -> tuple[Place, ...]:
    """The longer words and the figures of `text` that `premise` does not have."""
    known = premise.lower()
    found = re.finditer(r"\w{4,}|\d+", text)
    return tuple(m.span() for m in found if m.group().lower()[:6] not in known)


def without(group: Group, start: int, end: int) -> Group:
    """The group when its premise loses the sentence that its hypotheses need.

    What was entailed or contradicted is now neither, and no question has an answer.
    """
    kept = f"{group.premise[:start].rstrip()} {group.premise[end:].lstrip()}".strip()
    changed = []
    for h in group.hypotheses:
        if h.beaten_by is not None:
            continue
        changed.append(
            replace(
                h,
                vote=1.0,
                missing=absent(h.text, kept),
                label=None if h.label is None else "neutral",
                wrong=None,
                answers=(),
                relevant=None if h.relevant is None else False,
            )
        )
    return replace(group, premise=kept, hypotheses=tuple(changed))
