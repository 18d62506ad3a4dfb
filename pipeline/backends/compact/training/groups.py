"""What the reader is trained on: a premise with hypotheses, each with what is known of it."""

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


def without(group: Group, start: int, end: int) -> Group:
    """The group when its premise loses the sentence that its hypotheses need.

    What was entailed or contradicted is now neither, and no question has an answer.
    """
    changed = []
    for h in group.hypotheses:
        if h.beaten_by is not None:
            continue
        changed.append(
            replace(
                h,
                label=None if h.label is None else "neutral",
                wrong=None,
                answers=(),
                relevant=None if h.relevant is None else False,
            )
        )
    kept = f"{group.premise[:start].rstrip()} {group.premise[end:].lstrip()}".strip()
    return replace(group, premise=kept, hypotheses=tuple(changed))
