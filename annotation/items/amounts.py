"""How much there would be to judge, before a campaign starts: from a part of the revisions."""

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from annotation.items.selection import Outlook, sides_of
from annotation.items.snapshots import items_of, with_material
from annotation.questionnaires.types import Need, Questionnaire
from pipeline.models import Revision, Run
from pipeline.rarr.types import Span

LOOKED_AT = 200
"""Revisions that are read; what is told of more is an estimate."""

_SENTENCE = re.compile(r"\S.*?(?:[.!?…][\"'”’»)]*(?=\s|$)|$)", re.DOTALL)


class RoughSplitter:
    """Splits at full stops: good enough to count, and loads no model."""

    def split(self, text: str) -> Sequence[Span]:
        """The sentences of `text`."""
        return [Span(start=each.start(), end=each.end()) for each in _SENTENCE.finditer(text)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Amount:
    """What raters would get under one questionnaire."""

    items: int
    sentences: int
    cited: int
    """Sentences that cite a source."""
    words: int
    """The median length of an item's text."""
    units: int
    """What takes a rater's time: sentences, or items where no question is about a part."""
    is_estimate: bool
    looked_at: int
    """Items that were made to find out."""
    different: int
    """How many of those differ in their texts or their evidence."""
    short: tuple[tuple[Need, int], ...]
    """What not every item has that the questionnaire needs, and how many of those looked at do."""

    @property
    def unmet(self) -> Need | None:
        """What no item has, as far as was looked."""
        return next((need for need, having in self.short if not having), None)


def read_sample(runs: Sequence[Run]) -> list[Revision]:
    """Finished revisions of each run, at most `LOOKED_AT` altogether. Two queries."""
    done = Revision.objects.filter(run__in=runs, state=Revision.State.DONE).order_by("pk")
    of_run: dict[int, list[int]] = defaultdict(list)
    for run, key in done.values_list("run", "pk"):
        of_run[run].append(key)
    share = max(LOOKED_AT // max(len(of_run), 1), 1)
    keys = [key for own in of_run.values() for key in own[:: -(-len(own) // share)]]
    return list(with_material(Revision.objects.filter(pk__in=keys)).order_by("pk"))


def amount_of(
    sample: Sequence[Revision], sides: str, questionnaire: Questionnaire, outlook: Outlook
) -> Amount:
    """What of `sample` makes items, taken for all of what `outlook` counts."""
    wanted = sides_of(sides)
    places = {
        (row.pk, side): place
        for place, (row, side) in enumerate((row, side) for row in sample for side in wanted)
    }
    found: dict[int, Counter[str]] = defaultdict(Counter)
    having: Counter[int] = Counter()
    lengths = []
    different = set()
    for item in items_of(sample, places, RoughSplitter(), questionnaire, seed=""):
        of_run = found[item.revision.run_id]
        of_run["items"] += 1
        of_run["sentences"] += len(item.sentences) + len(item.second_sentences)
        of_run["cited"] += len({each["sentence"] for each in item.citations})
        of_run["units"] += units_of(questionnaire, item.sentences)
        lengths.append(len(item.text.split()))
        different.add((item.text, item.second_text, *(each["text"] for each in item.evidence)))
        for number, need in enumerate(questionnaire.needs):
            having[number] += need.is_met(item)
    looked_at = sum(each["items"] for each in found.values())
    total = _scaled(found, {each.run.pk: each.items for each in outlook.strata})
    return Amount(
        items=outlook.items,
        sentences=total["sentences"],
        cited=total["cited"],
        words=round(median(lengths)) if lengths else 0,
        units=total["units"],
        is_estimate=looked_at != outlook.items,
        looked_at=looked_at,
        different=len(different),
        short=tuple(
            (need, having[number])
            for number, need in enumerate(questionnaire.needs)
            if having[number] < looked_at
        ),
    )


def units_of(questionnaire: Questionnaire, sentences: Sequence[Mapping[str, int]]) -> int:
    """What an item counts for in a rater's time."""
    return 1 if questionnaire.is_about_the_whole else len(sentences)


def _scaled(found: Mapping[int, Counter[str]], items: Mapping[int, int]) -> Counter[str]:
    total: Counter[str] = Counter()
    for run, of_run in found.items():
        for name, number in of_run.items():
            total[name] += round(number * items.get(run, 0) / of_run["items"])
    return total
