"""How much of a premise is read, and what stands around it: evidence is seldom alone."""

import random
import re
from collections.abc import Iterator, Sequence

from research.corruption import places_of
from research.groups import Group, Hypothesis, surrounded, without
from research.texts import sentences

MOST_HYPOTHESES = 14
"""Of one group; a premise with more makes several."""
MOST_WORDS = 185
"""Of a premise with what is put around it: what the reader reads at once."""
TITLED = 0.3
"""Share of the premises that begin with a page's title, as evidence often does."""


def cut(premise: str, part: Sequence[Hypothesis], rng: random.Random) -> str:
    """A premise that is short enough; the half that has most of the first hypothesis's words."""
    words = premise.split(" ")
    if len(words) <= MOST_WORDS:
        return premise
    wanted = {w.lower() for w in re.findall(r"\w{4,}", part[0].text)}
    step = 40
    best, start = -1, 0
    for at in range(0, max(1, len(words) - MOST_WORDS + step), step):
        piece = {re.sub(r"\W", "", w.lower()) for w in words[at : at + MOST_WORDS]}
        if len(piece & wanted) > best:
            best, start = len(piece & wanted), at
    return " ".join(words[start : start + MOST_WORDS])


def shortened(group: Group) -> Group:
    """The part of a long paragraph that still has all its answers, or the first words."""
    premise = group.premise
    ends = [e for h in group.hypotheses for _, e in h.answers]
    words = [m.end() for m in re.finditer(r"\S+", premise)]
    limit = words[min(MOST_WORDS, len(words)) - 1]
    if ends and max(ends) > limit:
        kept = tuple(
            h
            for h in group.hypotheses
            if h.mask is not None and h.answers and min(e for _, e in h.answers) <= limit
        )
        kept = tuple(
            Hypothesis(
                text=h.text, mask=h.mask, relevant=h.relevant,
                answers=tuple(p for p in h.answers if p[1] <= limit),
            )
            for h in kept
        )  # fmt: skip
    else:
        kept = group.hypotheses
    return Group(premise=premise[:limit], hypotheses=kept, source=group.source)


def sought_again(group: Group) -> Group:
    """Answers sought again, after the premise was cut; labels stay, as the best part did."""
    changed = []
    for h in group.hypotheses:
        if h.mask is None:
            changed.append(h)
            continue
        value = h.text[h.mask[0] : h.mask[1]]
        changed.append(
            Hypothesis(text=h.text, mask=h.mask, answers=places_of(value, group.premise))
        )
    return Group(premise=group.premise, hypotheses=tuple(changed), source=group.source)


def among(group: Group, premises: Sequence[str], number: int, rng: random.Random) -> Group:
    """The premise among its neighbours in the file, or among strangers."""
    room = rng.choice((60, 120, MOST_WORDS)) - len(group.premise.split())
    before: list[str] = []
    after: list[str] = []
    while room > 8:
        at = number + rng.randint(-4, 4) if rng.random() < 0.5 else rng.randrange(len(premises))
        text = premises[at % len(premises)]
        if text == premises[number % len(premises)]:
            room -= 4
            continue
        piece = sentences(text)
        start = rng.randrange(len(piece)) if piece else 0
        chosen = " ".join(piece[start : start + rng.randint(1, 3)])
        if not chosen or len(chosen.split()) > room:
            room -= 8
            continue
        room -= len(chosen.split())
        (before if rng.random() < 0.5 else after).append(chosen)
    return surrounded(group, before, after)


def without_its_sentence(
    group: Group, premises: Sequence[str], number: int, rng: random.Random
) -> Iterator[Group]:
    """The group's first hypothesis without the sentence of the premise that has most of it."""
    first = group.hypotheses[0]
    # Its own masked copies go along; other hypotheses may rest on other sentences.
    mine = tuple(h for h in group.hypotheses if h.text == first.text and h.beaten_by is None)
    wanted = {w.lower() for w in re.findall(r"\w{3,}", first.text)}
    at, best, chosen = 0, 0.0, (0, len(group.premise))
    shares = []
    for sentence in sentences(group.premise):
        start = group.premise.index(sentence, at)
        at = start + len(sentence)
        share = len(wanted & {w.lower() for w in re.findall(r"\w{3,}", sentence)})
        shares.append(share)
        if share > best:
            best, chosen = share, (start, at)
    if len(shares) > 1 and sorted(shares)[-2] > 0.7 * best:
        chosen = (0, len(group.premise))
    alone = Group(premise=group.premise, hypotheses=mine, source=f"{group.source} dropped")
    yield from fitting(among(without(alone, *chosen), premises, number, rng), rng)


def fitting(group: Group, rng: random.Random) -> Iterator[Group]:
    """The group, if its premise has words; hypotheses beyond the most are left out."""
    if len(group.premise.split()) < 3 or not group.hypotheses:
        return
    kept = group.hypotheses[:MOST_HYPOTHESES]
    kept = tuple(h for h in kept if len(h.text.split()) <= 70)
    if len(kept) != len(group.hypotheses[:MOST_HYPOTHESES]):
        kept = tuple(h for h in kept if h.beaten_by is None)
    if kept:
        yield Group(
            premise=group.premise, hypotheses=kept, source=group.source, begins=group.begins
        )
