"""Self-made hypotheses: what a supported sentence becomes when one of its values is swapped or
hidden. They are free to make from any supported pair, and are the errors that RARR looks for.
"""

import random
import re
from collections import defaultdict
from collections.abc import Sequence

from pipeline.backends.compact.text.spans import MentionKind, Mention, mentions
from pipeline.backends.compact.text.words import STOPWORDS
from pipeline.backends.compact.values import contains_value
from research.groups import Hypothesis, Place
from research.opposites import opposed
from research.texts import sentences

_WORD = re.compile(r"[A-Za-z][a-z]{3,}")


def places_of(value: str, premise: str) -> tuple[Place, ...]:
    """Where the premise has the words of `value`, whatever the case."""
    pattern = r"(?<!\w)" + r"\s+".join(map(re.escape, value.split())) + r"(?!\w)"
    return tuple(m.span() for m in re.finditer(pattern, premise, re.IGNORECASE))


def sort_of(mention: Mention) -> str:
    """Mentions of one sort can take each other's place."""
    if mention.kind is MentionKind.NUMBER:
        form = mention.quantity.form if mention.quantity else ""
        return f"number {form}"
    return "name" if mention.kind in {MentionKind.NAME, MentionKind.TITLE} else mention.kind.value


def answers_of(mention: Mention, premise: str) -> tuple[Place, ...]:
    """Where the premise says what `mention` says, also in other words."""
    found = places_of(mention.text, premise)
    if found:
        return found
    return tuple(
        (other.start, other.end)
        for other in mentions(premise)
        if sort_of(other) == sort_of(mention)
        and contains_value(mention, other.text)
        and contains_value(other, mention.text)
    )


def spoiled(
    sentence: str,
    premise: str,
    *,
    place: int,
    rng: random.Random,
    strangers: Sequence[Mention] = (),
    most: int = 3,
    near: int = 2,
) -> list[Hypothesis]:
    """Masked and swapped copies of a supported sentence, which is hypothesis `place`.

    `most` values of the sentence are used; each gives one masked copy, at most `near` copies
    with another value of the premise, and sometimes one with a value of `strangers`.
    """
    found: list[Hypothesis] = []
    values = list(mentions(sentence))
    rng.shuffle(values)
    for mention in values[:most]:
        answers = answers_of(mention, premise)
        if not answers:
            continue
        mask = (mention.start, mention.end)
        found.append(Hypothesis(text=sentence, mask=mask, answers=answers))
        others = {
            other.text: other
            for other in mentions(premise)
            if sort_of(other) == sort_of(mention)
            and not contains_value(other, sentence)
            and not contains_value(mention, other.text)
        }
        # Another person for a person is harder to tell than a place, so what the parser names
        # alike comes first.
        names = rng.sample(sorted(others), len(others))
        chosen = sorted(names, key=lambda name: others[name].label != mention.label)[:near]
        foreign = [s for s in strangers if sort_of(s) == sort_of(mention)]
        foreign = [s for s in foreign if s.label == mention.label] or foreign
        if foreign and (not chosen or rng.random() < 0.3):
            stranger = rng.choice(foreign).text
            if stranger.lower() not in premise.lower():
                chosen.append(stranger)
        for value in chosen:
            text = sentence[: mention.start] + value + sentence[mention.end :]
            found.append(
                Hypothesis(
                    text=text,
                    label="contradiction",
                    wrong=((mention.start, mention.start + len(value)),),
                    beaten_by=place,
                )
            )
    found += _masked_beside_a_wrong_one(found, values, premise, rng)
    if rng.random() < 0.4:
        found += opposed(sentence, premise, place=place, rng=rng)
    if rng.random() < 0.45:
        found += _other_word(sentence, premise, place=place, rng=rng)
    return found


def own_sentence(
    premise: str, place: int, rng: random.Random, strangers: Sequence[Mention]
) -> list[Hypothesis]:
    """A sentence of the premise itself, which supports it, with its spoiled copies."""
    own = [s for s in sentences(premise) if 6 <= len(s.split()) <= 35]
    if not own or rng.random() > 0.3:
        return []
    sentence = rng.choice(own)
    copies = spoiled(sentence, premise, place=place, rng=rng, strangers=strangers, most=2, near=1)
    return [Hypothesis(text=sentence, label="entailment", wrong=()), *copies]


def strangers_of(texts: Sequence[str], rng: random.Random) -> list[Mention]:
    """Values of a sample of `texts`, at most 60 of a sort: to be swapped for in other texts."""
    found: list[Mention] = []
    for text in rng.sample(list(texts), min(300, len(texts))):
        found += mentions(text)
    by_sort: dict[str, list[Mention]] = defaultdict(list)
    for mention in found:
        by_sort[sort_of(mention)].append(mention)
    return [m for each in by_sort.values() for m in rng.sample(each, min(60, len(each)))]


def _masked_beside_a_wrong_one(
    found: Sequence[Hypothesis], values: Sequence[Mention], premise: str, rng: random.Random
) -> list[Hypothesis]:
    """One value masked in a copy in which another is wrong: RARR asks of such sentences too."""
    swapped = [h for h in found if h.beaten_by is not None and h.wrong]
    sound = next((h.text for h in found if h.mask), "")
    if not swapped or len(values) < 2 or rng.random() > 0.4:
        return []
    copy = rng.choice(swapped)
    ((start, end),) = copy.wrong or ((0, 0),)
    moved = len(copy.text) - len(sound)
    others = [v for v in values if v.end <= start or v.start >= end - moved]
    if not others:
        return []
    value = rng.choice(others)
    answers = answers_of(value, premise)
    shift = moved if value.start > start else 0
    mask = (value.start + shift, value.end + shift)
    if not answers or copy.text[mask[0] : mask[1]] != value.text:
        return []
    return [Hypothesis(text=copy.text, mask=mask, answers=answers)]


def _other_word(sentence: str, premise: str, *, place: int, rng: random.Random) -> list[Hypothesis]:
    """One common word masked, and swapped for another common word of the premise."""
    words = [m for m in _WORD.finditer(sentence) if m.group().lower() == m.group()]
    words = [m for m in words if m.group() not in STOPWORDS and places_of(m.group(), premise)]
    others = sorted(
        {m.group() for m in _WORD.finditer(premise)} - {m.group() for m in _WORD.finditer(sentence)}
        - STOPWORDS
    )  # fmt: skip
    others = [word for word in others if word.islower()]
    if not words:
        return []
    word = rng.choice(words)
    found = [Hypothesis(text=sentence, mask=word.span(), answers=places_of(word.group(), premise))]
    alike = [o for o in others if o[-2:] == word.group()[-2:]]
    if alike:
        value = rng.choice(alike)
        found.append(
            Hypothesis(
                text=sentence[: word.start()] + value + sentence[word.end() :],
                label="unsupported",
                wrong=((word.start(), word.start() + len(value)),),
                beaten_by=place,
            )
        )
    return found
