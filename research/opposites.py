"""Small words that turn a supported sentence into one that its premise does not support.

What the share of common words cannot see: not, only, all, before, the other verb.
"""

import random
import re

from research.groups import Hypothesis

_PAIRS = """
largest smallest, biggest smallest, first last, first second, last first, second third, best
worst, oldest youngest, oldest newest, highest lowest, longest shortest, greatest least, more
less, more fewer, most few, all none, always never, often
rarely, usually rarely, never often, many few, several no, both neither, every no, before after,
after before, above below, over under, increase decrease, increased decreased, increases
decreases, increasing decreasing, higher lower, larger smaller, greater smaller, longer shorter,
older younger, early late, earlier later, north south, south north, east west, west east, northern
southern, southern northern, eastern western, western eastern, left right, win lose, won lost,
wins loses, success failure, successful unsuccessful, begin end, began ended, begins ends, starts
ends, started stopped, opened closed, born died, bought sold, built destroyed, built designed,
written performed, wrote sang, wrote directed, directed produced, produced directed, founded left,
joined left, accepted rejected, approved rejected, allowed forbidden, allows prevents, causes
prevents, cause prevent, caused prevented, helps harms, with without, include exclude, includes
excludes, including excluding, same different, similar unrelated, public private, male female, man
woman, men women, boy girl, father mother, son daughter, brother sister, husband wife, king queen,
actor director, singer producer, author publisher, positive negative, strong weak, hot cold, warm
cold, dry wet, light dark, good bad, high low, rich poor, true false, can cannot, may must, might
will, could will, would did, likely unlikely, possible impossible, necessary unnecessary, known
unknown, common rare, major minor, main only, only also, also only, important unimportant, safe
dangerous, legal illegal, current former, former current, new old, agree disagree, supported
opposed, support oppose, gained lost, rising falling, rose fell, up down, inside outside, million
thousand, million billion, thousand million, billion million, daily weekly, weekly monthly, annual
monthly, annually monthly, century decade, years months, months years, days weeks, hours minutes
"""
OPPOSITES: dict[str, list[str]] = {}
for _pair in _PAIRS.replace("\n", " ").split(","):
    _word, _other = _pair.split()
    OPPOSITES.setdefault(_word, []).append(_other)
_NEGATED = re.compile(r"\b(?:is|are|was|were|can|has|had|will|could|would|does|did)\b(?! not\b)")
_STRENGTHENED = re.compile(r"\b(?:is|are|was|were)\b (?=[a-z])")
_STRONGER = ("the only", "always", "never", "the first", "no longer", "probably", "once", "rarely")


def opposed(sentence: str, premise: str, *, place: int, rng: random.Random) -> list[Hypothesis]:
    """At most one copy of a supported sentence with a small word changed or put in.

    A word is put in only where the premise does not have it.
    """
    offers: list[tuple[int, int, str, str]] = []
    for found in re.finditer(r"\b[a-z]+\b", sentence):
        for other in OPPOSITES.get(found.group(), ()):
            if not re.search(rf"\b{other}\b", sentence):
                offers.append((*found.span(), other, "contradiction"))
    for found in _NEGATED.finditer(sentence):
        offers.append((*found.span(), f"{found.group()} not", "contradiction"))
    for found in _STRENGTHENED.finditer(sentence):
        stronger = rng.choice(_STRONGER)
        if stronger.split()[-1] not in premise.lower():
            verb = found.group().strip()
            offers.append(
                (found.start(), found.start() + len(verb), f"{verb} {stronger}", "unsupported")
            )
    if not offers:
        return []
    start, end, new, label = rng.choice(offers)
    text = sentence[:start] + new + sentence[end:]
    return [Hypothesis(text=text, label=label, wrong=((start, start + len(new)),), beaten_by=place)]
